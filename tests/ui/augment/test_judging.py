"""Sentences over figures: they say what the numbers say, and no more."""

import pandas as pd

from workbench.ui.augment.judging import _point


def test_equal_shares_are_a_tie():
    shares = pd.DataFrame(
        {"pipeline": ["a", "b"], "same": [0.5, 0.5], "same_low": 0.2, "same_high": 0.8, "cosine": 0.9}
    )
    assert _point(shares, {"a": "Swap words", "b": "Typing errors"}) == (
        "All 2 preserved the meaning equally often, in 50 % of their pairs."
    )
