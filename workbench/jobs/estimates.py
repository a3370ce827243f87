"""What runs will cost, as runs like them did here."""

from collections.abc import Sequence
from statistics import median

from workbench.core.config import RunConfig
from workbench.jobs import launch
from workbench.store import events
from workbench.store.names import RunsFolder
from workbench.store.run import Run

_LIKE = 200
"""Earlier runs looked at."""


def seconds(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """How long the runs take, one after the other; None where nothing like one of them ran."""
    paces = _Paces(folder)
    known = [paces.seconds(config) for config in configs]
    return None if None in known else sum(part for part in known if part is not None)


def size_bytes(folder: RunsFolder, configs: Sequence[RunConfig]) -> float | None:
    """What the runs take on the disk, each as those of its backbone did; None where there was none."""
    sizes = dict.fromkeys({config.model.backbone for config in configs}, 0.0)
    for backbone in sizes:
        like = [run for run in _done(folder) if run.config.model.backbone == backbone][:3]
        if not like:
            return None
        sizes[backbone] = median(run.size_bytes["total"] for run in like)
    return sum(sizes[config.model.backbone] for config in configs)


class _Paces:
    """What a step took in the runs that ended here, for each text of its batch, and what they took beside their steps."""

    def __init__(self, folder: RunsFolder) -> None:
        self.found: dict[tuple[object, ...], list[tuple[float, float]]] = {}
        for run in _done(folder):
            steps = run.steps
            if "seconds" in steps and len(steps):
                step = float(steps["seconds"].median())
                beside = max(0.0, run.seconds - step * run.progress.step)
                self.found.setdefault(_alike(run.config), []).append((step / run.config.training.batch_size, beside))

    def seconds(self, config: RunConfig) -> float | None:
        """Of the whole run, as runs of the same recipe, backbone and length; epochs are not known in steps."""
        like = self.found.get(_alike(config), [])[:5]
        if not like or config.training.epochs:
            return None
        text, beside = (median(values) for values in zip(*like, strict=True))
        return config.training.steps * config.training.batch_size * text + beside


def _alike(config: RunConfig) -> tuple[object, ...]:
    length = config.pretraining.sequence_length if config.pretrains else config.training.max_length
    return config.model.backbone, length, config.recipe, config.training.memory_parts > 0


def _done(folder: RunsFolder) -> list[Run]:
    """The last runs that came to their end."""
    return [run for run in launch.all_runs(folder)[:_LIKE] if not run.problem and run.state == events.DONE]
