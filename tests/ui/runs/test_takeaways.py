"""Sentences over figures: they say what the numbers say, and no more."""

import pandas as pd

from workbench.ui.runs.takeaways import path


def probes(*places):
    return pd.DataFrame(places, columns=["uniformity", "alignment"]).assign(step=range(len(places)))


def test_values_displayed_as_equal_did_not_move():
    assert path(probes((-1.651, 0.27), (-1.652, 0.271))) == "Nothing moved: uniformity −1.65, alignment 0.27."
    assert "as evenly as at step 0" in path(probes((-1.651, 0.27), (-1.652, 0.35)))
    assert "more evenly than at step 0" in path(probes((-1.65, 0.27), (-2.5, 0.27))) and "as close" in path(
        probes((-1.65, 0.27), (-2.5, 0.27))
    )
