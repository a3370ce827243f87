"""The sources of a recipe, and the user's own recipes: save, export, import."""

import tempfile
from pathlib import Path

import streamlit as st

from workbench import api
from workbench.core.config import RunConfig
from workbench.recipes import RECIPES, Recipe
from workbench.recipes.fits import NEEDS
from workbench.recipes.load import to_toml
from workbench.ui.kit.address import replace_choice
from workbench.ui.kit.notices import attempt, quiet
from workbench.ui.kit.words import coded, html, join_names, label_of
from workbench.ui.targets.names import BETWEEN, target_name

_BERT = ("bert-base", "roberta-base")


def recipe_card(recipe: Recipe, config: RunConfig) -> None:
    """What a recipe needs, the published scores, and which values are our choice."""
    quiet(f"It needs {needs_words(recipe)}.")
    if note := rate_note(recipe, config):
        quiet(note)
    with st.expander("Sources of this recipe: paper, published scores, our choices"):
        card = f"<p>{coded(recipe.citation)}</p>"
        if recipe.notes:
            card += "<ul>" + "".join(f"<li>{coded(note)}</li>" for note in recipe.notes) + "</ul>"
        if recipe.published:
            rows = "".join(
                f'<tr><td class="words">{html(row.where)}</td><td>{row.score:.2f}</td>'
                f'<td class="words">{html(row.source)}</td></tr>'
                for row in recipe.published
            )
            card += (
                '<div class="sheet"><table><tr><th class="words">Published on</th><th>score</th>'
                f'<th class="words">where</th></tr>{rows}</table></div>'
            )
        else:
            card += '<p class="quiet">No published scores are known for it.</p>'
        ours = sorted({label_of(dotted.rsplit(".", 1)[-1]).lower() for dotted in _ours(config)})
        rest = (
            f"Not set by the recipe but by the app or the backbone's card: {join_names(ours, 20)}."
            if ours
            else "The recipe sets all of these values."
        )
        st.html(f'{card}<p class="quiet">{coded(rest)}</p>')


def needs_words(recipe: Recipe) -> str:
    """What a recipe needs of a corpus, in words.

    >>> needs_words(RECIPES["simcse_unsup"]), needs_words(RECIPES["simcse_sup"])
    ('sentences', 'triplets (columns text, positive, negative)')
    """
    if recipe.pretrains:
        return "articles (text files with one paragraph per line and an empty line between articles)"
    need, columns = recipe.needs.replace("_", " "), NEEDS[recipe.needs]
    return need if len(columns) == 1 else f"{need} (columns {', '.join(columns)})"


def rate_note(recipe: Recipe, config: RunConfig) -> str:
    """A note that published learning rates are for BERT-base, if the backbone is another; empty otherwise."""
    own = recipe.official.get("training", {}).get("learning_rate", recipe.training.get("learning_rate"))
    backbone = config.model.backbone.lower()
    if own is None or recipe.pretrains or any(name in backbone for name in _BERT):
        return ""
    rate = config.training.learning_rate
    here = f"{own:g}, which is used" if rate == own else f"{own:g}; here it is {rate:g}, {_whose(config)}"
    shown = target_name(config.after or config.model.backbone).partition(BETWEEN)[0]
    return (
        f"Recipe learning rates are for BERT-base and its number of steps. This recipe's is {here}. "
        f"For {shown}, try several and choose on a development set."
    )


def _whose(config: RunConfig) -> str:
    words = {"user": "which you set", "backbone": "which suits this backbone's size", "recipe": "the recipe's"}
    return words.get(config.origins.get("training.learning_rate", ""), "a default")


def _ours(config: RunConfig) -> list[str]:
    """Settings of losses and training that affect the result and that no paper specifies."""
    decisive = ("learning_rate", "warmup", "schedule", "weight_decay", "dropout", "batch_size", "max_length", "steps")
    return [
        dotted
        for dotted, origin in config.origins.items()
        if origin in ("default", "backbone")
        and not dotted.endswith(".kinds")
        and not (config.pretrains and dotted == "training.max_length")
        and (".settings." in dotted or dotted in [f"training.{name}" for name in decisive])
    ]


def show_user_recipes(config: RunConfig) -> None:
    """Save the form as a recipe, export any recipe as a file, import one, remove one of your own."""
    own = st.expander("Your own recipes", key="own.open", on_change="rerun")
    if not own.open:
        return
    with own:
        keep, share = st.columns(2, gap="large")
        with keep:
            _keep(config)
        with share:
            _share(config)


def _keep(config: RunConfig) -> None:
    quiet("Saves the losses, views and everything set by you or the recipe, but not backbone, corpus and seed.")
    name = st.text_input("Id", key="own.id", placeholder="lowercase_letters_and_digits", max_chars=60)
    title = st.text_input("Title", key="own.title", placeholder="as shown in the list", max_chars=80)
    overwrite = st.toggle("Replace an existing recipe", key="own.overwrite")
    if st.button("Save as a recipe", key="own.keep", disabled=not name) and attempt(
        lambda: api.save_recipe(config, name.strip(), title=title.strip(), overwrite=overwrite), "The recipe was saved."
    ):
        replace_choice("recipe", name.strip())
        st.rerun()


def _share(config: RunConfig) -> None:
    everything = api.recipes()
    if config.recipe in everything:
        st.download_button(
            "Download the chosen recipe (TOML)",
            to_toml(everything[config.recipe]),
            file_name=f"{config.recipe}.toml",
            mime="application/toml",
            key="own.export",
            on_click="ignore",
        )
    file = st.file_uploader("A recipe file (.toml)", type=["toml"], key="own.import", max_upload_size=1)
    if file is not None and st.button("Import it", key="own.bring"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recipe.toml"
            path.write_bytes(file.getvalue())
            if attempt(lambda: api.import_recipe(path), "The recipe was added to the list."):
                st.rerun()
    if config.recipe in everything and config.recipe not in RECIPES:
        _remove(config.recipe)


def _remove(recipe: str) -> None:
    """Deletion of a user's recipe, confirmed by typing its id."""
    typed = st.text_input(
        "Type the recipe's id to delete it permanently", key=f"own.typed.{recipe}", placeholder=recipe
    )
    if st.button("Delete this recipe", key="own.remove", disabled=typed.strip() != recipe) and attempt(
        lambda: api.delete_recipe(recipe), f"{recipe} was deleted."
    ):
        replace_choice("recipe")
        st.rerun()
