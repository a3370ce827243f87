"""Sentences over figures: they say what the numbers say, and no more."""

import pandas as pd
import pytest

from workbench.ui.judging import _point
from workbench.ui.takeaways import path, ranking


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


def probes(*places):
    return pd.DataFrame(places, columns=["uniformity", "alignment"])


def test_what_is_equal_as_shown_did_not_move():
    assert path(probes((-1.651, 0.27), (-1.652, 0.271))) == "Nothing moved: uniformity −1.65, alignment 0.27."
    assert "as evenly as at step 0" in path(probes((-1.651, 0.27), (-1.652, 0.35)))
    assert "more evenly than at step 0" in path(probes((-1.65, 0.27), (-2.5, 0.27))) and "as close" in path(
        probes((-1.65, 0.27), (-2.5, 0.27))
    )


def test_equal_shares_are_a_tie():
    shares = pd.DataFrame(
        {"pipeline": ["a", "b"], "same": [0.5, 0.5], "same_low": 0.2, "same_high": 0.8, "cosine": 0.9}
    )
    assert _point(shares, {"a": "Swap words", "b": "Typing errors"}) == (
        "All 2 kept the meaning equally often, in 50 % of their pairs."
    )
