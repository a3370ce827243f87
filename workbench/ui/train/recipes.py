"""What a recipe rests on, and recipes of one's own: kept, given away, brought in."""

import tempfile
from pathlib import Path

import streamlit as st

from workbench import api
from workbench.core.config import RunConfig
from workbench.recipes import RECIPES, Recipe
from workbench.recipes.fits import NEEDS
from workbench.recipes.load import to_toml
from workbench.ui.kit.notices import attempt, quiet
from workbench.ui.kit.words import coded, html, join_names, label_of

_BERT = ("bert-base", "roberta-base")


def recipe_card(recipe: Recipe, config: RunConfig) -> None:
    """What it needs, what the literature reports of it, and what is our choice."""
    quiet(f"It needs {needs_words(recipe)}.")
    if said := rate_note(recipe, config):
        quiet(said)
    with st.expander("Where this recipe comes from: paper, published scores, what is our choice"):
        said = f"<p>{coded(recipe.citation)}</p>"
        if recipe.notes:
            said += "<ul>" + "".join(f"<li>{coded(note)}</li>" for note in recipe.notes) + "</ul>"
        if recipe.published:
            rows = "".join(
                f'<tr><td class="words">{html(one.where)}</td><td>{one.score:.2f}</td>'
                f'<td class="words">{html(one.source)}</td></tr>'
                for one in recipe.published
            )
            said += (
                '<div class="sheet"><table><tr><th class="words">Published on</th><th>score</th>'
                f'<th class="words">where</th></tr>{rows}</table></div>'
            )
        else:
            said += '<p class="quiet">No published score is at hand for it.</p>'
        ours = sorted({label_of(dotted.rsplit(".", 1)[-1]).lower() for dotted in _ours(config)})
        rest = (
            f"The recipe says nothing here, and the app or the backbone's card chose: {join_names(ours, 20)}."
            if ours
            else "The recipe settles all of its own values."
        )
        st.html(f'{said}<p class="quiet">{coded(rest)}</p>')


def needs_words(recipe: Recipe) -> str:
    """What a recipe needs of a corpus, in words.

    >>> needs_words(RECIPES["simcse_unsup"]), needs_words(RECIPES["simcse_sup"])
    ('sentences', 'triplets (columns text, positive, negative)')
    """
    if recipe.pretrains:
        return "articles (text files: one paragraph a line, an empty line between articles)"
    need, columns = recipe.needs.replace("_", " "), NEEDS[recipe.needs]
    return need if len(columns) == 1 else f"{need} (columns {', '.join(columns)})"


def rate_note(recipe: Recipe, config: RunConfig) -> str:
    """That recipes' rates belong to BERT-base, where the backbone is another; empty where it is not, or it names none."""
    own = recipe.official.get("training", {}).get("learning_rate", recipe.training.get("learning_rate"))
    backbone = config.model.backbone.lower()
    if own is None or recipe.pretrains or any(name in backbone for name in _BERT):
        return ""
    rate = config.training.learning_rate
    here = f"{own:g} and is used" if rate == own else f"{own:g}; here it is {rate:g}, {_whose(config)}"
    return (
        f"The recipes' learning rates belong to BERT-base and its number of steps. This recipe's is {here}. "
        f"On {Path(config.model.backbone).name} try a few and choose on a development set."
    )


def _whose(config: RunConfig) -> str:
    words = {"user": "which you set", "backbone": "which suits this backbone's size", "recipe": "the recipe's"}
    return words.get(config.origins.get("training.learning_rate", ""), "a default")


def _ours(config: RunConfig) -> list[str]:
    """Values of the loss and of the training that decide about the result and that no paper set."""
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
    """Keep what the form says as a recipe; give any away as a file, bring one in, remove one's own."""
    own = st.expander("Recipes of your own", key="own.open", on_change="rerun")
    if not own.open:
        return
    with own:
        keep, share = st.columns(2, gap="large")
        with keep:
            _keep(config)
        with share:
            _share(config)


def _keep(config: RunConfig) -> None:
    quiet("Keeps the losses, views and everything that you or the recipe set; backbone, corpus and seed stay open.")
    name = st.text_input("Id", key="own.id", placeholder="small_letters_and_digits", max_chars=60)
    title = st.text_input("Title", key="own.title", placeholder="as it will stand in the list", max_chars=80)
    overwrite = st.toggle("Replace one of this id", key="own.overwrite")
    if st.button("Keep as a recipe", key="own.keep", disabled=not name) and attempt(
        lambda: api.save_recipe(config, name.strip(), title=title.strip(), overwrite=overwrite), "The recipe is kept."
    ):
        st.query_params["recipe"] = name.strip()
        st.session_state.pop("recipe", None)
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
    if file is not None and st.button("Bring it in", key="own.bring"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recipe.toml"
            path.write_bytes(file.getvalue())
            if attempt(lambda: api.import_recipe(path), "The recipe is in the list."):
                st.rerun()
    if config.recipe in everything and config.recipe not in RECIPES:
        _remove(config.recipe)


def _remove(recipe: str) -> None:
    """Deletion of one's own recipe, which asks for its id as that of a run does."""
    typed = st.text_input("Type the recipe's id to remove it for good", key=f"own.typed.{recipe}", placeholder=recipe)
    if st.button("Remove this recipe", key="own.remove", disabled=typed.strip() != recipe) and attempt(
        lambda: api.delete_recipe(recipe), f"{recipe} was removed."
    ):
        st.query_params.pop("recipe", None)
        st.session_state.pop("recipe", None)
        st.rerun()
