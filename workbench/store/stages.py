"""Second stages: runs that start from the best checkpoint of another run."""

from collections.abc import Mapping
from pathlib import Path

from workbench.core import presets
from workbench.core.errors import BadRun, BadSetting
from workbench.recipes import Recipe
from workbench.store import events, listed, lookup, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def begun(folder: RunsFolder, backbone: str, changes: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Backbone and changes of a new run. If `changes["after"]` or `backbone` names a run, its model becomes the
    backbone.

    Raises:
        UnknownName: there is no such run.
        BadRun: that run is not done, or its model is gone.
        BadSetting: another backbone is named as well, or `after` does not name a run.
    """
    found = dict(changes)
    if names.is_id(backbone) and (folder.path / backbone / names.CONFIG).exists() and not found.get("after"):
        backbone, found["after"] = "", backbone
    if not found.get("after"):
        return backbone, found
    if not isinstance(found["after"], str | Path | Run):
        raise BadSetting(
            "after is not a run.", rule="It is an id, a label, a folder or a run.", got=repr(found["after"])
        )
    first = lookup.find(folder, found["after"])
    if backbone not in ("", presets.TARGET, str(model_of(first))):
        raise BadSetting(
            f"A run starts either from a backbone or from another run, but both {backbone} and {first.id} are named.",
            way_out="Leave one of them out.",
        )
    return str(model_of(first)), found | {"after": first.id}


def firsts(folder: RunsFolder, recipe: Recipe) -> list[Run]:
    """Those of the newest runs that a second stage with this recipe can start from, newest first; empty if it is not a
    second stage. `begun` takes any other by its name.
    """
    if not recipe.after:
        return []
    runs = lookup.all_runs(folder, lookup.NEWEST)
    firsts = [run for run, row in zip(runs, listed.rows(runs), strict=True) if row.recipe in recipe.after]
    return [run for run in firsts if run.state == events.DONE and run.model]


def model_of(run: Run) -> Path:
    """The folder that has the best checkpoint of a run as a backbone.

    Raises:
        BadRun: the run is not done, or the folder is gone.
    """
    if run.state != events.DONE:
        raise BadRun(
            f"No run can start from {run.id}: it is {run.state or 'not a run'}.",
            rule="A second stage starts from the best checkpoint of a run that is done.",
            way_out="Wait until it is done, or resume it.",
        )
    if run.model:
        return run.model
    raise BadRun(
        f"{run.id} no longer has a model.",
        rule=f"A second stage starts from the folder {names.MODEL} or {names.BACKBONE} of the first.",
        way_out="Import the run with its weights, or train it again.",
    )


def first_of(backbone: str) -> Run | None:
    """The run whose model folder `backbone` is; None if it is another path or name."""
    path = Path(backbone)
    found = path.parent
    is_one = path.name in (names.MODEL, names.BACKBONE) and (found / names.CONFIG).is_file()
    return Run(found) if is_one else None


def followers(run: Run) -> list[Run]:
    """The runs in the same folder that started from this run. They cannot be loaded without it."""
    others = lookup.mentioning(lookup.folder_of(run), run.id)
    first = run.folder.resolve()
    return [other for other in others if not other.problem and first in Path(other.config.model.backbone).parents]
