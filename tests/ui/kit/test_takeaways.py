"""Sentences over figures: they say what the numbers say, and no more."""

import math

import pytest

from workbench.plots.takeaway import opened
from workbench.ui.kit.takeaways import ranking


@pytest.mark.parametrize(
    ("before", "after", "sure", "said"),
    [
        (0.5070, 0.5175, False, "Spearman rose from 50.70 to 51.75."),
        (0.5070, 0.5070, False, "Spearman stayed at 50.70."),
        (0.6, 0.5, True, "The ranking got worse: Spearman fell from 60.00 to 50.00."),
    ],
)
def test_better_or_worse_needs_an_interval(before, after, sure, said):
    assert ranking(before, after, sure=sure) == said


def test_a_change_too_small_to_display_is_no_change():
    assert ranking(0.630051, 0.630140) == "Spearman stayed at 63.01."
    assert ranking(0.63, math.nan) == "Spearman was not measured at both ends (from 63.00 to –)."
    assert opened(0.03, 0.0) == "There is no cone: the mean cosine of random pairs is 0.00."
    assert "not measured at both ends" in opened(0.3, math.nan)
    assert "narrowed" in opened(0.03, 0.3)
