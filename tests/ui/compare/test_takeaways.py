"""Sentences over figures: they say what the numbers say, and no more."""

import math

import pandas as pd
import pytest

from workbench.ui.compare.takeaways import leader, on_plane, suite_leaders

NAMES = {"a": "A", "b": "B", "c": "C"}


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(0.2, -2.0), (0.2, -2.0)], "All 2 are at the same point: alignment 0.20, uniformity −2.00."),
        ([(0.2, -2.0), (0.2, -2.0), (0.3, -1.0)], "A and B are best on both: alignment 0.20, uniformity −2.00."),
        ([(0.2, -2.0), (0.3, -1.0)], "A is best on both: alignment 0.20, uniformity −2.00."),
        ([(0.2, -2.0)], "A: alignment 0.20, uniformity −2.00."),
        (
            [(0.2, -2.0), (0.201, -3.0)],
            "B spreads texts most (uniformity −3.00); A and B keep partners closest (alignment 0.20). "
            "Both low is the goal.",
        ),
    ],
)
def test_nobody_is_best_on_the_plane_next_to_an_equal(places, said):
    table = pd.DataFrame([(name, *place) for name, place in zip("abc", places, strict=False)])
    assert on_plane(table.set_axis(["target", "alignment", "uniformity"], axis=1), NAMES) == said


def ranked(*scores):
    rows = [(name, score, score - 0.1, score + 0.1) for name, score in zip("abc", scores, strict=False)]
    return pd.DataFrame(rows, columns=["target", "spearman", "low", "high"])


def test_only_one_of_several_is_called_best():
    assert leader(ranked(0.5), NAMES, []) == "A: Spearman 50.00 (40.0 to 60.0)."
    assert leader(ranked(0.5, math.nan), NAMES, []) == "A: Spearman 50.00 (40.0 to 60.0)."
    assert leader(ranked(math.nan, math.nan), NAMES, []) == "These pairs cannot rank the targets."
    assert leader(ranked(0.5, 0.5), NAMES, ["b"]) == "No single best: A and B share Spearman 50.00."
    assert leader(ranked(0.5, 0.5, 0.4), NAMES, ["b"]).endswith("All others score lower on these pairs.")
    assert leader(ranked(0.50001, 0.5), NAMES, ["b"]) == "No single best: A and B share Spearman 50.00."
    assert leader(ranked(0.50001, 0.5), NAMES, None) == "No single best: A and B share Spearman 50.00."
    apart = leader(ranked(0.50001, 0.5), NAMES, [])  # as displayed they are equal, but a test tells them apart
    assert apart == "A ranks best: Spearman 50.00 (40.0 to 60.0). All others score lower on these pairs."
    taught = ranked(0.5, 0.4).assign(gold_seen=[200.0, math.nan], n=200, transductive=[True, math.nan])
    assert leader(taught, NAMES, []).endswith("pairs. A was trained on these gold scores, so this is not a test.")
    assert leader(ranked(0.5, 0.4), NAMES, ["b"]).startswith("A ranks best: Spearman 50.00 (40.0 to 60.0). These")


def test_equal_scores_of_a_task_are_shared():
    tasks = ["sts12", "sts13", "stsb"]
    one, other = dict.fromkeys(tasks, 0.5), {"sts12": 0.5, "sts13": 0.4, "stsb": 0.50001}
    assert "name no subsets" in suite_leaders({"A": dict.fromkeys(tasks, math.nan)}, tasks, "Spearman")
    assert suite_leaders({"A": one, "B": one}, tasks, "Spearman") == "The highest Spearman is shared on every task."
    assert suite_leaders({"A": one, "B": other}, tasks, "Spearman") == (
        "A has the highest Spearman on 1 of 3 tasks; on 2 it is shared."
    )
    swapped = {"sts12": 0.6, "sts13": 0.4, "stsb": 0.5}
    assert suite_leaders({"A": one, "B": swapped}, tasks, "Spearman") == (
        "A and B each have the highest Spearman on 1 of 3 tasks; on 1 it is shared."
    )
