"""Recipes, and the configuration that one comes to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.keeping import run
from workbench.api.places import AnyRun, Folder
from workbench.core import presets
from workbench.core.config import RunConfig
from workbench.store.names import runs_folder, runs_place

if TYPE_CHECKING:
    from workbench.recipes import Recipe
    from workbench.store.run import Run


def settle(
    recipe: str = presets.RECIPE,
    *,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    **changes: object,
) -> RunConfig:
    """The configuration that `train` with the same arguments would run; `origins` says where each value came from.

    Raises:
        WorkbenchError: a name or a value that cannot be used.
    """
    from workbench.preflight.acknowledgements import accepted
    from workbench.preflight.refusals import check_paths
    from workbench.recipes import settle as of_recipe
    from workbench.store import user_recipes
    from workbench.store.stages import begun

    wanted = {**changes, "name": name} if name else changes
    chosen = user_recipes.find(runs_place(runs), recipe)
    backbone, wanted = begun(runs_place(runs), backbone, wanted)
    config = of_recipe(chosen, backbone=backbone, corpus=corpus, official=official, changes=wanted)
    check_paths(config)
    return replace(config, accept=accepted(accept))


def fits(recipe: str, corpus: str, config: RunConfig | None = None, *, runs: Folder = None) -> str:
    """Why a corpus lacks what a recipe needs, in one sentence; empty if it does not, or if only reading it would tell.

    Looks only at the head of a file: quick enough to be asked while somebody types. `config` is a run that changed the
    recipe's losses or views.

    Raises:
        WorkbenchError: no such recipe, or a file that is not text.
    """
    from workbench.pretraining import articles
    from workbench.recipes import fits as of_recipe
    from workbench.store import user_recipes

    chosen = user_recipes.find(runs_place(runs), recipe)
    if chosen.pretrains:
        return articles.fits(chosen.id, corpus)
    return of_recipe(chosen, corpus, config.terms if config else None)


def expected_seconds(configs: Sequence[RunConfig], *, runs: Folder = None) -> float | None:
    """How long runs will take one after the other, as runs of their recipes did on this machine; None where there was none."""
    from workbench.preflight import estimates

    return estimates.seconds(runs_place(runs), configs)


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step on this machine, in one line; empty where nothing is known against it."""
    from workbench.preflight.refusals import refusal as of_run

    return of_run(config)


def recipes(*, runs: Folder = None) -> "dict[str, Recipe]":
    """All recipes by id: those of the app, then one's own of a runs folder."""
    from workbench.store import user_recipes

    return user_recipes.everything(runs_place(runs))


def first_stages(recipe: "str | Recipe", *, runs: Folder = None) -> "list[Run]":
    """The runs that are done and that a recipe can go on from, the newest first: `train` takes one as `after`.

    Raises:
        UnknownName: no such recipe.
    """
    from workbench.store import user_recipes
    from workbench.store.stages import firsts

    place = runs_place(runs)
    return firsts(place, user_recipes.find(place, recipe) if isinstance(recipe, str) else recipe)


def save_recipe(
    config: RunConfig | AnyRun,
    name: str,
    *,
    title: str = "",
    summary: str = "",
    citation: str = "",
    overwrite: bool = False,
    runs: Folder = None,
) -> "Recipe":
    """Keep a configuration, or that of a run, as a recipe called `name`: its terms and what recipe or user set.

    Backbone, corpus, seed and what belongs to one machine are left open, and so is what the backbone's card said. It can be
    used from now on wherever the app's recipes can.

    Raises:
        WorkbenchError: the name is not an id or is taken, or something in the recipe cannot be used.
    """
    from workbench.recipes.own import recipe_of
    from workbench.store import user_recipes

    settled = config if isinstance(config, RunConfig) else run(config, runs=runs).config
    made = recipe_of(settled, name, title=title, summary=summary, citation=citation)
    return user_recipes.keep(runs_folder(runs), made, overwrite=overwrite)


def export_recipe(name: str, file: str | Path, *, runs: Folder = None) -> Path:
    """Write any recipe as a TOML file.

    Raises:
        UnknownName: no such recipe.
        BadSetting: the file exists.
    """
    from workbench.store import user_recipes

    return user_recipes.export(runs_place(runs), name, Path(file))


def import_recipe(file: str | Path, *, name: str = "", overwrite: bool = False, runs: Folder = None) -> "Recipe":
    """Keep the recipe in a TOML file, under another id if `name` is given, after checking everything in it.

    Raises:
        WorkbenchError: no recipe, an unknown name or a value out of range in it, or an id that is taken.
    """
    from workbench.store import user_recipes

    return user_recipes.bring(runs_folder(runs), Path(file), name=name, overwrite=overwrite)


def delete_recipe(name: str, *, runs: Folder = None) -> None:
    """Remove a recipe of one's own. Runs made with it stay as they are.

    Raises:
        UnknownName: there is none of that id.
    """
    from workbench.store import user_recipes

    user_recipes.delete(runs_folder(runs), name)
