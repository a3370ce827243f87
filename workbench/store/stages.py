"""Second stages: a run that goes on from the best checkpoint of another one."""

from collections.abc import Mapping
from pathlib import Path

from workbench.core.errors import BadRun, BadSetting
from workbench.models.cards import START
from workbench.recipes import Recipe
from workbench.store import events, lookup, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def begun(folder: RunsFolder, backbone: str, changes: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Backbone and changes of a run; if `after` among these, or `backbone`, names a run, its model is the backbone.

    Raises:
        UnknownName: there is no such run.
        BadRun: it has not come to its end, or its model is gone.
        BadSetting: another backbone is named, too, or `after` is not a name.
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
    if backbone not in ("", START, str(model_of(first))):
        raise BadSetting(
            f"A run starts from a backbone or goes on from a run: {backbone} and {first.id} are two.",
            way_out="Leave one of them out.",
        )
    return str(model_of(first)), found | {"after": first.id}


def firsts(folder: RunsFolder, recipe: Recipe) -> list[Run]:
    """The runs that a second stage can go on from, the newest first; none for a recipe that is none."""
    if not recipe.after:
        return []
    runs = (run for run in lookup.all_runs(folder) if not run.problem and run.config.recipe in recipe.after)
    return [run for run in runs if run.state == events.DONE and _folder(run)]


def model_of(run: Run) -> Path:
    """The folder with the best checkpoint of a run as a backbone.

    Raises:
        BadRun: the run has not come to its end, or the folder is gone.
    """
    if run.state != events.DONE:
        raise BadRun(
            f"{run.id} cannot be resumed: it is {run.state or 'no run'}.",
            rule="A second stage begins with the best checkpoint of a run that is done.",
            way_out="Wait for its end, or resume it.",
        )
    if found := _folder(run):
        return found
    raise BadRun(
        f"{run.id} has no model any more.",
        rule=f"A second stage begins with the folder {names.MODEL} or {names.BACKBONE} of the first.",
        way_out="Import the run with its weights, or train it again.",
    )


def _folder(run: Run) -> Path | None:
    places = (run.folder / place for place in (names.MODEL, names.BACKBONE))
    return next((place for place in places if place.is_dir()), None)


def first_of(backbone: str) -> Run | None:
    """The run whose model folder a backbone is, if it is one."""
    path = Path(backbone)
    found = path.parent
    is_one = path.name in (names.MODEL, names.BACKBONE) and (found / names.CONFIG).is_file()
    return Run(found) if is_one else None


def followers(run: Run) -> list[Run]:
    """The runs of its folder that go on from a run: without it none of them can be loaded."""
    others = lookup.all_runs(lookup.folder_of(run))
    own = run.folder.resolve()
    return [other for other in others if not other.problem and own in Path(other.config.model.backbone).parents]
