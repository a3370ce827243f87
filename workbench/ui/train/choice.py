"""The first two choices of a run: its recipe and its backbone."""

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.recipes import Recipe
from workbench.recipes.fits import NEEDS
from workbench.store import user_recipes
from workbench.store.names import runs_place
from workbench.ui.kit.address import choose, follow_default
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import plain
from workbench.ui.targets.choice import pretrained
from workbench.ui.targets.names import run_name


def pick_recipe() -> Recipe:
    """The recipe, kept in the address; the list is grouped by the corpus that a recipe needs."""
    for reason in user_recipes.unusable(runs_place()):
        st.warning(plain(f"A recipe is left out: {reason}"))
    known, needs = api.recipes(), list(NEEDS)
    recipe = known[
        choose(
            "Recipe",
            sorted(known, key=lambda name: (known[name].pretrains, needs.index(known[name].needs))),
            key="recipe",
            start=presets.RECIPE,
            shown=lambda name: f"{_group(known[name])}: {known[name].title}",
        )
    ]
    quiet(recipe.summary)
    before = " or ".join(recipe.after)
    notes = (("Continues a run of", before), ("Also needs", recipe.resource), ("Made for", recipe.backbone))
    for label, value in notes:
        if value:
            quiet(f"{label} {value}.")
    return recipe


def _group(recipe: Recipe) -> str:
    return "Pretraining" if recipe.pretrains else recipe.needs.replace("_", " ").capitalize()


def pick_backbone(recipe: Recipe) -> str:
    """The backbone, kept in the address. It follows the recipe until someone chooses another."""
    from workbench.models.cards import EMBEDDED, default_backbone

    firsts = {run.id: f"{run.label}: continue this run of {run.config.recipe}" for run in api.first_stages(recipe)}
    start = follow_default("backbone", next(iter(firsts), default_backbone(recipe.backbone)))
    labels = firsts | {name: f"{name}: {card.title}" for name, card in EMBEDDED.items()}
    labels |= {str(folder): f"{run_name(run)}: pretrained here" for run, folder in pretrained().items()}
    backbone = choose(
        "Backbone",
        list(labels),
        key="backbone",
        start=start,
        shown=lambda name: labels.get(name, name),
        typed=True,
        help="The options are built in or were pretrained here. Any Hugging Face id or local model folder can be "
        "typed in (safetensors only).",
    )
    quiet(
        EMBEDDED[backbone].note
        if backbone in EMBEDDED
        else "The best checkpoint of that run."
        if backbone in firsts
        else "Read from a local folder, or downloaded once from the Hugging Face Hub and cached. No code from the model "
        "repository is run."
    )
    return backbone
