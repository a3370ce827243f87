"""Sentences over figures: they say what the numbers say, and no more."""

import math

import numpy as np
import pandas as pd
import pytest

from workbench.plots.takeaway import opened
from workbench.ui.judging import _point
from workbench.ui.takeaways import gold_scatter, leader, on_plane, path, ranking, suite_leaders, worst


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


NAMES = {"a": "A", "b": "B", "c": "C"}


def test_a_change_that_is_not_shown_is_none():
    assert ranking(0.630051, 0.630140) == "Spearman stayed at 63.01."
    assert ranking(0.63, math.nan) == "Spearman was not measured at both ends (from 63.00 to –)."
    assert opened(0.03, 0.0) == "There is no cone: the mean cosine of random pairs is 0.00."
    assert "not measured at both ends" in opened(0.3, math.nan)
    assert "narrowed" in opened(0.03, 0.3)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(0.2, -2.0), (0.2, -2.0)], "All 2 lie at one place: alignment 0.20, uniformity −2.00."),
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
def test_nobody_is_best_on_the_plane_beside_an_equal(places, said):
    table = pd.DataFrame([(name, *place) for name, place in zip("abc", places, strict=False)])
    assert on_plane(table.set_axis(["target", "alignment", "uniformity"], axis=1), NAMES) == said


def ranked(*scores):
    rows = [(name, score, score - 0.1, score + 0.1) for name, score in zip("abc", scores, strict=False)]
    return pd.DataFrame(rows, columns=["target", "spearman", "low", "high"])


def test_best_is_said_of_one_among_several():
    assert leader(ranked(0.5), NAMES, []) == "A: Spearman 50.00 (40.0 to 60.0)."
    assert leader(ranked(0.5, math.nan), NAMES, []) == "A: Spearman 50.00 (40.0 to 60.0)."
    assert leader(ranked(math.nan, math.nan), NAMES, []) == "No ranking can be measured on these pairs."
    assert leader(ranked(0.5, 0.5), NAMES, ["b"]) == "None ranks best alone: A and B have Spearman 50.00."
    assert leader(ranked(0.5, 0.5, 0.4), NAMES, ["b"]).endswith("The others are behind them on these pairs.")
    taught = ranked(0.5, 0.4).assign(gold_seen=[200.0, math.nan], n=200, transductive=[True, math.nan])
    assert leader(taught, NAMES, []).endswith("pairs. A was trained on these gold scores, so this is no test.")
    assert leader(ranked(0.5, 0.4), NAMES, ["b"]).startswith("A ranks best: Spearman 50.00 (40.0 to 60.0). These")


def test_equal_scores_of_a_task_are_shared():
    tasks = ["sts12", "sts13", "stsb"]
    one, other = dict.fromkeys(tasks, 0.5), {"sts12": 0.5, "sts13": 0.4, "stsb": 0.50001}
    assert "names no subsets" in suite_leaders({"A": dict.fromkeys(tasks, math.nan)}, tasks, "Spearman")
    assert suite_leaders({"A": one, "B": one}, tasks, "Spearman") == "On every task the highest Spearman is shared."
    assert suite_leaders({"A": one, "B": other}, tasks, "Spearman") == (
        "A has the highest Spearman on 1 of 3 tasks; on 2 it is shared."
    )
    swapped = {"sts12": 0.6, "sts13": 0.4, "stsb": 0.5}
    assert suite_leaders({"A": one, "B": swapped}, tasks, "Spearman") == (
        "A and B each have the highest Spearman on 1 of 3 tasks; on 1 it is shared."
    )


def test_pairs_of_one_gold_are_taken_together():
    gold = [0.0] * 50 + [1.0] * 50
    table = pd.DataFrame({"gold": gold, "cosine": [*np.linspace(0, 1, 50), *np.linspace(0.5, 1, 50)]})
    assert gold_scatter(table, 0.5) == (
        "The least similar pairs (50 of 100) have a mean cosine of 0.50, the most similar (50) 0.75. "
        "The order is right to Spearman 50.00."
    )
    assert gold_scatter(table.sample(frac=1, random_state=0), 0.5) == gold_scatter(table, 0.5)
    said = gold_scatter(pd.DataFrame({"gold": [3.0] * 4, "cosine": [0.1, 0.9, 0.2, 0.3]}), math.nan)
    assert said.startswith("The gold scores differ too little") and "Spearman" not in said


def test_a_pair_ranked_as_people_do_is_not_too_different():
    assert worst(["as people", "too similar"]) == (
        "Of the 2 worst pairs, 1 is seen as too similar, 0 as too different and 1 as people do."
    )
    assert worst(["too different"]).endswith("0 are seen as too similar and 1 as too different.")
