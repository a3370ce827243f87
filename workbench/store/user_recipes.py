"""The user's own recipes, in `.recipes` of the runs folder, in addition to those of the app."""

from pathlib import Path

from workbench.core import paths
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, unknown
from workbench.core.writing import output_file, write_text
from workbench.recipes.load import RECIPES, UNUSABLE, Recipe, find_recipe, own_recipes, read_file, read_folder, to_toml
from workbench.recipes.own import checked
from workbench.store.names import RunsFolder


def everything(folder: RunsFolder) -> dict[str, Recipe]:
    """All recipes by id: those of the app, then the user's own."""
    return RECIPES | own_recipes(folder.recipes)


def unusable(folder: RunsFolder) -> list[str]:
    """Why files of recipes cannot be used: those among the app's, then the user's own. They are left out of `everything`."""
    return [*UNUSABLE.values(), *read_folder(folder.recipes)[1].values()]


def find(folder: RunsFolder, name: str) -> Recipe:
    """The recipe called `name`.

    Raises:
        UnknownName: there is no such recipe; the message has the nearest ids.
        BadSetting: there is a file of that name, but it cannot be used.
    """
    return find_recipe(name, folder.recipes)


def keep(folder: RunsFolder, recipe: Recipe, *, overwrite: bool = False) -> Recipe:
    """Store a recipe, and return it after its checks.

    Raises:
        WorkbenchError: it cannot be used, or its id exists and `overwrite` is off.
    """
    recipe = checked(recipe)
    path = folder.recipes / f"{recipe.id}.toml"
    if path.exists() and not overwrite:
        raise BadSetting(
            f"There is already a recipe {recipe.id}.",
            rule="Every recipe has its own id.",
            way_out="Choose another id (--name), or overwrite it (--overwrite).",
        )
    with disk_errors_explained():
        write_text(path, to_toml(recipe))
    return recipe


def export(folder: RunsFolder, name: str, file: Path) -> Path:
    """Write any recipe to `file`, which is returned.

    Raises:
        UnknownName: there is no such recipe.
        BadSetting: the file exists, or cannot be written.
        Refused: the disk is full.
    """
    recipe = find(folder, name)
    paths.check(file)
    if paths.existing(file):
        raise BadSetting(f"{file.name} exists.", rule="Nothing is overwritten.", way_out="Choose another name.")
    with output_file(file) as target:
        target.write(to_toml(recipe).encode())
    return file


def bring(folder: RunsFolder, file: Path, *, name: str = "", overwrite: bool = False) -> Recipe:
    """Import a recipe from a file and store it, with the id `name` if that is given.

    Raises:
        WorkbenchError: see `read_file` and `keep`.
    """
    from dataclasses import replace

    recipe = read_file(file)
    return keep(folder, replace(recipe, id=name) if name else recipe, overwrite=overwrite)


def delete(folder: RunsFolder, name: str) -> None:
    """Remove one of the user's own recipes.

    Raises:
        UnknownName: the user has no recipe with this id.
    """
    known = own_recipes(folder.recipes)
    if name not in known:
        raise unknown("recipe of your own", name, known)
    with disk_errors_explained():
        (folder.recipes / f"{name}.toml").unlink()
