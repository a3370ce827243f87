from itertools import pairwise

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.statistics.against import against
from workbench.statistics.bootstrap import FEW_PAIRS, holm, paired_difference
from workbench.statistics.correlation import spearman
from workbench.statistics.detectable import smallest_detectable
from workbench.statistics.methods import Method, _tail, compare_by_group, compare_methods, needed_for
from workbench.statistics.pairs_and_seeds import (
    Parts,
    difference_of,
    difference_over_seeds,
    mean_over_seeds,
    resampled_rhos,
)

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def gold():
    return np.random.default_rng(0).uniform(0, 5, 400)


def trainings(gold, noise, number, seeds=SEEDS):
    rng = np.random.default_rng(number)
    shared = rng.normal(size=len(gold))
    return [gold + noise * (shared + 0.5 * rng.normal(size=len(gold))) for _ in seeds]


@pytest.fixture(scope="module")
def methods(gold):
    return [
        Method("good", trainings(gold, 1.0, 1), SEEDS),
        Method("as good", trainings(gold, 1.0, 2), SEEDS[::-1]),
        Method("bad", trainings(gold, 4.0, 3), SEEDS),
        Method("raw", trainings(gold, 3.0, 4, (0,))),
    ]


def between(compared, first, second):
    """The difference of two methods, in the order in which they were given."""
    (versus,) = (each for each in compared.versus if (each.first, each.second) == (first, second))
    return versus


@pytest.fixture(scope="module")
def compared(methods, gold):
    return compare_methods(methods, gold, resamples=300)


def test_a_mean_is_that_of_the_seeds_with_its_interval_over_seeds_and_pairs(methods, compared, gold):
    row = compared.means.iloc[0]
    rhos = [spearman(cosine, gold) for cosine in methods[0].cosines]
    assert row["rhos"] == pytest.approx(rhos) and row["seeds"] == 3
    assert (row["mean"], row["sd"]) == pytest.approx((np.mean(rhos), np.std(rhos, ddof=1)))
    mean = mean_over_seeds([resampled_rhos(cosine, gold, resamples=300) for cosine in methods[0].cosines])
    assert (row["low"], row["high"]) == pytest.approx((mean.low, mean.high))
    assert (row["seed_error"] ** 2, row["pair_error"] ** 2) == pytest.approx((mean.of_seeds, mean.of_pairs))
    assert compared.pairs == 400


def test_seeds_are_paired_by_their_numbers_in_whatever_order(methods, compared, gold):
    rows = [[resampled_rhos(cosine, gold, resamples=300) for cosine in method.cosines] for method in methods[:2]]
    versus = between(compared, "good", "as good")
    assert versus.paired
    assert versus.difference == pytest.approx(difference_over_seeds(rows[0], rows[1][::-1], paired=True))


def test_two_seeds_are_paired_and_a_single_one_is_not(methods, gold):
    for count in (1, 2):
        few = [Method(own.name, own.cosines[:count], SEEDS[:count]) for own in methods[:2]]
        rows = [[resampled_rhos(cosine, gold, resamples=50) for cosine in own.cosines] for own in few]
        (versus,) = compare_methods(few, gold, resamples=50).versus
        assert versus.paired == (count > 1)
        assert versus.difference == pytest.approx(difference_over_seeds(*rows, paired=count > 1))


def test_an_encoder_that_was_not_trained_adds_no_spread_over_seeds(compared):
    versus = between(compared, "good", "raw")
    assert not versus.paired and len(versus.parts.of_seeds) == 1


def test_p_is_adjusted_for_all_pairs_and_ties_are_named(compared):
    raw = [versus.difference.p for versus in compared.versus]
    assert [versus.p for versus in compared.versus] == pytest.approx(holm(raw))
    assert len(compared.versus) == 6
    assert between(compared, "good", "bad").verdict == "worse"
    assert against(compared.table, "bad").set_index("method").loc["good", "verdict"] == "better"
    assert between(compared, "good", "as good").verdict == "tie"


def test_what_could_have_been_detected_follows_from_the_errors_and_not_from_the_difference(compared):
    versus = between(compared, "good", "as good")
    assert versus.detectable > 1.96 * versus.parts.error
    assert versus.tests == 6 and versus.detectable == pytest.approx(
        smallest_detectable(versus.parts.largest_error, versus.parts.freedom, alpha=0.05 / 6)
    )
    needed = needed_for(compared.table.iloc[0], 400, versus.detectable * 1.01)
    assert needed.pairs is not None and needed.pairs <= 400
    assert needed.seeds is not None and needed.seeds <= 3


def test_what_is_said_to_be_detectable_is_found_among_several():
    """Ten comparisons, one of them of a difference of that size; of the size that one comparison finds, .4 were found."""
    rng = np.random.default_rng(3)
    noise = [*[0.9] * 4, 3.1]
    found, sizes = [], []
    for trial in range(60):
        gold, shared = rng.normal(size=150), rng.normal(size=150)
        several = [Method(str(at), [gold + shared + wide * rng.normal(size=150)]) for at, wide in enumerate(noise)]
        versus = between(compare_methods(several, gold, resamples=300, seed=trial), "0", "4")
        found.append(versus.verdict == "worse")
        sizes.append((-versus.difference.delta, versus.detectable))
    true, detectable = np.mean(sizes, axis=0)
    assert true == pytest.approx(detectable, rel=0.03)
    assert np.mean(found) > 0.64  # .8 less three standard errors of 60 trials


def test_of_twelve_single_trainings_a_clear_difference_survives_the_adjustment(gold):
    """66 comparisons: 2 / 301, the least p of 300 resamples, would become .44."""
    several = [Method(str(number), trainings(gold, 1.0 if number else 8.0, number, (0,))) for number in range(12)]
    compared = compare_methods(several, gold, resamples=300)
    assert between(compared, "0", "1").verdict == "better"
    one = paired_difference(several[1].cosines[0], several[2].cosines[0], gold, resamples=300)
    assert between(compared, "1", "2").difference == pytest.approx(one)


def test_a_method_needs_a_name_of_its_own(gold, methods):
    with pytest.raises(BadData, match="compared by name"):
        compare_methods([methods[0], methods[0]], gold)


def test_the_same_cosines_do_not_differ(gold, methods):
    twice = [methods[3], Method("again", methods[3].cosines)]
    (versus,) = compare_methods(twice, gold, resamples=200).versus
    assert (versus.difference.delta, versus.p, versus.verdict) == (0.0, 1.0, "tie")


def test_among_equals_false_differences_from_the_best_are_as_rare_as_promised():
    """Eight equally good encoders: without adjusting for the choice, twice as often one would be called worse."""
    rng = np.random.default_rng(7)
    wrong = 0
    for trial in range(60):
        gold = rng.normal(size=120)
        equals = [Method(str(number), [gold + rng.normal(size=120)]) for number in range(8)]
        compared = compare_methods(equals, gold, resamples=300, seed=trial)
        best = compared.means.loc[compared.means["mean"].idxmax(), "name"]
        wrong += (against(compared.table, best)["verdict"] != "tie").any()
    assert wrong <= 8  # of 60; more than eight have a chance of .3 % at 5 %


def test_within_groups_each_is_compared_by_itself_and_p_adjusted_for_all_of_them(gold, methods):
    parts = {"first": np.arange(200), "second": np.arange(200, 400)}

    def of(rows):
        return [Method(own.name, [each[rows] for each in own.cosines], own.seeds) for own in methods[:3]]

    means, differences = compare_by_group({name: (of(rows), gold[rows]) for name, rows in parts.items()}, resamples=200)
    assert list(means["n"]) == [200] * 6 and list(differences["group"]) == ["first"] * 3 + ["second"] * 3
    alone = compare_methods(of(parts["second"]), gold[parts["second"]], resamples=200)
    second = differences[differences["group"] == "second"]
    for column in ("delta", "low", "high", "p"):
        assert list(second[column]) == list(alone.table[column])
    assert set(differences["tests"]) == {6} and set(alone.table["tests"]) == {3}
    assert (second["detectable"].to_numpy() > alone.table["detectable"].to_numpy()).all()
    assert list(differences["p_holm"]) == pytest.approx(holm(list(differences["p"])))
    assert [row.verdict == "tie" for row in differences.itertuples()] == [
        row.p_holm > 0.05 for row in differences.itertuples()
    ]
    with pytest.raises(BadData, match="needs groups"):
        compare_by_group({})


@pytest.mark.parametrize("n", [2, 3, 4, 6, 9, 10, 20, 60])
def test_the_verdict_is_the_same_whichever_is_named_first(n):
    """Also where many resamples have a difference of exactly 0."""
    golds = np.arange(float(n))
    rng = np.random.default_rng(n)
    for first, second in (
        (golds, -golds),
        (golds, rng.permutation(golds)),
        (golds + rng.normal(size=n), golds + rng.normal(size=n)),
    ):
        one, other = Method("one", [first]), Method("other", [second])
        (there,) = compare_methods([one, other], golds, resamples=500).versus
        (back,) = compare_methods([other, one], golds, resamples=500).versus
        assert there.p == pytest.approx(back.p) and there.difference.delta == pytest.approx(-back.difference.delta)
        assert {there.verdict, back.verdict} in ({"tie"}, {"better", "worse"})
        assert n >= FEW_PAIRS or there.p == 1.0


def test_more_evidence_never_has_a_larger_p():
    """Of 2,000 resamples 0, 1, 2, ... lie on the other side: p rises with them, whatever the spread is."""
    for wide in (0.5, 1.0, 3.0):
        found = []
        for other in range(40):
            deltas = np.linspace(2.0, 4.0, 2000) * wide
            deltas[:other] = -0.01
            parts = Parts(3.0 * wide, float(deltas.var(ddof=1)), (), deltas)
            found.append(_tail(difference_of(parts).p, parts))
        assert all(one <= two + 1e-12 for one, two in pairwise(found)), found
        assert found[30] == pytest.approx(2 * 31 / 2001) and found[0] < 1e-4
