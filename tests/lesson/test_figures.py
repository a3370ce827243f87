"""The figures of the lesson for print, against the shipped numbers."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from workbench import api
from workbench.core.errors import BadSetting, UnknownName
from workbench.core.method import settings_of
from workbench.lesson.figures import FIGURES
from workbench.lesson.words import read
from workbench.plots.template import DARK, alt_text, takeaway_of

STEPS = read()["numbers"]["steps"]
FACTS = {name: step["facts"] for name, step in STEPS.items()}


def said(name, **knobs):
    return takeaway_of(api.lesson_figure(name, **knobs))


def test_every_step_has_a_figure():
    assert {name.partition("_")[0] for name in FIGURES} == set(STEPS)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_what_it_shows_and_becomes_a_file(name, tmp_path):
    drawn = api.lesson_figure(name, dark=True)
    assert takeaway_of(drawn).endswith(".") and takeaway_of(drawn) in alt_text(drawn)
    assert drawn.layout.template.layout.paper_bgcolor == DARK.paper
    for width in ("single", "full"):
        assert api.save_figure(drawn, tmp_path / f"{width}.svg", width=width).stat().st_size > 2000
    if "side" in settings_of(FIGURES[name]):
        assert api.lesson_figure(name, side="after").to_json() != api.lesson_figure(name).to_json()


def test_hills_are_the_shipped_histograms():
    for drawn, counts in (
        (
            api.lesson_figure("strangers", side="after"),
            [STEPS["strangers"]["after"][name] for name in ("random", "same")],
        ),
        (api.lesson_figure("dropout", rate=0.3), [STEPS["dropout"]["before"][name][4] for name in ("other", "same")]),
        (
            api.lesson_figure("layers_random", layer=2),
            [STEPS["layers"][side]["random"][2] for side in ("before", "after")],
        ),
    ):
        for trace, values in zip(drawn.data, counts, strict=True):
            np.testing.assert_allclose(trace.y[1:-1:2], np.reshape(values, (-1, 2)).sum(1) / 10_000)
            assert (trace.x[0], trace.x[-1]) == (-0.5, 1)


def test_lines_are_the_shipped_scores_and_the_knob_marks_one():
    drawn = api.lesson_figure("centring", removed=3)
    for trace, side in zip(drawn.data, ("before", "after"), strict=True):
        np.testing.assert_allclose(trace.y, 100 * np.asarray(STEPS["centring"][side]["spearman"]))
    assert [shape.x0 for shape in drawn.layout.shapes] == [STEPS["centring"]["shared"]["removed"].index(3)]
    frames = STEPS["film"]["frames"]
    first, second = api.lesson_figure("film_curves", step=frames[-1]["step"]).data
    assert list(first.y) == [frame["mean_cosine"] for frame in frames]
    assert list(first.x) == [frame["step"] for frame in frames], "as far apart as they are"
    np.testing.assert_allclose(second.y, [100 * frame["spearman"] for frame in frames])
    sides = {trace.line.color for trace in drawn.data}
    assert len({first.line.color, second.line.color} - sides) == 2, "two measures, beside before and after"


def test_arrows_lose_a_share_of_the_mean():
    found = STEPS["mean"]["before"]
    drawn = api.lesson_figure("mean", share=0.5)
    points = next(trace for trace in drawn.data if trace.mode == "markers" and len(trace.x) == len(found["points"]))
    np.testing.assert_allclose(points.x, np.array(found["points"])[:, 0] - found["length"] / 2)
    (arrow,) = (note for note in drawn.layout.annotations if note.showarrow)
    assert arrow.x == pytest.approx(found["length"] / 2)
    assert said("mean", share=1.0) == "With 100 % of the mean subtracted, the mean cosine is 0.00."


def test_pressed_cosines_keep_their_order_and_points_follow_their_forces():
    cosines, gold = STEPS["ranking"]["before"]["cosines"], STEPS["ranking"]["shared"]["gold"]
    drawn = api.lesson_figure("ranking", squeeze=0.5)
    np.testing.assert_allclose(drawn.data[0].y, 1 - (1 - np.array(cosines)) / 2)
    rho = f"{100 * spearmanr(cosines, gold).statistic:.1f}"
    assert all(said("ranking", squeeze=value).startswith(f"Spearman {rho}, ") for value in (0.0, 0.5, 0.95))
    for name, pull, push in (("start", 0, 0), ("pulled", 1, 0), ("pushed", 0, 1), ("both", 1, 1)):
        alignment, uniformity = (FACTS["balance"][f"{name}_{force}"] for force in ("alignment", "uniformity"))
        expected = f": alignment {alignment:.2f}, uniformity {uniformity:.2f}.".replace("-", "−")
        assert said("balance", pull=pull, push=push).endswith(expected)


def test_shares_of_the_push_are_a_softmax_over_all_but_the_partner():
    cosines = np.array(STEPS["temperature"]["after"]["cosines"][3])
    raw = np.exp(np.delete(cosines, 3) / 0.1)
    drawn = api.lesson_figure("temperature", temperature=0.1, sentence=4, side="after")
    shown = sorted((x for trace in drawn.data for x in trace.x), reverse=True)
    np.testing.assert_allclose(shown, 100 * np.sort(raw / raw.sum())[::-1][:6])
    own = next(trace for trace in drawn.data if trace.name == "its own contradiction")
    assert list(own.x) == [shown[0]]
    for value, fact in ((0.05, "strict"), (1.0, "even")):
        largest = [
            max(x for trace in api.lesson_figure("temperature", temperature=value, sentence=row).data for x in trace.x)
            for row in range(1, 11)
        ]
        assert np.mean(largest) == pytest.approx(100 * FACTS["temperature"][fact], rel=1e-6)


def test_augmentations_are_ranked_and_the_chosen_one_is_filled():
    drawn, titles = (
        api.lesson_figure("augmentations"),
        [one["title"] for one in STEPS["augmentations"]["shared"]["methods"]],
    )
    assert sum(len(trace.x) for trace in drawn.data) == len(titles) == len(drawn.layout.yaxis.ticktext)
    (filled,) = (trace for trace in drawn.data if trace.marker.symbol == "diamond")
    assert list(filled.x) == [FACTS["augmentations"]["altering"]]
    assert said("augmentations", change=titles[5]).startswith(f"{titles[5]}: mean cosine ")


def test_numbers_of_other_encoders_are_drawn_as_well():
    numbers = {**STEPS["mean"], "before": STEPS["mean"]["after"]}
    assert said("mean", numbers=numbers) == said("mean", side="after")


def unrelated(step):
    """The numbers of a step, as if no encoder had been trained from the other."""
    return {**STEPS[step], "facts": {**FACTS[step], "steps": 0}}


@pytest.mark.parametrize("name", [name for name in FIGURES if not name.startswith("balance")])
def test_no_figure_speaks_of_a_training_that_never_was(name):
    numbers = unrelated(name.partition("_")[0])
    if name.startswith("film"):
        numbers["frames"] = [{**frame, "step": at} for at, frame in enumerate(numbers["frames"][:2])]
    drawn = api.lesson_figure(name, numbers=numbers)
    assert "training" not in takeaway_of(drawn) and "training" not in drawn.to_json()
    if name in ("centring", "layers", "frequency"):
        assert "with the encoder before" in takeaway_of(drawn)
        assert {trace.name for trace in drawn.data} == {"encoder before", "encoder after"}
    if name in ("centring", "layers", "frequency"):
        assert " before training" in said(name) and " after." in said(name)


def cut(side, most):
    """The numbers of the step about layers, as if one encoder had fewer of them."""
    return {**unrelated("layers"), side: {name: values[: most + 1] for name, values in STEPS["layers"][side].items()}}


@pytest.mark.parametrize(("shallow", "deep"), [("after", "before"), ("before", "after")])
def test_encoders_of_different_depth_are_drawn_to_their_own_last_layers(shallow, deep):
    numbers = cut(shallow, 3)
    traces = dict(zip(("before", "after"), api.lesson_figure("layers", numbers=numbers, layer=4).data, strict=True))
    assert (len(traces[shallow].x), len(traces[deep].x)) == (4, 5)
    value = f"{numbers[deep]['mean_cosine'][4]:.2f}"
    expected = f"After layer 4 the mean cosine is {value} with the encoder {deep}; the one {shallow} has 3 layers."
    assert said("layers", numbers=numbers, layer=4) == said("layers_random", numbers=numbers, layer=4) == expected
    [hill] = api.lesson_figure("layers_random", numbers=numbers, layer=4).data
    np.testing.assert_allclose(hill.y[1:-1:2], np.reshape(numbers[deep]["random"][4], (-1, 2)).sum(1) / 10_000)
    assert len(api.lesson_figure("layers_random", numbers=numbers, layer=3).data) == 2
    with pytest.raises(BadSetting, match="numbers for 0, 1, 2, 3, 4"):
        api.lesson_figure("layers", numbers=numbers, layer=5)


def test_what_a_knob_cannot_be_is_refused_with_what_it_can_be():
    with pytest.raises(UnknownName, match="strangers"):
        api.lesson_figure("stranger")
    with pytest.raises(UnknownName, match="share"):
        api.lesson_figure("mean", shares=0.5)
    with pytest.raises(BadSetting, match=r"numbers for 0, 0\.1"):
        api.lesson_figure("mean", share=0.55)
    with pytest.raises(BadSetting, match="before, after"):
        api.lesson_figure("mean", side="then")
    with pytest.raises(UnknownName, match="change"):
        api.lesson_figure("augmentations", change="no such")
