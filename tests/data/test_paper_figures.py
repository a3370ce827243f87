"""What is published of the papers' figures."""

import pytest

from workbench.data.paper_figures import paper_figures, published_curve
from workbench.models.frequency import EDGES

CURVES = {entry.id: entry for entry in paper_figures() if entry.curve}


@pytest.mark.parametrize("entry", CURVES.values(), ids=list(CURVES))
def test_a_curve_names_its_source_and_has_points_or_a_best_setting(entry):
    curve = entry.curve
    assert entry.source in curve.label
    assert bool(curve.values) != (curve.best is not None)
    assert all(len(values) == len(curve.x) for values in curve.values.values())


def test_points_are_those_of_the_printed_table():
    curve = CURVES["consert_batch"].curve
    printed = [(f"{x:g}", f"{y:.2f}") for x, y in zip(curve.x, curve.values["spearman"], strict=True)]
    assert printed == [row[:2] for row in CURVES["consert_batch"].published]
    norms = CURVES["frequency_table"].curve.values["norm"]
    assert [f"{norm:.2f}" for norm in (norms[0], norms[-1])] == [row[1] for row in CURVES["frequency_table"].published]


def test_the_texts_of_the_published_batch_sizes_are_those_of_their_steps():
    """They are not equally many, as the note says: 16 x 6,175 with the smallest batches, 288 x 620 with the largest."""
    entry = CURVES["consert_batch"]
    texts = [int(row[0]) * int(row[2].replace(",", "")) for row in entry.published]
    assert texts == sorted(texts) and f"grows from {texts[0]:,} to {texts[-1]:,}" in entry.note


def test_the_published_bins_are_those_that_are_measured():
    curve = CURVES["frequency_table"].curve
    assert curve.x == EDGES[:-1]
    assert set(curve.values) == {"norm", *(f"{name}_{k}" for name in ("distance", "product") for k in (3, 5, 7))}


def test_nothing_is_made_up_where_nothing_is_printed():
    assert published_curve("arccse", "terms.0.settings.rate") is None
    assert published_curve("una", "training.batch_size") is None
    assert published_curve("simcse_unsup", "training.batch_size") is None
    assert published_curve("arccse", "terms.0.settings.margin_deg").best == 10


def test_the_curves_of_one_recipe_are_told_apart_by_their_setting():
    by_beta, by_step, by_radius = (
        published_curve("una", axis) for axis in ("una_negative.beta", "terms.0.every", "una_negative.radius")
    )
    for curve, at in ((by_beta, 0.5), (by_step, 5), (by_radius, 4000)):
        assert dict(zip(curve.x, curve.values["spearman"], strict=True))[at] == 82.35, "the paper's own setting"
    printed = {float(row[1]) for row in CURVES["una_settings"].published}
    assert {value for curve in (by_beta, by_step, by_radius) for value in curve.values["spearman"]} <= printed
    assert published_curve("arccse", "terms.0.settings.temperature").best == 0.05
    assert published_curve("arccse", "terms.1.weight").best == 0.1


def test_every_figure_says_what_of_it_is_known():
    for entry in paper_figures():
        assert entry.known or entry.published
        assert ("no numbers" in entry.known) == (not entry.published and not entry.curve)
    assert {len(row) for entry in paper_figures() for row in entry.published} <= {2, 3, 4, 5}
    assert all(len(row) == len(entry.columns) for entry in paper_figures() for row in entry.published)
