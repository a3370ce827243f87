"""Runs that belong together: grids over settings, and tournaments of augmentations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench import sweeps as kept
from workbench.api.places import Folder
from workbench.core import presets
from workbench.core.paths import written
from workbench.core.signatures import takes_what
from workbench.preflight import acknowledgements
from workbench.scheduler import launch, supervision
from workbench.store import events
from workbench.store.names import runs_folder, runs_place
from workbench.store.run import Run
from workbench.sweeps import Plan, Sweep


def plan_grid(
    recipe: str = presets.RECIPE,
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: int = 1,
    backbone: str | Path = "",
    corpus: str | Path = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    on: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `grid` would queue: `missing` runs, and their `seconds` and `size_bytes` estimated from earlier runs. Queues nothing.

    Use it to see the cost first; `submit_sweep` then queues exactly this plan.

    Raises:
        WorkbenchError: see `grid`.
    """
    named = {"backbone": written("backbone", backbone), "corpus": written("corpus", corpus), "name": name}
    given: dict[str, Any] = {"seeds": seeds, "official": official, **named}
    return _accepting(kept.grid(runs_folder(runs), recipe, over or {}, **given, changes=changes), accept, on)


@takes_what(plan_grid)
def grid(*asked: Any, **given: Any) -> Sweep:
    """Queue a run for every combination of the values of one or two settings, each with `seeds` seeds; returns at once.

    `over` names settings as `train` takes them, or `recipe`, `backbone`, `corpus`: `{"temperature": [0.03, 0.05], "margin": [5,
    10]}`. Existing runs are not repeated, and stopped ones are resumed: asking twice costs nothing. `Sweep.results(measure)`
    has one row per run, `Sweep.summary(measure)` one per setting. `accept` and `on` are as in `train`, for all runs at once.

    Prefer `submit_run`, which takes any list of configurations, for runs that need no common table; prefer `tournament` to
    compare single augmentations with the run without any.

    Raises:
        NotAccepted: a run has a warning that must be accepted; then none is queued.
        WorkbenchError: a name, value or size that cannot be used, or not enough disk space for the runs.
    """
    return submit_sweep(plan_grid(*asked, **given))


def plan_tournament(
    augmentations: Sequence[str],
    *,
    recipe: str = presets.RECIPE,
    roles: Sequence[str] = ("positive", "negative"),
    seeds: int = 1,
    backbone: str | Path = "",
    corpus: str | Path = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    on: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `tournament` would queue; see `plan_grid`.

    Raises:
        WorkbenchError: see `tournament`.
    """
    named = {"backbone": written("backbone", backbone), "corpus": written("corpus", corpus), "name": name}
    given: dict[str, Any] = {"seeds": seeds, "official": official, **named}
    asked: dict[str, Any] = {"recipe": recipe, "roles": roles, **given}
    return _accepting(kept.tournament(runs_folder(runs), augmentations, **asked, changes=changes), accept, on)


@takes_what(plan_tournament)
def tournament(*asked: Any, **given: Any) -> Sweep:
    """Queue two runs per augmentation, as positive and as negative (`augcse_neg`), and `recipe` without any; returns at once.

    All have the same budget and seeds. `Sweep.summary(measure)` compares each with the run without augmentation:
    a tie is called a tie. `accept` and `on` are as in `train`, for all runs at once. Prefer `grid` for combinations of
    augmentations, over a view's pipeline such as `terms.0.views.b.augmentation`.

    Raises:
        NotAccepted: a run has a warning that must be accepted; then none is queued.
        WorkbenchError: an augmentation or size that cannot be used, or not enough disk space for the runs.
    """
    return submit_sweep(plan_tournament(*asked, **given))


def _accepting(plan: Plan, accept: bool | str | Iterable[str], on: str) -> Plan:
    """The plan, with some warnings accepted for all of its runs, and where these are worked on. Keys stay the same, because
    neither changes a result.
    """
    names = acknowledgements.accepted(accept)
    return replace(plan, on=on, configs={key: replace(config, accept=names) for key, config in plan.configs.items()})


def submit_sweep(plan: Plan, *, accept: bool | str | Iterable[str] = ()) -> Sweep:
    """Queue the missing runs of a plan and resume those that ended early; returns at once. `grid` is
    `submit_sweep(plan_grid(...))`.

    Use it for a plan whose cost or warnings you looked at first: nothing is settled again. `accept`, as in `train`, replaces
    what the plan accepts, for all runs. As in `submit_run`, a corpus whose hash is in a configuration is not read.

    Raises:
        NotAccepted: a run has a warning that must be accepted; then none is queued.
        WorkbenchError: see `grid`.
    """
    plan = _accepting(plan, accept, plan.on) if accept else plan
    configs = plan.configs
    acknowledgements.check(acknowledgements.lacking_of(configs[key] for key in plan.missing))
    for run in plan.ended_early:
        acknowledgements.accept_in(run, next(iter(configs.values())).accept)
    return kept.queue(plan)


def sweeps(*, runs: Folder = None) -> list[Sweep]:
    """Grids and tournaments of a runs folder, the most recently requested first. Use `sweep` for one by its id."""
    place = runs_place(runs)
    supervision.look_after(place)
    return kept.everything(place)


def sweep(name: str, *, runs: Folder = None) -> Sweep:
    """One grid or tournament by its id, a unique beginning of it, or its title, which is the `name` it was given.

    Raises:
        UnknownName: there is no such sweep, with the nearest ids.
        BadSetting: several sweeps match.
    """
    return kept.find(runs_place(runs), name)


def stop_sweep(name: str, *, runs: Folder = None) -> list[Run]:
    """Stop every run of a grid or tournament that waits or runs, and return these runs; returns at once.

    None is deleted, and asking for the same sweep again resumes them. A run that another sweep shares is stopped too. Prefer
    `stop` for a single run.

    Raises:
        UnknownName: there is no such sweep, with the nearest ids.
        BadRun, Refused: a run could not be stopped, because its folder cannot be written; the others were.
    """
    found = [run for run in sweep(name, runs=runs).runs.values() if run.state in events.STOPPABLE]
    refused = launch.stop_all(found)
    for run in found:
        if run.id in refused and run.state in events.STOPPABLE:  # the others have ended by themselves
            raise refused[run.id]
    return [run for run in found if run.id not in refused]


def delete_sweep(name: str, *, runs: Folder = None) -> None:
    """Delete a grid or tournament, but not its runs; `delete` removes a run.

    Raises:
        UnknownName: there is no such sweep, with the nearest ids.
    """
    kept.delete(runs_folder(runs), name)
