"""What the words of a step name, by hand."""

import math

import pytest

from workbench.lesson import facts


def test_weights_are_a_softmax_over_the_negatives():
    weights = facts._weights([[0.9, 0.5, 0.1]], 0, 0.2)
    push = [0.0, math.exp(0.5 / 0.2), math.exp(0.1 / 0.2)]
    assert weights.tolist() == pytest.approx([each / sum(push) for each in push])


def test_the_share_above_a_threshold():
    counts = [0] * 150
    counts[99], counts[100] = 250_000, 750_000  # below 0.5 and from it
    assert facts._above(counts, 0.5) == 0.75


def test_only_part_of_the_way():
    sides = {
        "before": {"spearman": [0.5, 0.6, 0.55], "mean_cosine": [0.8, 0.0, 0.0]},
        "after": {"spearman": [0.7, 0.7, 0.7]},
    }
    given = facts.facts("centring", {**sides, "shared": {"removed": [-1, 0, 1]}})
    assert given["gained"] == pytest.approx(0.5) and given["best"] == 0.6 and given["best_removed"] == 0
