"""User recipes: made from a run's configuration and checked as strictly as the shipped ones."""

from dataclasses import fields, replace

from workbench.core.config import NOT_OF_RECIPES, SECTIONS, RunConfig
from workbench.core.errors import BadSetting
from workbench.recipes.fits import needs_of
from workbench.recipes.load import RECIPES, Recipe, check_id, from_toml, to_toml
from workbench.recipes.settle import settle

_OF_THE_MACHINE = (
    "seed",
    "device",
    "threads",
    "processes",
    "parts",
    "memory_parts",
    "precision",
    "pairs",
    "backbone",
    "revision",
)
"""Settings that belong to one run on one machine and are not kept in a recipe."""
OWN = tuple(section for section in SECTIONS if section not in NOT_OF_RECIPES)
"""The sections that a recipe may have."""


def recipe_of(config: RunConfig, name: str, *, title: str = "", summary: str = "", citation: str = "") -> Recipe:
    """A recipe called `name` with the terms of a configuration and every value that the recipe or the user set in it.

    Values that came from the backbone's card or a default are left out, so that the recipe fits other backbones.

    Raises:
        BadSetting: the name is not an id, or no kind of corpus has what the terms take.
    """
    sections: dict[str, dict[str, object]] = {}
    for section in OWN:
        values = getattr(config, section)
        sections[section] = {
            item.name: getattr(values, item.name)
            for item in fields(SECTIONS[section])
            if item.name not in _OF_THE_MACHINE
            and config.origins.get(f"{section}.{item.name}", "default") in ("recipe", "user")
        }
    if config.pretrains:  # marks the recipe as a pretraining
        sections["pretraining"]["start"] = config.pretraining.start
    base = RECIPES.get(config.recipe)
    made = Recipe(
        id=name,
        title=title or name.replace("_", " ").capitalize(),
        citation=citation or (f"Made from {config.recipe}. {base.citation}" if base else f"Made from {config.recipe}."),
        needs=needs_of(config.terms),
        summary=summary or (base.summary if base else f"{config.recipe}, changed."),
        terms=config.terms,
        resource=base.resource if base else "",
        after=base.after if base else (),
        backbone=base.backbone if base else "",
        model=sections["model"],
        training=sections["training"],
        pretraining=sections["pretraining"],
        augmenting=sections["augmenting"],
        selection=sections["selection"],
        probe=sections["probe"],
    )
    return checked(from_toml(to_toml(made), name))


def checked(recipe: Recipe) -> Recipe:
    """`recipe` with settled terms, if every name and value in it is valid and its kind of corpus has what its terms take.

    Raises:
        WorkbenchError: something is invalid; the message names the setting, the rule and the way out.
    """
    check_id(recipe.id)
    if recipe.id in RECIPES:
        raise BadSetting(
            f"{recipe.id} is a built-in recipe.",
            rule="Built-in recipes cannot be replaced.",
            way_out="Choose another id.",
        )
    for official in (True, False) if recipe.official else (False,):
        settled = settle(recipe, official=official)
    found = needs_of(settled.terms)
    if found != recipe.needs:
        raise BadSetting(f"{recipe.id} declares that it needs {recipe.needs}.", got=f"terms that take {found}")
    return replace(recipe, terms=settled.terms)
