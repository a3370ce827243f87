"""Runs that belong together."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.api.places import Folder
from workbench.core.signatures import takes_what
from workbench.jobs import launch
from workbench.jobs import sweeps as kept
from workbench.jobs.sweeps import Plan, Sweep
from workbench.store.names import runs_folder


def plan_grid(
    recipe: str = "simcse_unsup",
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `grid` would queue: `missing` runs, their `seconds` and `size_bytes` as far as earlier runs tell. Queues nothing.

    Raises:
        WorkbenchError: see `grid`.
    """
    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    return kept.grid(runs_folder(runs), recipe, over or {}, **said, changes=changes)


@takes_what(plan_grid)
def grid(*asked: Any, **said: Any) -> Sweep:
    """Queue a run for every combination of the values of one or two settings, each with `seeds` seeds; returns at once.

    `over` names settings as `train` takes them, or `recipe`, `backbone`, `corpus`: `{"temperature": [0.03, 0.05], "margin": [5,
    10]}`. Runs that are there are not made again, stopped ones go on: asking twice costs nothing. `Sweep.results(measure)`
    has one row a run, `Sweep.summary(measure)` one a setting.

    Raises:
        WorkbenchError: a name, value or size that cannot be used, or no room for the runs.
    """
    return kept.queue(plan_grid(*asked, **said))


def plan_tournament(
    augmentations: Sequence[str],
    *,
    recipe: str = "simcse_unsup",
    roles: Sequence[str] = ("positive", "negative"),
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `tournament` would queue; see `plan_grid`.

    Raises:
        WorkbenchError: see `tournament`.
    """
    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    asked: dict[str, Any] = {"recipe": recipe, "roles": roles, **said}
    return kept.tournament(runs_folder(runs), augmentations, **asked, changes=changes)


@takes_what(plan_tournament)
def tournament(*asked: Any, **said: Any) -> Sweep:
    """Queue one run an augmentation as positive, one as negative (`augcse_neg`), and `recipe` without any; returns at once.

    All have the same budget and seeds. `Sweep.summary(measure)` holds each against the run without: a tie is called a tie.

    Raises:
        WorkbenchError: an augmentation or size that cannot be used, or no room for the runs.
    """
    return kept.queue(plan_tournament(*asked, **said))


def sweeps(*, runs: Folder = None) -> list[Sweep]:
    """Grids and tournaments of a runs folder, the last asked for first."""
    place = runs_folder(runs)
    launch.look_after(place)
    return kept.everything(place)


def sweep(name: str, *, runs: Folder = None) -> Sweep:
    """One grid or tournament by its id.

    Raises:
        UnknownName: none, with the nearest ids.
    """
    return kept.find(runs_folder(runs), name)


def delete_sweep(name: str, *, runs: Folder = None) -> None:
    """Forget which runs belong together; the runs stay.

    Raises:
        UnknownName: there is none.
    """
    kept.delete(runs_folder(runs), name)
