"""The Train page with each recipe."""

import pytest

from tests.pages.trial import open_page, words_of
from workbench.recipes import RECIPES

SECOND_STAGES = {"consert_joint_unsup", "consert_sup_unsup"}
NEAR_COPIES = {"consert_joint", "consert_joint_adversarial"}
"""Of whose demo texts many nearly repeat another one of their batch, which has to be accepted."""
GUIDED = {"dclr"}
"""Whose guide is a frozen copy of the default backbone, which is raw: that has to be accepted, or another guide named."""
DEMO = {"pairs": "demo:paraphrases", "triplets": "demo:triplets", "documents": "demo:documents"}
DEMO |= {"scored_pairs": "demo:scored", "labelled_pairs": "demo:labelled"}


def address_of(name, runs):
    """What the address says where a recipe has the texts that it needs."""
    needs = RECIPES[name].needs
    if needs == "articles":
        file = runs.corpora / "wiki.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"Article {number} has <b>words</b>.\n\n" for number in range(2000)))
        return {"recipe": name, "files": str(file)}
    return {"recipe": name, **({"demo": DEMO[needs]} if needs in DEMO else {})}


def start(app):
    return next(button for button in app.button if button.label == "Start training")


def lacks(app):
    return any(" needs " in error.value for error in app.error)


def says_where_it_comes_from(app, recipe):
    """With its terms and what it needs."""
    said = words_of(app)
    assert f"It needs {recipe.needs.replace('_', ' ')}" in said
    assert ("Published on" in said) == bool(recipe.published)
    assert ("The language model" in [one.value for one in app.header]) == recipe.pretrains
    assert (f"Term {len(recipe.terms)} of {len(recipe.terms)}" in said) == (len(recipe.terms) > 1)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_can_be_chosen_and_says_what_it_lacks(name, runs, answers):
    needs = RECIPES[name].needs
    app = open_page("train", recipe=name)
    assert not app.exception
    if needs == "articles":
        assert "No corpus yet" in words_of(app)
        app = open_page("train", **address_of(name, runs))
        assert not app.exception and not lacks(app) and not start(app).disabled
        says_where_it_comes_from(app, RECIPES[name])
        assert "2,000" in words_of(app)
        return
    says_where_it_comes_from(app, RECIPES[name])
    second = any("is a second stage" in warning.value for warning in app.warning)
    assert second == (name in SECOND_STAGES) and lacks(app) == (needs not in ("sentences", *DEMO))
    asked = any("near copy beside them" in warning.value for warning in app.warning)
    assert asked == (name in NEAR_COPIES) and start(app).disabled == (lacks(app) or second or asked or name in GUIDED)
    assert any("is guided by a model that was trained before" in warning.value for warning in app.warning) == (
        name in GUIDED
    )
    if needs in DEMO:
        assert DEMO[needs] in words_of(app)
        app = open_page("train", recipe=name, demo="demo")
        assert not app.exception and lacks(app) and start(app).disabled
