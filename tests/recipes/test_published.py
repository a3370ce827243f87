"""What recipes record of the literature: scores, variants, unpublished values, and substitutes."""

import re

import pytest

from workbench.augmentations.catalogue import pools
from workbench.augmentations.pipeline import parse
from workbench.core.config import Selection
from workbench.core.errors import UnknownName
from workbench.recipes import RECIPES
from workbench.recipes.load import from_toml, to_toml

SHORT = """
id = "short"
title = "Short"
citation = "Nobody."
needs = "sentences"
summary = "Short."
ours = [{ours}]
[[terms]]
loss = "arc_triplet"
settings = {{ margin = 0.0 }}
views.a = {{ draw = 0 }}
"""


@pytest.mark.parametrize("name", RECIPES)
def test_no_two_scores_of_a_recipe_are_for_the_same_set_and_variant(name):
    """A second score on the same set belongs to a variant and names it."""
    said = [(one.set, one.variant) for one in RECIPES[name].published]
    assert len(said) == len(set(said))


def test_a_variant_is_kept_in_a_file_and_left_out_where_there_is_none():
    recipe = RECIPES["arccse"]
    text = to_toml(recipe)
    assert from_toml(text, "a copy") == recipe
    assert text.count("variant = ") == sum(bool(one.variant) for one in recipe.published) == 2
    assert recipe.published[2].where == (
        "STS, mean of 7 tasks, BERT-base, dropout in one of the pair's views, none in the triplet"
    )


def test_ours_names_existing_settings():
    wanted = ("batch_size", "model.pooling", "terms.0.settings.margin", "terms.0.weight", "terms.0.views.a.dropout")
    assert from_toml(SHORT.format(ours=", ".join(f'"{one}"' for one in wanted)), "it").ours == wanted
    for wrong in ("batch", "model.margin", "terms.1.weight", "terms.0.settings.temperature", "terms.0.views.b.dropout"):
        with pytest.raises(UnknownName, match="ours"):
            from_toml(SHORT.format(ours=f'"{wrong}"'), "it")


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if recipe.official])
def test_a_published_setting_says_that_no_pairs_choose_its_step(name):
    assert "pairs" not in RECIPES[name].official.get("selection", {}) and not Selection().pairs
    assert any("in the published setting too, the last step is kept" in note for note in RECIPES[name].notes)


def test_augcse_names_its_pool_and_what_is_missing():
    recipe = RECIPES["augcse"]
    published = set(pools()["augcse_12"])
    here = {step.name for step in parse(recipe.terms[1].views["augmented"].augmentation).all()}
    assert len(here) == 9 and here < published and "terms" not in recipe.official
    assert "offline nine" in recipe.title and "the offline nine of the published twelve" in recipe.summary
    note = next(note for note in recipe.notes if "the offline nine of the twelve" in note)
    assert "--official" in note and published - here == set(re.findall(r"augcse_[a-z_]*[a-z]\w*", note)) - {"augcse_12"}
