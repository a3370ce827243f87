"""Differences from one target, with intervals that an independent bootstrap confirms."""

import numpy as np

from workbench.ui.compare.against import differences


def test_differences_and_their_signs():
    rng = np.random.default_rng(0)
    gold = rng.uniform(0, 5, 300)
    cosines = {"raw": gold + rng.normal(0, 3, 300), "good": gold + rng.normal(0, 1, 300), "same": None}
    cosines["same"] = cosines["raw"] * 2 - 1
    table = differences(cosines, gold, "raw").set_index("target")
    ranks = {
        name: np.corrcoef(own.argsort().argsort(), gold.argsort().argsort())[0, 1] for name, own in cosines.items()
    }
    assert np.isclose(table.delta["good"], ranks["good"] - ranks["raw"]) and table.delta["same"] == 0
    assert 0 < table.low["good"] < table.delta["good"] < table.high["good"] and table.p["good"] < 0.01
    assert table.p["same"] == 1 and list(table.index) == ["good", "same"]
    turned = differences(cosines, gold, "good").set_index("target")
    assert np.isclose(turned.delta["raw"], -table.delta["good"]) and turned.high["raw"] < 0
