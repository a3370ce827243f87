"""What the words of a step name, by hand."""

import math

import pytest

from workbench.lesson import facts, words


def test_weights_are_a_softmax_over_the_negatives():
    weights = facts._weights([[0.9, 0.5, 0.1]], 0, 0.2)
    push = [0.0, math.exp(0.5 / 0.2), math.exp(0.1 / 0.2)]
    assert weights.tolist() == pytest.approx([each / sum(push) for each in push])


def test_the_share_above_a_threshold():
    counts = [0] * 150
    counts[99], counts[100] = 250_000, 750_000  # below 0.5 and from it
    assert facts._above(counts, 0.5) == 0.75


@pytest.mark.parametrize(
    ("centred", "trained", "chosen", "said"),
    [
        (0.55, 0.7, "Part of the way", "To 55.0, 25\u00a0% of the way"),
        (0.7, 0.7, "As far, or further", "To 70.0, for nothing; training, to 70.0."),
        (0.8, 0.7, "As far, or further", "To 80.0, for nothing; training, to 70.0."),
        (0.5, 0.7, "Nowhere", "To 50.0."),
        (0.4, 0.7, "Nowhere", "To 40.0."),
        # Training made the ranking worse, or changed nothing.
        (0.6, 0.3, "As far, or further", "To 60.0, for nothing; training, to 30.0."),
        (0.6, 0.5, "As far, or further", "To 60.0, for nothing; training, to 50.0."),
        (0.4, 0.3, "Nowhere", "To 40.0."),
        (0.5, 0.5, "Nowhere", "To 50.0."),
    ],
)
def test_what_subtracting_the_mean_gains_whatever_training_did(centred, trained, chosen, said):
    step = next(each for each in words.read()["words"]["steps"] if each["id"] == "centring")
    before = {"spearman": [0.5, centred, 0.1], "mean_cosine": [0.8, 0.0, 0.0]}
    given = facts.facts(
        "centring",
        {"before": before, "after": {"spearman": [trained]}, "shared": {"removed": [-1, 0, 1], "steps": 100}},
    )
    assert [step["options"][number]["text"] for number in words.answers(step, given)] == [chosen]
    assert words.finding(step, given).startswith(said)


def test_only_part_of_the_way():
    sides = {
        "before": {"spearman": [0.5, 0.6, 0.55], "mean_cosine": [0.8, 0.0, 0.0]},
        "after": {"spearman": [0.7, 0.7, 0.7]},
    }
    given = facts.facts("centring", {**sides, "shared": {"removed": [-1, 0, 1]}})
    assert given["gained"] == pytest.approx(0.5) and given["best"] == 0.6 and given["best_removed"] == 0


def test_layers_of_encoders_of_different_depth_are_each_ones_own():
    step = next(each for each in words.read()["words"]["steps"] if each["id"] == "layers")
    for before, after in (([0.4, 0.7, 0.8], [0.5, 0.3]), ([0.4, 0.8], [0.5, 0.6, 0.3])):
        given = facts.facts(
            "layers", {"before": {"mean_cosine": before}, "after": {"mean_cosine": after}, "shared": {"steps": 100}}
        )
        assert (given["last"], given["trained"]) == (0.8, 0.3)
        assert (given["layers"], given["trained_layers"]) == (len(before) - 1, len(after) - 1)
        assert "last layers" not in words.finding(step, given), "they do not have the same ones"
