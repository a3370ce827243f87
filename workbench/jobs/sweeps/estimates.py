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
    """Seconds a text of the runs that ended here."""

    def __init__(self, folder: RunsFolder) -> None:
        self.found: dict[tuple[str, ...], list[float]] = {}
        for run in _done(folder):
            texts = run.progress.step * run.config.training.batch_size
            if texts:
                for like in _alike(run.config):
                    self.found.setdefault(like, []).append(run.seconds / texts)

    def seconds(self, config: RunConfig) -> float | None:
        """Of the whole run: as runs of the same recipe, else of the same backbone."""
        texts = config.training.steps * config.training.batch_size
        return next((texts * median(self.found[like][:5]) for like in _alike(config) if like in self.found), None)


def _alike(config: RunConfig) -> list[tuple[str, ...]]:
    backbone, length = config.model.backbone, str(config.training.max_length)
    return [(backbone, length, config.recipe), (backbone, length)]


def _done(folder: RunsFolder) -> list[Run]:
    """The last runs that came to their end."""
    return [run for run in launch.all_runs(folder)[:_LIKE] if not run.problem and run.state == events.DONE]
