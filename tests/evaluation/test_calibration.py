import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from workbench.core.errors import BadData
from workbench.data.pair_sets import PairSet
from workbench.evaluation.calibration import METHOD, DevAndTest, binned_error, calibration, fitted, scaled

VALUES = st.lists(st.floats(-1, 1), min_size=3, max_size=20)


def pairs(split, gold, scale=(0.0, 5.0)):
    """Pairs whose second text names its gold score."""
    first = [f"{split} {row}" for row in range(len(gold))]
    second = [f"{split} {row} {score}" for row, score in enumerate(gold)]
    return PairSet("t", "stsb", split, scale, [""] * len(gold), first, second, np.array(gold, float), [])


def encode_as(angle_of):
    """An encoder whose cosine of a pair is `angle_of` its gold score."""

    def encode(texts):
        cosines = [angle_of(float(text.split()[2])) if len(text.split()) > 2 else 1.0 for text in texts]
        return np.array([[c, np.sqrt(max(0.0, 1 - c * c))] for c in cosines])

    return encode


def test_cosines_in_proportion_to_gold_have_no_error():
    task = DevAndTest(pairs("dev", [0, 1, 2, 3, 4, 5]), pairs("test", [0.5, 2.5, 4.5]))
    row = calibration(encode_as(lambda gold: gold / 5), [task], fit="linear").iloc[0]
    assert row["mae"] == pytest.approx(0, abs=1e-12) and row["binned"] == pytest.approx(0, abs=1e-12)
    assert row["n"] == 3 and row["constant"] == pytest.approx((0.4 + 0 + 0.4) / 3)


def test_by_hand():
    # The line through (0, 0) and (1, 1): 0.2 and 0.6 are predicted for 0.4 and 0.4.
    task = DevAndTest(pairs("dev", [0, 5]), pairs("test", [1, 3]))
    row = calibration(encode_as(lambda gold: gold / 5), [task], fit="linear", bins=2).iloc[0]
    assert row["mae"] == pytest.approx(0)
    off = DevAndTest(pairs("dev", [0, 5]), PairSet(**{**vars(pairs("test", [1, 3])), "gold": np.array([2.0, 2.0])}))
    row = calibration(encode_as(lambda gold: gold / 5), [off], fit="linear", bins=2).iloc[0]
    assert row["mae"] == pytest.approx(0.2) and row["binned"] == pytest.approx(0.2)
    assert row["low"] == pytest.approx(0.2) == row["high"]
    assert row["constant"] == pytest.approx(0.1), "the mean of dev is .5, that of test .4"
    row = calibration(encode_as(lambda gold: gold / 5), [off], fit="linear", bins=1).iloc[0]
    assert row["binned"] == pytest.approx(0), "0.2 and 0.6 are on average the 0.4 of both"


@pytest.mark.parametrize(("fit", "error"), [("linear", 1 / 3), ("isotonic", 0.0)])
def test_the_map_is_the_one_asked_for(fit, error):
    """The line through (0, 0), (.5, 0) and (1, 1) is 1/3 at .5; the rising map passes through all three."""
    dev = PairSet(**{**vars(pairs("dev", [0, 2.5, 5])), "gold": np.array([0.0, 0.0, 5.0])})
    test = PairSet(**{**vars(pairs("test", [2.5, 2.5])), "gold": np.zeros(2)})
    assert calibration(encode_as(lambda gold: gold / 5), [DevAndTest(dev, test)], fit=fit)["mae"].item() == (
        pytest.approx(error)
    )


@given(VALUES, st.randoms(use_true_random=False))
def test_isotonic_is_scikit_learns_and_ignores_rising_maps(cosines, random):
    gold = np.array([random.random() for _ in cosines])
    values = np.round(np.array(cosines), 3)
    wanted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, gold).predict(values)
    assert fitted("isotonic", values, gold)(values) == pytest.approx(wanted)
    moved = values * 3 + 7
    assert fitted("isotonic", moved, gold)(moved) == pytest.approx(wanted)
    assert (np.diff(fitted("isotonic", values, gold)(np.sort(values))) >= -1e-12).all()


@settings(max_examples=30)
@given(VALUES)
def test_the_line_is_least_squares_within_the_scale(cosines):
    values = np.round(np.array(cosines), 3)
    gold = np.linspace(0, 1, len(values))
    predicted = fitted("linear", values, gold)(values)
    if np.ptp(values) > 0:
        wanted = np.clip(np.polyval(np.polyfit(values, gold, 1), values), 0, 1)
        assert predicted == pytest.approx(wanted, abs=1e-6)
    else:
        assert predicted == pytest.approx(gold.mean())


@pytest.mark.parametrize("fit", ["linear", "isotonic"])
def test_beyond_the_cosines_of_dev_predictions_stay_on_the_scale(fit):
    predict = fitted(fit, np.array([0.2, 0.4, 0.6]), np.array([0.0, 0.5, 1.0]))
    assert predict(np.array([-1.0, 0.0, 0.4, 0.8, 1.0])) == pytest.approx([0, 0, 0.5, 1, 1])


def test_tasks_of_other_languages_with_a_dev_split_are_read(tmp_path):
    table = "\n".join(["score\tsentence1\tsentence2", *(f"{row % 6}\t第{row}句\t这是{row}" for row in range(12))])
    for split in ("dev", "test"):
        (tmp_path / f"cnsd-stsb-{split}.tsv").write_text(table, encoding="utf-8")
    [task] = METHOD.read(tmp_path).sets
    assert (task.task, task.dev.split, task.test.split) == ("stsb_zh", "dev", "test")
    for split in ("dev", "test"):
        (tmp_path / f"cnsd-stsb-{split}.tsv").write_text(f"{table}\nx\ta\tb", encoding="utf-8")
    [task] = METHOD.read(tmp_path).sets
    assert ["dev" in notice for notice in task.notices if "left out" in notice] == [True, False]


def test_the_binned_error_is_that_of_means():
    predicted, gold = np.arange(10) / 10, np.arange(10)[::-1] / 10
    assert binned_error(predicted, gold, bins=1) == pytest.approx(0)  # the means are equal
    assert binned_error(predicted, gold, bins=10) == pytest.approx(np.abs(predicted - gold).mean())
    # Bins are by prediction: .15 for .5 and .85 for .5. Each pair counts once: two are off by .05, one by .4.
    assert binned_error(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0.9, 0.1, 0.8, 0.2]), 2) == pytest.approx(0.35)
    assert binned_error(np.array([0.1, 0.2, 0.9]), np.array([0.2, 0.2, 0.5]), 2) == pytest.approx(0.5 / 3)


def test_a_scale_that_does_not_begin_at_0():
    assert scaled(pairs("test", [1, 3, 5], scale=(1.0, 5.0))).tolist() == [0.0, 0.5, 1.0]


def test_no_set():
    with pytest.raises(BadData, match="calibrate"):
        calibration(encode_as(lambda gold: gold), [])
