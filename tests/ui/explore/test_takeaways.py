"""Sentences over figures: they say what the numbers say, and no more."""

import math

import numpy as np
import pandas as pd

from workbench.ui.explore.takeaways import gold_scatter


def test_pairs_with_equal_gold_are_grouped():
    gold = [0.0] * 50 + [1.0] * 50
    table = pd.DataFrame({"gold": gold, "cosine": [*np.linspace(0, 1, 50), *np.linspace(0.5, 1, 50)]})
    assert gold_scatter(table, 0.5) == (
        "The least similar pairs (50 of 100) have a mean cosine of 0.50, the most similar (50) 0.75. Spearman is 50.00."
    )
    assert gold_scatter(table.sample(frac=1, random_state=0), 0.5) == gold_scatter(table, 0.5)
    said = gold_scatter(pd.DataFrame({"gold": [3.0] * 4, "cosine": [0.1, 0.9, 0.2, 0.3]}), math.nan)
    assert said.startswith("The gold scores differ too little") and "Spearman" not in said
