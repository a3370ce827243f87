"""The pipeline of a recipe as boxes and arrows."""

from dataclasses import replace
from itertools import pairwise

import pytest

from workbench.plots.recipe_diagram import _HALF, diagram_table, recipe_diagram
from workbench.plots.template import LIGHT, alt_text, takeaway_of
from workbench.recipes import RECIPES, settle


def settled(name):
    return settle(name, backbone="mini-mlm")


def boxes(drawn):
    """(column, top, low, colour) of each box."""
    return [
        (round((trace.x[0] + trace.x[1]) / 2), min(trace.y), max(trace.y), trace.line.color) for trace in drawn.data
    ]


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.pretrains])
def test_every_recipe_has_a_box_for_each_view_and_each_term_and_none_overlap(name):
    config = settled(name)
    drawn = recipe_diagram(config)
    views = {view for term in config.terms for view in [*term.views.values(), *term.more.values()]}
    found = boxes(drawn)
    counts = [sum(column == number for column, *_ in found) for number in range(5)]
    assert counts == [len({view.role for view in views}), len(views), 1, 1, len(config.terms)]
    table = diagram_table(config)
    assert len(table[["texts", "view"]].drop_duplicates()) == counts[1] and table["term"].nunique() == counts[4]
    assert len(table) == sum(len(term.views) + len(term.more) for term in config.terms)
    for number in range(5):
        column = sorted((top, low) for where, top, low, _ in found if where == number)
        assert all(low <= top for (_, low), (top, _) in pairwise(column))
    top, low = drawn.layout.yaxis.range[1], drawn.layout.yaxis.range[0]
    assert all(top <= box[1] and box[2] <= low for box in found)


def test_arrows_lead_from_each_view_through_the_encoder_to_its_terms():
    drawn = recipe_diagram(settled("arccse"))
    arrows = [one for one in drawn.layout.annotations if one.showarrow]
    steps = [round(one.ax + _HALF - 0.5) for one in arrows]
    assert [steps.count(column) for column in range(4)] == [5, 5, 5, 2 + 3]  # no dropout: three views of their own
    assert "ArcCon + 0.1 × ArcCSE triplet" in takeaway_of(drawn) and "as 5 views" in alt_text(drawn)


def test_a_reversed_gradient_is_named_and_has_a_colour_of_its_own():
    drawn = recipe_diagram(settled("augcse"))
    assert any("gradient" in str(one.text) and "reversed" in str(one.text) for one in drawn.layout.annotations)
    assert [box[3] for box in boxes(drawn) if box[0] == 4] == [LIGHT.positive, LIGHT.negative]


def test_a_head_dropout_and_turns_are_written_in_the_boxes():
    config = settled("consert_unsup")
    config = replace(config, model=replace(config.model, head="mlp"))
    words = " ".join(str(one.text).replace("<br>", " ") for one in recipe_diagram(config).layout.annotations)
    assert "Dense layer and tanh, dropped after training" in words and "no dropout" in words
    assert "feature cutoff on the embeddings" in words
    config = settled("una")
    words = " ".join(str(one.text).replace("<br>", " ") for one in recipe_diagram(config).layout.annotations)
    every = config.terms[0].every
    assert f"1 in {every} steps" in words and f"{every - 1} in {every} steps" in words
