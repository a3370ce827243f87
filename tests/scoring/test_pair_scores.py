"""What is measured of an encoder on scored pairs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from workbench.data.demo import pairs
from workbench.metrics import uniformity
from workbench.metrics.isoscore import isoscore
from workbench.scoring.pair_scores import Scored, positives


def some(gold):
    known, count = pairs("dev"), len(gold)
    parts = {"first": known.first[:count], "second": known.second[:count], "subsets": known.subsets[:count]}
    return replace(known, name="mine:test", gold=gold, **parts)


def spread(texts):
    return np.random.default_rng(0).normal(size=(len(texts), 4))


def huddled(texts):
    return np.ones((len(texts), 4))


@pytest.mark.parametrize(
    ("encode", "gold", "why"),
    [(spread, [3.0, 3.0, 3.0], "all gold scores are equal"), (huddled, [1.0, 2.0, 3.0], "all cosines are equal")],
)
def test_an_undefined_correlation_is_nan_with_a_reason(encode, gold, why):
    scored = Scored([some(gold)])
    (row,), cosines = scored.tables(encode)
    assert math.isnan(row["spearman"]) and math.isnan(row["low"]) and math.isnan(row["high"])
    assert row["undefined"] == f"Spearman is undefined on mine:test: {why}." and len(cosines) == 3
    assert scored.evaluate(encode)[0]["spearman"] == 0  # a training goes on choosing steps


def test_a_correlation_below_0_beyond_chance_asks_which_way_the_scores_run():
    known = pairs("dev")

    def reversed_(texts):  # the better the pair, the wider the angle
        angles = dict(zip(known.second, known.gold, strict=True))
        return np.array([[math.cos(angles.get(text, 0) / 2), math.sin(angles.get(text, 0) / 2)] for text in texts])

    (row,), _ = Scored([known]).tables(reversed_)
    assert row["high"] < 0 and "demo:dev is negative beyond chance" in row["negative"]
    assert "negative" not in Scored([known]).tables(spread)[0][0]
    few = replace(known, **{name: getattr(known, name)[:9] for name in ("first", "second", "subsets", "gold")})
    (row,), _ = Scored([few]).tables(reversed_)
    assert row["high"] < 0 and "negative" not in row, "nothing is beyond chance in a handful of pairs"


@pytest.mark.parametrize(
    ("scale", "threshold"), [((0, 5), 4.0), ((1, 5), 4.0), ((0, 1), 0.8), ((0, 100), 80.0), ((-1, 1), 0.6)]
)
def test_partners_are_above_four_fifths_of_the_highest_score(scale, threshold):
    mask, found = positives(replace(some([threshold - 0.01, threshold, threshold + 0.01]), scale=scale))
    assert found == pytest.approx(threshold) and mask.tolist() == [False, False, True]


def test_a_defined_correlation_has_no_reason():
    (row,), _ = Scored([some([1.0, 2.0, 3.0, 5.0])]).tables(spread)
    assert "undefined" not in row and row["low"] <= row["spearman"] <= row["high"]


def test_isoscore_is_measured_at_the_end_and_absent_in_a_collapsed_space():
    some_pairs = Scored([some([1.0, 2.0, 3.0, 5.0])])
    (row,), _ = some_pairs.tables(spread)
    assert row["isoscore"] == pytest.approx(isoscore(spread(some_pairs.texts)))
    assert "isoscore" not in some_pairs.evaluate(spread)[0]
    (collapsed,), _ = some_pairs.tables(huddled)
    assert collapsed["isoscore"] is None


def test_uniformity_of_many_sentences_is_sampled_unless_all_pairs_are_asked_for(monkeypatch):
    monkeypatch.setattr(uniformity, "EXACT_ROWS", 1000)
    many = some([1.0, 5.0] * 300)
    (sampled,), _ = Scored([many]).tables(spread)
    (exact,), _ = Scored([many], exact=True).tables(spread)
    assert sampled["uniformity"] == pytest.approx(exact["uniformity"], abs=5 * sampled["uniformity_error"])
    assert sampled["uniformity"] != exact["uniformity"] and "uniformity_error" not in exact


def test_an_interval_has_the_groups_of_pairs_that_no_sentence_links():
    four = some([1.0, 2.0, 3.0, 5.0])
    shared = replace(four, second=[four.first[1], *four.second[1:]])
    (row,), _ = Scored([four]).tables(spread)
    (linked,), _ = Scored([shared]).tables(spread)
    assert (row["linked_groups"], linked["linked_groups"]) == (4, 3)
    assert "linked_groups" not in Scored([four]).evaluate(spread)[0], "a probe of a training has no interval"
