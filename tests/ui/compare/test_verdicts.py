"""Verdicts on methods, from the answer of the verb."""

from dataclasses import replace

import numpy as np
import pandas
import pytest

from workbench.statistics.against import against
from workbench.statistics.bootstrap import holm
from workbench.statistics.methods import Method, compare_methods
from workbench.ui.compare import by_group, scores, verdicts
from workbench.ui.compare.scores import method_rows
from workbench.ui.compare.verdicts import leakage, ties_with_the_best
from workbench.verbs.compare_methods import ComparedMethods


@pytest.fixture(scope="module")
def answer():
    rng = np.random.default_rng(0)
    gold = rng.uniform(0, 5, 300)

    def trainings(noise):
        return [gold + noise * rng.normal(size=300) for _ in range(3)]

    methods = [
        Method("good", trainings(1.0), (0, 1, 2)),
        Method("bad", trainings(5.0), (0, 1, 2)),
        Method("raw", [trainings(4.0)[0]]),
    ]
    compared = compare_methods(methods, gold, resamples=200)
    means = compared.means.rename(columns={"name": "method"})
    trained = pandas.DataFrame(
        [
            {
                **{"method": row.method, "target": f"{row.method}{number}", "seed": number, "spearman": rho},
                **{"sentences_seen": number + 3, "seen_of": 600, "pairs_seen": number, "gold_seen": 0},
            }
            for row in means.itertuples()
            for number, rho in enumerate(row.rhos)
        ]
    )
    trained.loc[trained["method"] == "raw", ["sentences_seen", "seen_of", "pairs_seen", "gold_seen"]] = np.nan
    return ComparedMethods(means.assign(trained=[True, True, False]), trained, compared.table, "demo:dev", 300, [])


def test_the_baseline_is_subtracted_whichever_way_the_difference_was_taken(answer):
    rows = against(answer.differences, "bad").set_index("method")
    assert list(rows.index) == ["good", "raw"]
    means = answer.methods.set_index("method")["mean"]
    assert rows.loc["good", "delta"] == pytest.approx(means["good"] - means["bad"])
    assert rows.loc["good", "low"] < rows.loc["good", "delta"] < rows.loc["good", "high"]
    assert rows.loc["good", "verdict"] == "better"
    turned = against(answer.differences, "good").set_index("method")
    assert turned.loc["bad", "delta"] == -rows.loc["good", "delta"] and turned.loc["bad", "verdict"] == "worse"
    assert turned.loc["bad", "low"] == -rows.loc["good", "high"]


def test_a_pair_has_one_verdict_whatever_it_is_shown_beside(answer):
    """Each is adjusted for every two methods, not for the rows of one table."""
    table = answer.differences.set_index(["first", "second"])
    rows = against(answer.differences, "raw").set_index("method")
    for method in ("good", "bad"):
        assert rows.loc[method, "p_holm"] == table.loc[(method, "raw"), "p_holm"]
        assert rows.loc[method, "p_holm"] >= rows.loc[method, "p"] == table.loc[(method, "raw"), "p"]
    assert list(table["p_holm"]) == pytest.approx(holm(list(table["p"])))


def test_ties_with_the_best_are_methods_that_no_test_tells_from_it(answer):
    names = ["good", "bad", "raw"]
    assert ties_with_the_best(answer, names) == []
    alike = answer.differences.assign(verdict="tie")
    every = ComparedMethods(answer.methods, answer.trainings, alike, answer.pairs, answer.n, [])
    assert ties_with_the_best(every, names) == ["bad", "raw"]
    assert ties_with_the_best(every, ["bad", "raw"]) in (["bad"], ["raw"]), (
        "a baseline that was not chosen is none of them"
    )


def test_a_method_of_several_trainings_is_one_row_with_the_deviation_over_seeds(answer):
    scores = answer.trainings.assign(alignment=0.1, uniformity=[-1.0, -2.0, -3.0] * 2 + [-2.0], mean_cosine=0.2)
    scores = scores.assign(low=0.0, high=1.0)
    groups = {name: list(own["target"]) for name, own in scores.groupby("method", sort=False)}
    rows = method_rows(scores, groups, answer).set_index("target")
    good = scores[scores["method"] == "good"]["spearman"]
    assert rows.loc["good0", "spearman"] == pytest.approx(good.mean())
    assert rows.loc["good0", "sd"] == pytest.approx(good.std(ddof=1))
    assert rows.loc["good0", "uniformity"] == -2
    known = answer.methods.set_index("method")
    assert rows.loc["good0", "low"] == known.loc["good", "low"]
    assert np.isnan(rows.loc["raw0", "sd"]) and rows.loc["raw0", "high"] == 1, "its own interval over pairs"
    assert np.isnan(method_rows(scores, groups).set_index("target").loc["good0", "low"]), "until it is known"


def test_what_was_seen_in_training_is_that_of_the_training_that_saw_most(answer):
    assert leakage(answer) == dict.fromkeys(("good", "bad"), "5 of 600 texts, 2 of 300 pairs")
    rated = ComparedMethods(
        answer.methods, answer.trainings.assign(gold_seen=7), answer.differences, answer.pairs, answer.n, []
    )
    assert leakage(rated)["good"].endswith("2 of 300 pairs, 7 with their scores")


def test_where_sentences_recur_the_footings_of_scores_and_verdicts_say_so(answer):
    rule = (
        "; sentences recur: 300 pairs form 27 groups, and intervals that treat pairs as independent can be too narrow."
    )
    linked = replace(answer, linked_groups=27)
    assert verdicts._how(linked, "raw").endswith(rule) and "recur" not in verdicts._how(answer, "raw")
    table = pandas.DataFrame([{"n": 300, "sd": np.nan, "linked_groups": 27}])
    assert scores._protocol(table, "demo:dev").endswith(rule)
    assert "recur" not in scores._protocol(table.drop(columns="linked_groups"), "demo:dev"), "an older answer"
    groups = answer.methods.assign(group="headlines", n=300, linked_groups=27)
    within = replace(answer, by="subset", group_means=groups, group_differences=answer.differences)
    assert "300 pairs of headlines form 27 groups" in by_group._how(within, "raw", 3)
