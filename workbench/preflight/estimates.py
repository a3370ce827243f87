"""What runs will cost, as runs like them did here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median

from workbench.core.config import RunConfig
from workbench.store import events, lookup
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.training.batches import in_steps

_LIKE = 200
"""Earlier runs looked at."""
_MOST = 5
"""Of which as many are measured."""


def seconds(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """How long the runs take, one after the other; None where nothing like one of them ran.

    Epochs are counted in steps where a run like it was on the same corpus, and are None where none was.
    """
    total, paces = 0.0, dict[tuple[object, ...], tuple[float, float] | None]()
    for config in configs:
        like = _alike(config)
        if like not in paces:
            paces[like] = _pace(folder, like)
        pace = paces[like]
        steps = _steps(folder, config)
        if pace is None or steps is None:
            return None
        total += steps * config.training.batch_size * pace[0] + pace[1]
    return total


def _steps(folder: RunsFolder, config: RunConfig) -> int | None:
    """How many steps a run will make; None where the rows that its epochs pass over are not known yet."""
    if config.training.epochs and not config.corpus.rows:
        like = (run.config.corpus for run in _done(folder, _alike(config)))
        known = next((corpus for corpus in like if corpus.source == config.corpus.source), None)
        if known is None:
            return None
        config = replace(config, corpus=known)
    return in_steps(config).training.steps


def _pace(folder: RunsFolder, like: tuple[object, ...]) -> tuple[float, float] | None:
    """Seconds a text in a step, and a run beside its steps: medians of the last runs of a kind that ended here."""
    found = []
    for run in islice(_done(folder, like), _MOST):
        steps = run.steps
        if "seconds" in steps and len(steps):
            step = float(steps["seconds"].median())
            found.append((step / run.config.training.batch_size, max(0.0, run.seconds - step * run.progress.step)))
    if not found:
        return None
    text, beside = (median(values) for values in zip(*found, strict=True))
    return text, beside


def size_bytes(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """What the runs take on the disk, each as those of its backbone did; None where there was none."""
    sizes = dict.fromkeys({config.model.backbone for config in configs}, 0.0)
    for backbone in sizes:
        like = [run for run in _done(folder) if run.config.model.backbone == backbone][:3]
        if not like:
            return None
        sizes[backbone] = median(run.size_bytes["total"] for run in like)
    return sum(sizes[config.model.backbone] for config in configs)


def _alike(config: RunConfig) -> tuple[object, ...]:
    length = config.pretraining.sequence_length if config.pretrains else config.training.max_length
    return config.model.backbone, length, config.recipe, config.training.memory_parts > 0


def _done(folder: RunsFolder, like: tuple[object, ...] | None = None) -> Iterator[Run]:
    """The last runs that came to their end, newest first; of a kind, if one is named. Looked at only as far as asked."""
    for run in lookup.all_runs(folder)[:_LIKE]:
        if not run.problem and (like is None or _alike(run.config) == like) and run.state == events.DONE:
            yield run
