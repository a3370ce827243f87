"""ArcCSE's triplet acts: at the margin of the recipes real texts violate it, and the encoder feels it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.objectives.trial import gradients, loop_of, step
from workbench.data.demo import sentences
from workbench.recipes import RECIPES

NAMES = [name for name, recipe in RECIPES.items() if any("masked_more" in term.views for term in recipe.terms)]
TEXTS = [text for _, text in sentences() if len(text.split()) >= 5]


def triplet(name, texts, **changed):
    """The triplet of a recipe alone, after one batch: its loss, and how large its gradient is on the embedded backbone."""
    [term] = [term for term in RECIPES[name].terms if "masked_more" in term.views]
    term = replace(term, weight=1.0, settings={**term.settings, **changed})
    loop = loop_of("mini-mlm", term, columns={"text": texts})
    loss, _ = step(loop, range(len(texts)))
    return float(loss), float(gradients(loop).norm())


def test_two_recipes_have_it():
    assert NAMES == ["arccse", "ntxent_triplet"]


@pytest.mark.parametrize("name", NAMES)
@given(start=st.integers(0, len(TEXTS) - 16))
@settings(max_examples=3, deadline=None)
def test_triplets_are_violated_and_the_gradient_is_not_zero(name, start):
    loss, gradient = triplet(name, TEXTS[start : start + 16])
    assert loss > 0.01 and gradient > 0.01


def test_at_a_margin_of_0_hardly_a_triplet_of_an_encoder_as_it_comes_pulls():
    loss, gradient = triplet(NAMES[0], TEXTS[:64])
    of_order = triplet(NAMES[0], TEXTS[:64], margin=0.0)
    assert of_order[0] < 0.01 * loss and of_order[1] < 0.1 * gradient
