"""A table of differences, turned towards one of its methods."""

import pandas as pd

from workbench.statistics.against import against


def test_a_difference_that_is_turned_round_swaps_the_ends_of_its_interval():
    table = pd.DataFrame(
        [
            {"first": "a", "second": "b", "delta": 1.0, "low": 0.5, "high": 2.0, "p_holm": 0.01, "verdict": "better"},
            {"first": "b", "second": "c", "delta": -3.0, "low": -4.0, "high": 1.5, "p_holm": 0.4, "verdict": "tie"},
            {"first": "a", "second": "c", "delta": -9.0, "low": -9.5, "high": -8.0, "p_holm": 0.02, "verdict": "worse"},
        ]
    )
    turned = against(table, "b")
    assert list(turned) == ["method", "delta", "low", "high", "p_holm", "verdict"]
    assert turned.to_dict("records") == [
        {"method": "a", "delta": -1.0, "low": -2.0, "high": -0.5, "p_holm": 0.01, "verdict": "worse"},
        {"method": "c", "delta": -3.0, "low": -4.0, "high": 1.5, "p_holm": 0.4, "verdict": "tie"},
    ]
    last = against(table, "c").set_index("method")
    assert last.loc["a", ["delta", "low", "high", "verdict"]].tolist() == [9.0, 8.0, 9.5, "better"]
