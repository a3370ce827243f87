"""Recipes, and settling one into a run configuration."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.keeping import run
from workbench.api.places import AnyRun, Folder
from workbench.core import presets
from workbench.core.config import RunConfig
from workbench.core.paths import written
from workbench.store.names import runs_folder, runs_place

if TYPE_CHECKING:
    from workbench.recipes import Recipe
    from workbench.store.run import Run


def settle(
    recipe: str = presets.RECIPE,
    *,
    backbone: str | Path = "",
    corpus: str | Path = "demo",
    official: bool = False,
    name: str = "",
    accept: bool | str | Iterable[str] = False,
    runs: Folder = None,
    **changes: object,
) -> RunConfig:
    """The configuration that `train` with the same arguments would run; `origins` says where each value came from.

    Use it to inspect or change a configuration, then queue it with `submit_run`; nothing is queued here.

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
    corpus = written("corpus", corpus)
    backbone, wanted = begun(runs_place(runs), written("backbone", backbone), wanted)
    config = of_recipe(chosen, backbone=backbone, corpus=corpus, official=official, changes=wanted)
    check_paths(config)
    return replace(config, accept=accepted(accept))


def fits(recipe: str, corpus: str | Path, config: RunConfig | None = None, *, runs: Folder = None) -> str:
    """What a corpus lacks that a recipe needs, in one sentence; empty if nothing, or if the whole file would have to be read.

    Reads only the head of a file, so it is fast enough to call while the user types. `config` is the configuration of a run
    that changed the recipe's losses or views. Use `refusal` for problems with the machine or the configuration.

    Raises:
        WorkbenchError: no such recipe, or a file that is not text.
    """
    from workbench.pretraining import articles
    from workbench.recipes import fits as of_recipe
    from workbench.store import user_recipes

    corpus = written("corpus", corpus)
    chosen = user_recipes.find(runs_place(runs), recipe)
    if chosen.pretrains:
        return articles.fits(chosen.id, corpus)
    return of_recipe(chosen, corpus, config.terms if config else None)


def expected_seconds(configs: Sequence[RunConfig], *, runs: Folder = None) -> float | None:
    """Estimated seconds for runs one after the other, from earlier runs of their recipes on this machine; None if there are none.

    It costs nothing; `dry_run` measures one configuration instead.
    """
    from workbench.preflight import estimates

    return estimates.seconds(runs_place(runs), configs)


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step on this machine, in one line; empty if no reason is known.

    It does not read the corpus: `fits` checks that.
    """
    from workbench.preflight.refusals import refusal as of_run

    return of_run(config)


def recipes(*, runs: Folder = None) -> "dict[str, Recipe]":
    """All recipes by id: those of the app, then the user's in a runs folder."""
    from workbench.store import user_recipes

    return user_recipes.everything(runs_place(runs))


def first_stages(recipe: "str | Recipe", *, runs: Folder = None) -> "list[Run]":
    """The finished runs that a recipe can start from as a second stage, newest first: `train` takes one as `after`.

    Raises:
        UnknownName: there is no such recipe.
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
    """Save a configuration, or that of a run, as a recipe called `name`: its terms, and the values that recipe or user set.

    Backbone, corpus, seed, machine-specific values and values from the backbone's card are not saved. The recipe can then be
    used wherever the app's recipes can. `export_recipe` writes a file to share, which `import_recipe` reads.

    Raises:
        WorkbenchError: the name is not an id or is taken, or something in the recipe cannot be used.
    """
    from workbench.recipes.own import recipe_of
    from workbench.store import user_recipes

    settled = config if isinstance(config, RunConfig) else run(config, runs=runs).config
    made = recipe_of(settled, name, title=title, summary=summary, citation=citation)
    return user_recipes.keep(runs_folder(runs), made, overwrite=overwrite)


def export_recipe(name: str, file: str | Path, *, runs: Folder = None) -> Path:
    """Write a recipe, the app's or the user's, as a TOML file and return its path.

    Raises:
        UnknownName: there is no such recipe.
        BadSetting: the file exists.
    """
    from workbench.store import user_recipes

    return user_recipes.export(runs_place(runs), name, Path(file))


def import_recipe(file: str | Path, *, name: str = "", overwrite: bool = False, runs: Folder = None) -> "Recipe":
    """Save the recipe in a TOML file as the user's own, under another id if `name` is given, after checking everything in it.

    Raises:
        WorkbenchError: the file is not a recipe, has an unknown name or a value out of range, or its id is taken.
    """
    from workbench.store import user_recipes

    return user_recipes.bring(runs_folder(runs), Path(file), name=name, overwrite=overwrite)


def delete_recipe(name: str, *, runs: Folder = None) -> None:
    """Delete one of the user's recipes. Runs made with it stay as they are.

    Raises:
        UnknownName: the user has no recipe with that id.
    """
    from workbench.store import user_recipes

    user_recipes.delete(runs_folder(runs), name)
