"""Recipes of one's own, in `.recipes` of the runs folder, beside those of the app."""

from pathlib import Path

from workbench.core import paths
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, unknown
from workbench.core.writing import output_file, write_text
from workbench.recipes.load import RECIPES, Recipe, find_recipe, own_recipes, read_file, to_toml
from workbench.recipes.own import checked
from workbench.store.names import RunsFolder


def everything(folder: RunsFolder) -> dict[str, Recipe]:
    """Those of the app, then one's own, by id."""
    return RECIPES | own_recipes(folder.recipes)


def find(folder: RunsFolder, name: str) -> Recipe:
    """The recipe called `name`.

    Raises:
        UnknownName: with the nearest ids.
    """
    return find_recipe(name, folder.recipes)


def keep(folder: RunsFolder, recipe: Recipe, *, overwrite: bool = False) -> Recipe:
    """Write a recipe down.

    Raises:
        WorkbenchError: it cannot be used, or there is one of that id and `overwrite` is off.
    """
    recipe = checked(recipe)
    path = folder.recipes / f"{recipe.id}.toml"
    if path.exists() and not overwrite:
        raise BadSetting(
            f"There is a recipe {recipe.id} already.",
            rule="An id is given once.",
            way_out="Choose another, or overwrite.",
        )
    with disk_errors_explained():
        write_text(path, to_toml(recipe))
    return recipe


def export(folder: RunsFolder, name: str, file: Path) -> Path:
    """Any recipe as a file.

    Raises:
        UnknownName: no such recipe.
        BadSetting: the file exists, or cannot be written.
        Refused: there is no room.
    """
    recipe = find(folder, name)
    paths.check(file)
    if paths.existing(file):
        raise BadSetting(f"{file.name} exists.", rule="Nothing is overwritten.", way_out="Choose another name.")
    with output_file(file) as target:
        target.write(to_toml(recipe).encode())
    return file


def bring(folder: RunsFolder, file: Path, *, name: str = "", overwrite: bool = False) -> Recipe:
    """A recipe from a file, kept; under another id if `name` is given.

    Raises:
        WorkbenchError: see `read_file` and `keep`.
    """
    from dataclasses import replace

    recipe = read_file(file)
    return keep(folder, replace(recipe, id=name) if name else recipe, overwrite=overwrite)


def delete(folder: RunsFolder, name: str) -> None:
    """Remove one of one's own.

    Raises:
        UnknownName: there is none of that id.
    """
    known = own_recipes(folder.recipes)
    if name not in known:
        raise unknown("recipe of your own", name, known)
    with disk_errors_explained():
        (folder.recipes / f"{name}.toml").unlink()
