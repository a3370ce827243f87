"""Time and size of runs, estimated from similar runs in the same runs folder."""

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
"""Earlier runs that are searched."""
_FEWEST_STEPS = 5
"""Fewest steps of a run that has not ended by which others are estimated."""
_MOST = 5
"""Similar runs that are measured."""


def seconds(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """Seconds that the runs take one after the other; None if one of them has no similar run.

    The steps of runs in epochs are known if a similar run had the same corpus; else the answer is None.
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
    """The number of steps of a run; None if it is in epochs and the rows of its corpus are not known yet."""
    if config.training.epochs and not config.corpus.rows:
        like = (run.config.corpus for run in _done(folder, _alike(config)))
        known = next((corpus for corpus in like if corpus.source == config.corpus.source), None)
        if known is None:
            return None
        config = replace(config, corpus=known)
    return in_steps(config).training.steps


def _pace(folder: RunsFolder, like: tuple[object, ...]) -> tuple[float, float] | None:
    """Seconds per text in a step, and per run outside its steps: medians over the last similar runs."""
    paces = []
    for run in islice(_done(folder, like), _MOST):
        steps = run.steps
        if "seconds" in steps and len(steps):
            step = float(steps["seconds"].median())
            paces.append((step / run.config.training.batch_size, max(0.0, run.seconds - step * run.progress.step)))
    if not paces:
        return _pace_without_an_end(folder, like)
    text, beside = (median(values) for values in zip(*paces, strict=True))
    return text, beside


def _pace_without_an_end(folder: RunsFolder, like: tuple[object, ...]) -> tuple[float, float] | None:
    """See `_pace`, from the newest similar run that has not come to its end: one in training, or stopped. What it took
    before its first step stands for all that is beside the steps, which is too little.
    """
    for run in _known(folder, like):
        steps, times = run.steps, run.status.times
        if "seconds" in steps and len(steps) >= _FEWEST_STEPS:
            before = times.get(events.RUNNING, 0.0) - times.get(events.STARTING, 0.0)
            return float(steps["seconds"].median()) / run.config.training.batch_size, max(0.0, before)
    return None


def size_bytes(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """Bytes on disk of the runs, by runs with the same backbone; None if one has none."""
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
    """The last finished runs, newest first, optionally only similar ones. Evaluated lazily."""
    return (run for run in _known(folder, like) if run.state == events.DONE)


def _known(folder: RunsFolder, like: tuple[object, ...] | None) -> Iterator[Run]:
    """The last runs, newest first, optionally only similar ones."""
    for run in lookup.all_runs(folder, _LIKE):
        if not run.problem and (like is None or _alike(run.config) == like):
            yield run
