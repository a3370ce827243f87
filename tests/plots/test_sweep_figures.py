"""The figures of sweeps, drawn from made-up tables."""

import math

import pandas as pd
import pytest

from workbench.data.paper_figures import published_curve
from workbench.plots import sweep_dots as sweep_dots_file
from workbench.plots.sweep_dots import sweep_dots
from workbench.plots.sweep_line import sweep_line
from workbench.plots.sweep_map import sweep_map
from workbench.plots.sweep_takeaway import NOTHING, details, of_grid, of_tournament, verdict
from workbench.plots.template import DARK, GREY, LIGHT, alt_text, contrast, takeaway_of
from workbench.sweeps.results import summarised

HOSTILE = '<b>x</b>%{y}<img src="x">'
SPEARMAN = {"words": "Spearman × 100", "scale": 100.0}


def cells(axes, level, *, seeds=3, skip=()):
    """One row per cell and seed, as from `Sweep.results`; the noise is mostly by seed and only slightly by setting."""
    rows = []
    for at, (place, value) in enumerate(level.items()):
        for seed in range(seeds):
            noise = 0.002 * seed + 0.0005 * ((at * 7 + seed * (3 + at)) % 5)
            found = math.nan if (place, seed) in skip else value + noise
            rows.append((*place, seed, found))
    table = pd.DataFrame(rows, columns=[*axes, "seed", "value"], dtype=object)
    table["value"], table["untrained"] = table["value"].astype(float), 0.5
    table.attrs = {"measure": "spearman", "pairs": "demo:dev", "checkpoint": "best"}
    return table


def test_a_numeric_setting_becomes_a_line_with_seeds_intervals_and_the_untrained_backbone():
    points = cells(["temperature"], {(0.02,): 0.7, (0.05,): 0.8, (0.1,): 0.8})
    drawn = sweep_line(summarised(points, ["temperature"]), points, axis="temperature", **SPEARMAN)
    seeds, means = drawn.data
    assert len(seeds.x) == 9 and list(means.x) == [0.02, 0.05, 0.1]
    assert (means.error_y.array > 0).all()
    assert "and temperature 0.05 tie: " in takeaway_of(drawn) and "; the other is worse." in takeaway_of(drawn)
    assert "Line of Spearman" in alt_text(drawn)
    fills = list(means.marker.color)
    assert fills[1] == fills[2] != fills[0]  # the tie is filled, as the best is
    assert drawn.layout.shapes[0].y0 == 50


def test_a_wide_range_has_a_log_axis_and_a_second_setting_gives_two_lines():
    level = {(rate, keep): rate for rate in (1e-5, 1e-4, 1e-3) for keep in (True, False)}
    points = cells(["learning_rate", "keep_head"], level)
    table = summarised(points, ["learning_rate", "keep_head"])
    drawn = sweep_line(table, points, axis="learning_rate", series="keep_head", **SPEARMAN)
    assert drawn.layout.xaxis.type == "log"
    assert [trace.name for trace in drawn.data if trace.showlegend is None] == ["keep head on", "keep head off"]


def test_published_points_lie_beneath_in_grey_and_widen_the_axis():
    points = cells(["training.batch_size"], {(16,): 0.7, (64,): 0.71})
    table, axis = summarised(points, ["training.batch_size"]), "training.batch_size"
    curve = published_curve("consert_unsup", axis)
    drawn = sweep_line(table, points, axis=axis, published=curve, **SPEARMAN)
    first = drawn.data[0]
    assert (list(first.x), list(first.y)) == ([16, 48, 96, 192, 288], [72.63, 72.60, 72.74, 72.86, 72.98])
    assert first.line.color == first.marker.color == GREY and "ConSERT (Yan et al. 2021), table 4" in first.name
    assert drawn.layout.showlegend and drawn.layout.xaxis.range[1] > math.log10(288) and first.name in alt_text(drawn)
    assert takeaway_of(drawn) == takeaway_of(sweep_line(table, points, axis=axis, **SPEARMAN))


@pytest.mark.parametrize(("values", "lines"), [((0.05, 0.2), 1), ((0.2, 0.3), 0)])
def test_a_published_setting_is_a_line_where_the_axis_shows_it(values, lines):
    points = cells(["t"], {(value,): 0.7 for value in values}).assign(untrained=float("nan"))
    curve = published_curve("consert_unsup", "terms.0.settings.temperature")
    drawn = sweep_line(summarised(points, ["t"]), points, axis="t", published=curve, **SPEARMAN)
    assert [shape.x0 for shape in drawn.layout.shapes] == [0.1] * lines
    assert sum("0.1, best: ConSERT" in str(trace.name) for trace in drawn.data) == lines


def test_two_settings_become_a_map_with_the_mean_and_n():
    level = {(a, b): 0.6 + 0.1 * (a == b) for a in ("", "eda_swap", HOSTILE) for b in ("", "eda_swap", HOSTILE)}
    points = cells(
        ["augment_a", "augment_b"], level, skip={(("", ""), 0), *(((HOSTILE, ""), seed) for seed in range(3))}
    )
    drawn = sweep_map(summarised(points, ["augment_a", "augment_b"]), down="augment_a", across="augment_b", **SPEARMAN)
    text = drawn.data[0].text
    assert "n = 2 of 3" in text[0][0] and text[2][0] == "" and drawn.data[0].z[2][0] is None
    written = [note.text for note in drawn.layout.annotations]
    assert written.count("–") == 1 and len(written) == 9
    assert len(drawn.layout.shapes) >= 1
    assert "<b>" not in str(drawn.layout.yaxis.ticktext) and "none" in drawn.layout.yaxis.ticktext


def test_names_become_ranked_dots():
    points = cells(["loss"], {("one",): 0.6, (HOSTILE,): 0.8, ("two",): 0.8})
    drawn = sweep_dots(summarised(points, ["loss"]), points, axes=["loss"], **SPEARMAN)
    assert drawn.layout.yaxis.ticktext[-1] == "one"
    assert sum("(tie)" in label for label in drawn.layout.yaxis.ticktext) == 1
    assert "<b>" not in str(drawn.layout.yaxis.ticktext)


def test_of_very_many_settings_the_best_are_drawn_and_how_many_there_are(monkeypatch):
    monkeypatch.setattr(sweep_dots_file, "MOST_ROWS", 3)
    points = cells(["loss"], {(f"loss {number}",): number / 10 for number in range(9)})
    drawn = sweep_dots(summarised(points, ["loss"]), points, axes=["loss"], **SPEARMAN)
    assert [label.removesuffix(" (tie)") for label in drawn.layout.yaxis.ticktext] == ["loss 8", "loss 7", "loss 6"]
    assert len(drawn.data[0].x) == 9 and set(drawn.data[0].y) == {0, 1, 2}
    assert drawn.layout.xaxis.title.text.endswith("higher is better, the best 3 of 9")


def test_a_tournament_is_ranked_against_no_augmentation():
    level = {("", "baseline"): 0.7, ("eda_swap", "positive"): 0.75, ("typo_noise", "positive"): 0.7001}
    level |= {("eda_swap", "negative"): 0.6, ("typo_noise", "negative"): 0.7}
    points = cells(["augmentation", "role"], level)
    baseline = {"augmentation": "", "role": "baseline"}
    table = summarised(points, ["augmentation", "role"], baseline=baseline)
    drawn = sweep_dots(table, points, axes=["augmentation", "role"], **SPEARMAN)
    said = takeaway_of(drawn)
    assert "1 better, 1 worse, 2 ties" in said and "eda_swap as positive" in said
    assert {trace.name for trace in drawn.data[1:]} == {"as positive", "as negative", "no augmentation"}


@pytest.mark.parametrize("dark", [False, True])
def test_takeaways_state_that_no_run_has_finished_or_that_there_is_one_seed(dark):
    empty = cells(["temperature"], {(0.1,): math.nan, (0.2,): math.nan})
    table = summarised(empty, ["temperature"])
    assert takeaway_of(sweep_line(table, empty, axis="temperature", dark=dark, **SPEARMAN)) == NOTHING
    one = cells(["temperature"], {(0.1,): 0.5, (0.2,): 0.6}, seeds=1)
    said = takeaway_of(sweep_line(summarised(one, ["temperature"]), one, axis="temperature", dark=dark, **SPEARMAN))
    assert "One seed cannot distinguish" in said
    pair = cells(["a", "b"], {(0, 0): math.nan, (0, 1): math.nan})
    assert takeaway_of(sweep_map(summarised(pair, ["a", "b"]), down="a", across="b", dark=dark, **SPEARMAN)) == NOTHING
    assert (
        takeaway_of(sweep_dots(summarised(pair, ["a", "b"]), pair, axes=["a", "b"], dark=dark, **SPEARMAN)) == NOTHING
    )


def test_lower_can_be_better():
    points = cells(["steps"], {(1,): 0.9, (2,): 0.2})
    points.attrs["measure"] = "seconds"
    drawn = sweep_line(summarised(points, ["steps"]), points, axis="steps", words="seconds", higher=False)
    assert takeaway_of(drawn).startswith("Steps 2 is best")


def by_seed(**level):
    """Settings of one axis with their scores by seed; NaN for a run that has not finished."""
    rows = [(name, seed, value, 0.5) for name, own in level.items() for seed, value in own.items()]
    table = pd.DataFrame(rows, columns=["loss", "seed", "value", "untrained"]).astype({"loss": object})
    table.attrs = {"measure": "spearman", "pairs": "demo:dev", "checkpoint": "best"}
    return table


def told(**level):
    table = summarised(by_seed(**level), ["loss"])
    return of_grid(table, ["loss"], **SPEARMAN, higher=True), verdict(table, scale=100)


def test_a_setting_is_called_best_only_if_no_other_may_still_beat_it():
    a = {0: 0.50, 1: 0.50, 2: 0.51}
    said, called = told(a=a, b={0: 0.60, 1: 0.61, 2: math.nan})
    assert called == "leads so far" and said == (
        "So far, of the settings with all 3 seeds, loss a leads: Spearman × 100 50.33; loss b is higher over 2 seeds."
    )
    said, called = told(a={0: 0.5, 1: 0.5}, b={0: 0.6, 1: math.nan})
    assert called == "leads so far" and said.endswith("leads: Spearman × 100 50.00; loss b is higher over 1 seed.")
    said, called = told(a={0: 0.5, 1: 0.5}, b={2: 0.6, 3: 0.7})
    assert called == "leads so far" and "beyond noise" not in said and "best" not in said
    said, called = told(a={0: 0.9, 1: 0.9, 2: 0.1}, b={0: 0.8, 1: 0.81, 2: math.nan})
    assert called == "leads so far" and "higher" not in said, "on the seeds that both have it is worse"
    said, called = told(a=a, b={0: math.nan, 1: math.nan, 2: math.nan})
    assert called == "leads so far" and "is best" not in said
    said, called = told(a=a, b={seed: value - 0.1 - 0.002 * seed for seed, value in a.items()})
    assert called == "best" and said == (
        "Loss a is best: Spearman × 100 50.33 over 3 seeds, beyond noise against the other."
    )


def test_intervals_of_few_seeds_end_where_the_measure_does():
    points = by_seed(a={0: 0.5, 1: 0.9}, b={0: 0.45, 1: 0.6})
    table = summarised(points, ["loss"])
    assert table["low"].tolist() == pytest.approx([-1, -0.428], abs=1e-3) and table["high"].tolist() == [1, 1]
    assert (table["delta_low"][1], table["delta_high"][1]) == pytest.approx((-1.763, 1.413), abs=1e-3)
    said = details(table.to_dict("records")[0], ["loss"], scale=100)
    assert said == "loss a: 70.00, 95 % −100.00 to 100.00, n = 2 of 2, the reference"
    points.attrs["measure"] = "masked_accuracy"
    table = summarised(points, ["loss"])
    assert table["low"].tolist() == [0, 0] and table["delta_low"][1] == -1
    points.attrs["measure"] = "seconds"
    assert summarised(points, ["loss"])["high"].max() > 3


def test_of_a_finished_sweep_a_difference_that_is_the_same_in_all_seeds_is_no_matter_of_time():
    a = {0: 0.60, 1: 0.62, 2: 0.61}
    b, c = {0: 0.50, 1: 0.52, 2: 0.51}, {0: 0.57, 1: 0.575, 2: 0.59}
    said, called = told(a=a, b=b, c=c)
    assert called == "leads" and said == (
        "Loss a leads: Spearman × 100 61.00 over 3 seeds; 1 of the 2 others ties with it; the difference to loss b is the same "
        "in all seeds, so their spread is not measured."
    )
    said, called = told(a=a, b=b, c={**c, 2: math.nan})
    assert called == "leads so far" and said.startswith("So far, ")
    points = by_seed(a=dict.fromkeys(range(3), 100), b=dict.fromkeys(range(3), 125))
    points.attrs["measure"] = "best_step"
    said = of_grid(summarised(points, ["loss"]), ["loss"], words="step", scale=1, higher=False)
    assert said == (
        "Loss a leads: step 100.00 over 3 seeds; the difference to loss b is the same in all seeds, so their spread is not "
        "measured."
    )


def test_settings_that_tie_with_the_best_are_named_or_counted():
    a, worse = {0: 0.50, 1: 0.54}, {0: 0.40, 1: 0.4395}
    ties = [{0: 0.50 - away, 1: 0.54 - away / 2} for away in (0.004, 0.008, 0.012)]
    said, called = told(a=a, b=ties[0])
    assert called == "best" and said == "Loss a and loss b tie: Spearman × 100 52.00 and 51.70 over 2 seeds."
    said, _ = told(a=a, b=ties[0], c=ties[1], d=worse)
    assert said == (
        "Loss a ties with loss b and loss c: Spearman × 100 52.00 against 51.70 and 51.40 over 2 seeds; the other is worse."
    )
    said, _ = told(a=a, b=ties[0], c=ties[1], d=ties[2], e=worse, f=worse)
    assert said == (
        "Loss a ties with 3 others: Spearman × 100 52.00 against 51.10 to 51.70 over 2 seeds; the other 2 are worse."
    )
    said, _ = told(a=a, b=a, c=ties[0])
    assert said == "Loss a and loss b are equal: Spearman × 100 52.00 over 2 seeds; the other ties with them."
    near = {0: 0.49999, 1: 0.5399901}  # the same once rounded, and yet a test tells them apart
    said, called = told(a=a, b=near)
    assert (
        called == "best"
        and said == "Loss a is best: Spearman × 100 52.00 over 2 seeds, beyond noise against the other."
    )


def test_equal_settings_and_single_seeds_have_no_best():
    said, called = told(a={0: 0.5, 1: 0.5}, b={0: 0.5, 1: 0.5}, c={0: 0.4, 1: 0.4})
    assert not called and said == "Loss a and loss b are equal: Spearman × 100 50.00 over 2 seeds."
    said, called = told(a={0: 0.5}, b={0: 0.5}, c={0: 0.4})
    assert (
        not called
        and said == "Highest: loss a and loss b (Spearman × 100 50.00). One seed cannot distinguish settings."
    )
    points = by_seed(a={0: 0.5}, b={0: 0.6})
    table = summarised(points, ["loss"])
    dots = sweep_dots(table, points, axes=["loss"], **SPEARMAN).data[1]
    assert set(dots.marker.color) == {LIGHT.paper}
    pair = cells(["a", "b"], {(0, 0): 0.5, (0, 1): 0.6}, seeds=1)
    assert not sweep_map(summarised(pair, ["a", "b"]), down="a", across="b", **SPEARMAN).layout.shapes


def test_a_tournament_without_common_seeds_is_inconclusive():
    rows = [("", "baseline", 0, 0.5), ("", "baseline", 1, 0.5), ("eda_swap", "positive", 2, 0.6)]
    points = pd.DataFrame(rows, columns=["augmentation", "role", "seed", "value"], dtype=object)
    points["value"] = points["value"].astype(float)
    points.attrs = {"measure": "spearman"}
    baseline = {"augmentation": "", "role": "baseline"}
    table = summarised(points, ["augmentation", "role"], baseline=baseline)
    assert of_tournament(table, **SPEARMAN).startswith("No spread over two seeds in common")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_text_is_legible_on_every_cell(dark, higher, spread):
    level = {(row, column): 0.5 + spread * row * column / 25 for row in range(6) for column in range(6)}
    points = cells(["a", "b"], level)
    points["value"] = points["value"] if spread else 0.5
    table = summarised(points, ["a", "b"])
    drawn = sweep_map(table, down="a", across="b", **{**SPEARMAN, "higher": higher}, dark=dark)
    heat, paper = drawn.data[0], (DARK if dark else LIGHT).paper
    ends = [colour for _, colour in heat.colorscale]
    shown = [value for line in heat.z for value in line]
    assert heat.zmin == min(shown) and heat.zmax == (max(shown) if spread else 51)
    assert all(contrast(note.font.color, end) >= 4.5 for note in drawn.layout.annotations for end in ends)
    assert paper not in {note.font.color for note in drawn.layout.annotations}


def test_the_axis_title_states_which_direction_is_better():
    points = cells(["temperature"], {(0.02,): 0.7, (0.05,): 0.8})
    table = summarised(points, ["temperature"])
    line = sweep_line(table, points, axis="temperature", **SPEARMAN)
    assert line.layout.yaxis.title.text == "Spearman × 100, higher is better"
    points.attrs["measure"] = "alignment"
    dots = sweep_dots(table, points, axes=["temperature"], words="alignment, lower is better", higher=False)
    assert dots.layout.xaxis.title.text == "alignment, lower is better"
