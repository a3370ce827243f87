"""Adaptive sweeps: runs whose settings follow from the runs before them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.api.places import Folder
from workbench.core import presets
from workbench.core.paths import written
from workbench.preflight import acknowledgements
from workbench.store.names import runs_folder
from workbench.sweeps import tuning as adaptive
from workbench.sweeps.ranges import Range, space_of
from workbench.sweeps.tuning import Tuning


def tune(
    recipe: str = presets.RECIPE,
    over: Mapping[str, str | Range | Sequence[Any]] | None = None,
    *,
    trials: int = 20,
    at_once: int = 1,
    sampler_seed: int = 0,
    backbone: str | Path = "",
    corpus: str | Path = "demo",
    accept: bool | str | Iterable[str] = False,
    on: str = "",
    runs: Folder = None,
    follow: Callable[[Tuning], None] | None = None,
    **changes: object,
) -> Tuning:
    """Search settings with optuna (the extra `tune`): TPE proposes them, and trials below the median of their probes are stopped.

    `over` names settings as `train` takes them, each with a range or values: `{"temperature": "0.01..0.2", "pooling":
    "cls,mean"}`. The value of a trial is the Spearman of its probe, so `probe.pairs` must be held out from what is reported.
    Asking again with the same arguments goes on where it was interrupted, and more `trials` add to those that there are; runs
    go on while nobody waits.

    Prefer `grid` to compare a few settings over seeds with intervals: a search finds one good setting, and the Spearman it was
    chosen by is optimistic.

    Raises:
        MissingResource: optuna is not installed.
        WorkbenchError: a setting, range or warning; or more than half of the trials failed.
    """
    return adaptive.tune(
        runs_folder(runs),
        recipe,
        space_of(over or {}),
        trials=trials,
        at_once=at_once,
        seed=sampler_seed,
        backbone=written("backbone", backbone),
        corpus=written("corpus", corpus),
        accept=acknowledgements.accepted(accept),
        changes=changes,
        on=on,
        follow=follow,
    )


def tuning(name: str, *, runs: Folder = None) -> Tuning:
    """An adaptive sweep by its id: `trials`, `importance`.

    Raises:
        UnknownName: there is no such sweep.
        MissingResource: optuna is not installed.
    """
    return adaptive.opened(runs_folder(runs), name)
