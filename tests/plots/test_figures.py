"""Checks what figures pass to Plotly: data, words, colours; the browser tests look at pixels."""

import html
import itertools
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from workbench.analysis.cosine_overlap import cosine_overlap as overlap_table
from workbench.analysis.dropout_views import dropout_views as view_table
from workbench.analysis.gold_buckets import bucket_of
from workbench.analysis.gold_buckets import gold_buckets as bucket_table
from workbench.analysis.projection import projection as project
from workbench.analysis.spectrum import spectrum as spectrum_table
from workbench.core.errors import BadData, UnknownName
from workbench.plots import takeaway
from workbench.plots.cosine_overlap import cosine_overlap
from workbench.plots.curves import MOST_POINTS, curves, decimate
from workbench.plots.decision_boundary import decision_boundary
from workbench.plots.forest import forest
from workbench.plots.gold_buckets import gold_buckets
from workbench.plots.gold_scatter import gold_scatter
from workbench.plots.histogram import histogram
from workbench.plots.placing import LETTER_PX, LINE_PX
from workbench.plots.plane import plane
from workbench.plots.printing.values import tick_number
from workbench.plots.projection import dropout_views, projection
from workbench.plots.recipe_diagram import recipe_diagram
from workbench.plots.spectrum import spectrum
from workbench.plots.template import (
    DARK,
    GREY,
    LIGHT,
    alt_text,
    contrast,
    escaped,
    in_lines,
    styles,
    takeaway_of,
    template,
)
from workbench.plots.token_contributions import token_contributions
from workbench.plots.view_panels import view_panels
from workbench.recipes import settle

HOSTILE = '<b>x</b><a href="javascript:alert(1)">y</a> & %{y} <extra>'
PAIRS = "demo:dev, gold > 4"
RANDOM = "the mean cosine of random pairs"


def cone(rows=60, dim=8):
    return np.random.default_rng(0).normal(size=(rows, dim)) + 1


def on_plane(**changes):
    path = [
        {"target": "run", "step": step, "uniformity": -1.6 - step / 50, "alignment": 0.25 + step / 500}
        for step in range(0, 51, 10)
    ]
    alone = {"target": "minilm-l3", "step": 0, "uniformity": -1.6, "alignment": 0.25}
    table = pd.DataFrame([*path, alone]).assign(alignment_on=PAIRS, label=HOSTILE)
    table["untrained"] = table["target"] == "minilm-l3"
    return table.assign(**changes)


def seeds_on_plane():
    places = [(-1.6, 0.25), (-1.5, 0.26), (-1.7, 0.24), (-1.55, 0.28)]
    seeds = [
        {
            "target": "run",
            "step": 50,
            "uniformity": -1 + x,
            "alignment": y + 0.1,
            "training_seed": seed,
            "spearman": 0.7,
        }
        for seed, (x, y) in enumerate(places)
    ]
    return pd.concat([on_plane(spearman=0.6), pd.DataFrame(seeds).assign(alignment_on=PAIRS, label=HOSTILE)])


def scored(targets=("minilm-l3", "run")):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 6, 40).astype(float)
    return pd.concat(
        pd.DataFrame(
            {"target": name, "gold": gold, "cosine": gold / 10 + rng.random(40), "first": HOSTILE, "second": "b " * 200}
        )
        for name in targets
    )


def over_steps(steps=2000):
    step = np.arange(steps)
    table = pd.DataFrame(
        {"target": "run", "step": step, "loss": np.exp(-step / 300), "mean_cosine": np.nan, "spearman": np.nan}
    )
    probes = step % 100 == 0
    table.loc[probes, "mean_cosine"] = np.linspace(0.52, 0.15, probes.sum())
    table.loc[probes, "spearman"] = np.linspace(0.63, 0.75, probes.sum())
    return table


def named_projection(method="cone"):
    table = project(cone(), method=method)
    table["text"] = HOSTILE
    return table


def named_views():
    table = view_table(
        np.random.default_rng(0).normal(size=(3, 1, 6)) + 0.1 * np.random.default_rng(1).normal(size=(3, 4, 6))
    )
    table["text"] = HOSTILE
    return table


def contributions():
    places = np.indices((3, 4)).reshape(2, -1)
    return pd.DataFrame(
        {
            "first": places[0],
            "second": places[1],
            "first_token": HOSTILE,
            "second_token": "b",
            "contribution": np.linspace(-0.02, 0.1, 12),
            "kind": "different",
        }
    )


def differences():
    rows = [(HOSTILE, 0.06, 0.03, 0.09, "better", 0.04), ("b", 0.01, -0.02, 0.04, "tie", 0.05)]
    return pd.DataFrame(rows, columns=["label", "delta", "low", "high", "verdict", "detectable"])


def angled():
    return pd.DataFrame(
        {"positive": [10.0, 10.0, 30.0, 10.0], "negative": [15.0, 40.0, 20.0, np.nan], "text": [HOSTILE, "b", "c", "d"]}
    )


def in_buckets(dark):
    known = scored(("run",))
    gold, cosine = known["gold"].to_numpy(), known["cosine"].to_numpy()
    rows = known.assign(bucket=bucket_of(gold, 0, 5))
    return gold_buckets(rows, bucket_table(cosine, gold), selected=rows[:9], dark=dark)


def overlapping(dark):
    rng = np.random.default_rng(0)
    positives, random = rng.normal(0.8, 0.1, 40), rng.normal(0.3, 0.2, 200)
    table = overlap_table(positives, random)
    return cosine_overlap(positives, random, table, selected=overlap_table(positives[:9], random[:20]), dark=dark)


def binned(dark):
    table = pd.DataFrame({"target": [HOSTILE] * 3 + ["b"] * 3, "value": [-0.9, 0.1, 0.1, 0.0, 0.2, 1.0]})
    return histogram(table, axis="rank", counted="pairs", point="One of them.", limits=(-1, 1), bins=4, dark=dark)


FIGURES = {
    "plane": lambda dark: plane(on_plane(), dark=dark),
    "plane_of_seeds": lambda dark: plane(seeds_on_plane(), dark=dark),
    "plane_by_score": lambda dark: plane(seeds_on_plane(), dark=dark, by_score=True),
    "gold_scatter": lambda dark: gold_scatter(scored(), dark=dark),
    "gold_ranks": lambda dark: gold_scatter(scored(("run",)), ranks=True, dark=dark),
    "cone": lambda dark: projection(named_projection(), dark=dark),
    "pca": lambda dark: projection(named_projection("pca"), dark=dark),
    "tsne": lambda dark: projection(named_projection("tsne"), dark=dark),
    "dropout_views": lambda dark: dropout_views(named_views(), dark=dark),
    "curves": lambda dark: curves(over_steps(), dark=dark),
    "forest": lambda dark: forest(differences(), baseline=HOSTILE, dark=dark),
    "forest_by_group": lambda dark: forest(differences().assign(group=HOSTILE), baseline=HOSTILE, dark=dark),
    "spectrum": lambda dark: spectrum(spectrum_table(cone()), dark=dark),
    "token_contributions": lambda dark: token_contributions(contributions(), dark=dark),
    "view_panels": lambda dark: view_panels([named_views()] * 3, [HOSTILE, "b", "c"], labels=[HOSTILE] * 3, dark=dark),
    "gold_buckets": in_buckets,
    "cosine_overlap": overlapping,
    "histogram": binned,
    "decision_boundary": lambda dark: decision_boundary(angled(), 10, dark=dark),
    "recipe_diagram": lambda dark: recipe_diagram(settle("arccse", backbone="mini-mlm"), dark=dark),
}
ALL = pytest.mark.parametrize("name", FIGURES)


@ALL
@pytest.mark.parametrize("dark", [False, True])
def test_every_figure_has_the_template_and_a_takeaway(name, dark):
    drawn = FIGURES[name](dark)
    assert isinstance(drawn, go.Figure)
    assert drawn.layout.template.layout.paper_bgcolor == (DARK if dark else LIGHT).paper
    assert takeaway_of(drawn).endswith(".") and takeaway_of(drawn) in alt_text(drawn)
    assert len(alt_text(drawn)) > len(takeaway_of(drawn)) + 20
    assert sum(bool(axis.title.text) for axis in drawn.select_xaxes()) >= 1
    json.loads(drawn.to_json())


@ALL
def test_text_from_data_is_shown_and_not_parsed(name):
    """Only our own tags reach Plotly. `meta` is left out: its description for screen readers is plain text, shown unparsed."""
    drawn = FIGURES[name](False).update_layout(meta=None)
    sent = json.dumps(
        drawn.to_plotly_json(), default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value)
    )
    assert "<b>x" not in sent and "<a " not in sent and "& %" not in sent
    if name in ("plane", "gold_scatter", "cone", "pca", "dropout_views", "token_contributions", "decision_boundary"):
        assert "&lt;b&gt;x" in sent


@ALL
def test_tables_are_not_modified(name, monkeypatch):
    tables = {
        "plane": on_plane(),
        "gold_scatter": scored(),
        "cone": named_projection(),
        "curves": over_steps(),
    }
    calls = {"plane": plane, "gold_scatter": gold_scatter, "cone": projection, "curves": curves}
    if name in calls:
        before = tables[name].copy(deep=True)
        calls[name](tables[name])
        pd.testing.assert_frame_equal(tables[name], before)


def test_escaping():
    assert escaped("%{x}") == "%&#123;x}"
    assert in_lines("word " * 200).count("<br>") == 3 and in_lines("word " * 200).endswith("…")
    assert in_lines("simcse-unsup-mini-mlm-s0-a851", width=26) == "simcse-unsup-mini-<br>mlm-s0-a851"
    assert in_lines("a well-known fact", width=12) == "a well-known<br>fact", "a word that fits is whole"


def test_plane_draws_paths_with_arrows_and_names_the_pairs():
    drawn = plane(on_plane())
    assert [len(trace.x) for trace in drawn.data] == [6, 1]
    assert drawn.data[0].x[-1] == pytest.approx(-2.6) and drawn.data[0].y[0] == 0.25
    arrows = [note for note in drawn.layout.annotations if note.showarrow and note.arrowhead]
    assert len(arrows) == 1 and (arrows[0].x, arrows[0].ax) == (pytest.approx(-2.6), pytest.approx(-2.4))
    assert drawn.layout.yaxis.title.text == "alignment on demo:dev, gold &gt; 4, lower is better"
    assert drawn.layout.xaxis.title.text == "uniformity, lower is better"
    assert drawn.data[1].marker.color == GREY != drawn.data[0].marker.color
    assert drawn.data[1].marker.symbol != drawn.data[0].marker.symbol


def test_seeds_are_small_points_and_of_three_or_more_an_ellipse():
    table = seeds_on_plane().assign(label="run")
    drawn = plane(table)
    around, seeds, path, alone = drawn.data
    assert around.fill == "toself" and list(seeds.x) == list(table.loc[table["training_seed"].notna(), "uniformity"])
    assert (min(around.x), max(around.x)) < (min(seeds.x), max(seeds.x)) < (max(around.x), 0)
    assert len(path.x) == 6 and len(alone.x) == 1, "means and paths are as without seeds"
    low, high = drawn.layout.yaxis.range
    assert low < min(around.y) and max(around.y) < high, "the ellipse is inside"
    assert len(plane(table[~(table["training_seed"] > 1)]).data) == 3, "two seeds have no ellipse"
    assert "seed 3" in seeds.customdata[3]


def test_by_score_the_colour_is_spearman_and_the_symbol_the_target():
    drawn = plane(seeds_on_plane(), by_score=True)
    seeds, path, alone = drawn.data[1:]
    assert list(seeds.marker.color) == [70] * 4 and list(path.marker.color) == [60] * 6
    assert seeds.marker.coloraxis == "coloraxis" and path.line.color == LIGHT.quiet
    assert path.marker.symbol[0] != alone.marker.symbol[0]
    assert not plane(on_plane(), by_score=True).layout.coloraxis.colorscale, "nothing to colour by"


@pytest.mark.parametrize("apart", [0.0, 0.001, 0.3])
@pytest.mark.parametrize("label", ["run", "simcse-unsup-minilm-l3-s0-304b", "a <b>name</b> " * 9])
def test_names_of_seeds_that_end_at_the_same_point_do_not_overlap(apart, label):
    table = pd.concat(on_plane(target=f"run {n}").assign(label=f"{n} {label}")[:6] for n in range(4))
    table.loc[table["step"] == 50, ["uniformity", "alignment"]] += apart * np.arange(4)[:, None]
    drawn = plane(pd.concat([table, on_plane()[6:].assign(label=f"5 {label}")]))
    if drawn.data[0].showlegend:  # no room for that many names
        assert label != "run" and not [note for note in drawn.layout.annotations if note.text]
        return
    (left, right), (low, high) = drawn.layout.xaxis.range, drawn.layout.yaxis.range
    boxes = []
    for note in (note for note in drawn.layout.annotations if note.text):
        x, y = (note.x - left) / (right - left) * 300, (high - note.y) / (high - low) * 330
        half = len(html.unescape(note.text)) * LETTER_PX / 2
        x += note.xshift + half * {"left": 1, "right": -1, "center": 0}[note.xanchor]
        y -= note.yshift
        boxes.append((x - half, y - LINE_PX / 2, x + half, y + LINE_PX / 2))
    assert len(boxes) == 5
    for one, other in itertools.combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    assert all(box[0] >= 0 and box[2] <= 300 and box[1] >= 0 and box[3] <= 330 for box in boxes)


def test_plane_refuses_two_definitions_of_alignment():
    mixed = on_plane()
    mixed.loc[0, "alignment_on"] = "dropout pairs"
    with pytest.raises(BadData, match="one definition") as caught:
        plane(mixed)
    assert "dropout pairs" in str(caught.value) and caught.value.way_out


def test_plane_leaves_out_what_was_not_measured():
    assert [len(trace.x) for trace in plane(on_plane().assign(alignment=[None, *[0.3] * 6])).data] == [5, 1]
    assert len(plane(on_plane(alignment=np.nan)).data) == 0


def test_plane_with_many_targets_has_a_legend_instead_of_labels():
    many = pd.concat(on_plane(target=f"run {number}", untrained=False) for number in range(6))
    assert all(trace.showlegend for trace in plane(many).data)
    assert not [note for note in plane(many).layout.annotations if note.text]


def test_gold_scatter():
    drawn = gold_scatter(scored())
    assert len(drawn.data) == 2 and len(drawn.data[0].x) == 40
    least = min(0, scored()["cosine"].min())
    assert drawn.layout.yaxis.range[0] < least and drawn.layout.yaxis.range[1] > 1
    beside = gold_scatter(scored(("run",)), lowest=least - 0.5)
    assert beside.layout.yaxis.range[0] < least - 0.5
    ranked = gold_scatter(scored(("run",)), ranks=True)
    assert min(ranked.data[0].y) == 0 and max(ranked.data[0].y) == 1
    assert ranked.layout.shapes and "rank" in ranked.layout.xaxis.title.text


def test_cone_shows_origin_and_mean_and_centred_pictures_state_that_they_are_centred():
    table = named_projection()
    drawn = projection(table)
    arrow = next(note for note in drawn.layout.annotations if note.showarrow)
    assert (arrow.ax, arrow.ay) == (0, 0) and arrow.x == pytest.approx(table.attrs["mean_length"])
    name = next(note for note in drawn.layout.annotations if note.text == "origin")
    assert name.xanchor == "right" and name.x == min(0, table["x"][table["y"].abs() < 0.25].min())
    assert any(tuple(trace.x) == (0,) and tuple(trace.y) == (0,) for trace in drawn.data)
    assert drawn.layout.yaxis.scaleanchor == "x"
    pca = projection(named_projection("pca"))
    assert any("not in this picture" in note.text for note in pca.layout.annotations)
    assert "hidden" in takeaway_of(pca) and takeaway.number(table.attrs["mean_cosine"]) in takeaway_of(pca)


def test_projection_groups_have_colours_and_symbols():
    table = named_projection().assign(genre=["a", "b", "c"] * 20)
    points = projection(table, group="genre").data[:3]
    assert len({trace.marker.color for trace in points}) == len({trace.marker.symbol for trace in points}) == 3
    assert projection(named_projection(), untrained=True).data[0].marker.color == GREY
    centred = projection(named_projection("pca").assign(genre=["a", "b", "c"] * 20), group="genre")
    assert "centred" in centred.layout.xaxis.title.text and not centred.layout.annotations


def test_stars_join_views_to_their_mean():
    table = named_views()
    drawn = dropout_views(table, labels=["one", "two", "three"])
    rays, views, middle = drawn.data[:3]
    assert len(rays.x) == 3 * 4 and len(views.x) == 4 and len(middle.x) == 1
    assert rays.x[0] == pytest.approx(middle.x[0]) and rays.x[1] == pytest.approx(views.x[0])
    assert [trace.name for trace in drawn.data if trace.showlegend] == ["one", "two", "three"]


def test_curves_are_decimated_and_keep_their_peaks():
    table = over_steps(20_000)
    table.loc[777, "loss"] = 50.0
    drawn = curves(table, measures=["loss", "spearman"])
    loss, spearman = drawn.data
    assert len(loss.x) <= MOST_POINTS and max(loss.y) == 50 and (loss.x[0], loss.x[-1]) == (0, 19_999)
    assert len(spearman.x) == 200 and spearman.y[0] == pytest.approx(63) and spearman.y[-1] == pytest.approx(75)
    with pytest.raises(UnknownName, match="lost"):
        curves(table, measures=["lost"])
    assert takeaway_of(curves(pd.DataFrame({"step": []}))) == "Nothing has been measured yet."


@pytest.mark.parametrize("length", [0, 1, 500, 501, 12_345])
def test_decimation_is_bounded_and_ordered(length):
    kept = decimate(np.random.default_rng(0).random(length))
    assert len(kept) == min(length, len(kept)) <= MOST_POINTS
    assert (np.diff(kept) > 0).all()


def test_each_line_of_the_spectrum_carries_its_symbol_and_the_legend_shows_both():
    table = spectrum_table(cone())
    both = pd.concat([table.assign(target=name, untrained=True) for name in ("first", "second")])
    used = styles(["first", "second"], untrained=["first", "second"])
    drawn = spectrum(both, styles=used).data
    for name, style in used.items():
        line, symbols, legend = [trace for trace in drawn if trace.legendgroup == name]
        assert line.line.dash == legend.line.dash == style.dash and not line.showlegend and not symbols.showlegend
        assert symbols.marker.symbol == legend.marker.symbol == style.symbol and legend.showlegend is not False
        known = dict(zip(line.x, line.y, strict=True))
        assert len(symbols.x) > 2 and all(known[x] == y for x, y in zip(symbols.x, symbols.y, strict=True))
    first, second = ({*trace.x} for trace in drawn if trace.mode == "markers")
    assert max(first) not in second and max(second) not in first, (
        "symbols of lines that coincide do not all hide each other"
    )


def test_spectrum_leaves_out_directions_of_negligible_strength():
    table = spectrum_table(np.outer(np.arange(1.0, 9), [1.0, 2.0]))
    assert len(spectrum(table).data[0].x) == 1


def test_styles_differ_by_symbol_and_dash_as_well_as_colour():
    names = [f"run {number}" for number in range(20)]
    found = styles([*names, "minilm-l3", "minilm-l3+centre"], untrained=["minilm-l3", "minilm-l3+centre"])
    assert len({(style.colour, style.symbol) for style in found.values()}) == 22
    first = [found[name] for name in names[:6]]
    assert (
        len({style.colour for style in first})
        == len({style.symbol for style in first})
        == len({style.dash for style in first})
        == 6
    )
    grey = [found["minilm-l3"], found["minilm-l3+centre"]]
    assert {style.colour for style in grey} == {GREY}
    assert grey[0].symbol != grey[1].symbol and grey[0].dash != grey[1].dash
    assert all(style.colour != GREY for name, style in found.items() if name in names)
    # An untrained backbone takes no colour from the runs.
    assert styles(["minilm-l3", "run 0"], untrained=["minilm-l3"])["run 0"] == found["run 0"]


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_have_enough_contrast(look):
    assert contrast(look.ink, look.paper) > 7 and contrast(look.quiet, look.paper) > 4.5
    assert contrast(GREY, look.paper) > 3
    assert all(contrast(colour, look.paper) >= 3 for colour in look.series)


def test_takeaways():
    assert takeaway.opened(0.52, 0.15) == f"The cone opened: {RANDOM} fell from 0.52 to 0.15."
    assert "narrowed" in takeaway.opened(0.2, 0.5) and "stayed" in takeaway.opened(0.5, 0.51)
    assert takeaway_of(curves(over_steps())) == f"The cone opened: {RANDOM} fell from 0.52 to 0.15."
    assert (
        takeaway_of(curves(over_steps(), measures=["spearman"]))
        == "Spearman × 100 rose from 63.00 to 75.00 by step 1,900."
    )
    best = on_plane(label="x").query("step in (0, 50)").assign(alignment=[0.25, 0.2, 0.25])
    said = "run is best on both: alignment 0.20, uniformity −2.60."
    assert takeaway.plane(best.assign(label=best["target"])) == said
    assert takeaway.number(float("nan")) == takeaway.DASH


def test_values_that_round_to_the_same_number_are_reported_as_unchanged():
    table = pd.DataFrame({"step": [0, 10], "spearman": [0.630051, 0.630140]})
    assert takeaway_of(curves(table)) == "Spearman × 100 stayed at 63.01 by step 10."
    two = pd.DataFrame({"target": ["a", "b"], "step": 1, "loss": [0.5, 0.501]})
    assert takeaway_of(curves(two)) == "At the end loss (nats) is 0.50 for all."
    opened = curves(two.assign(mean_cosine=0.3))
    assert takeaway_of(opened) == "At the end mean cosine of random pairs is 0.30 for all."


def test_panel_titles_state_which_direction_is_better():
    titles = [note.text for note in curves(over_steps(), measures=["mean_cosine", "spearman"]).layout.annotations]
    assert titles == ["mean cosine of random pairs, nearer 0 is more open", "Spearman × 100, higher is better"]


def test_the_template_is_stable_and_has_the_same_margins_in_both_themes():
    assert template(True).layout.margin == template(False).layout.margin
    assert template() == template()


def test_axes_write_no_prefixes_of_units():
    """A loss of 0.00005 is not 50µ; print has none either."""
    for axis in (template().layout.xaxis, template().layout.yaxis):
        assert (axis.exponentformat, axis.minexponent, axis.separatethousands) == ("e", 6, True)
    assert [tick_number(value) for value in (20_000, 0.0001)] == ["20,000", "0.0001"]


def test_figures_need_neither_streamlit_nor_torch():
    code = (
        "import pkgutil, importlib, sys, workbench.plots as plots\n"
        "[importlib.import_module(f'workbench.plots.{m.name}') for m in pkgutil.iter_modules(plots.__path__)]\n"
        "print([name for name in ('torch', 'streamlit', 'sklearn', 'umap', 'matplotlib') if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_the_boundary_of_a_margin_divides_the_texts():
    drawn = decision_boundary(angled(), 10)
    margin, none, right, within, wrong = drawn.data
    assert (margin.y[0] - margin.x[0], none.y[0] - none.x[0]) == (10, 0)
    assert margin.y[1] - margin.x[1] == 10 and none.y[1] == none.x[1]
    assert [list(trace.x) for trace in (right, within, wrong)] == [[10.0], [10.0], [30.0]]
    assert takeaway_of(drawn).startswith("For 33 % of the texts")


def test_a_histogram_counts_the_values_of_each_target():
    first, other = binned(False).data
    assert list(first.x) == [-1, -1, -0.5, -0.5, 0, 0, 0.5, 0.5, 1, 1]
    assert list(first.y) == [0, 1, 1, 0, 0, 2, 2, 0, 0, 0] and list(other.y) == [0, 0, 0, 0, 0, 2, 2, 1, 1, 0]
    assert first.line.dash != other.line.dash and binned(False).layout.showlegend


def test_the_labels_of_long_sentences_have_room():
    places = np.indices((90, 24)).reshape(2, -1)
    parts = contributions().head(1).drop(columns=["first", "second"])
    table = parts.loc[[0] * len(places[0])].assign(first=places[0], second=places[1]).reset_index(drop=True)
    table["first_token"] = [f"word{place}" for place in table["first"]]
    drawn = token_contributions(table)
    assert list(drawn.layout.yaxis.tickvals) == list(range(0, 90, 3))
    assert drawn.layout.yaxis.ticktext[:2] == ("word0", "word3")
    assert drawn.layout.yaxis.title.text == "first sentence (one token in 3 is named)"
    assert len(drawn.layout.xaxis.tickvals) == 24 and drawn.layout.xaxis.title.text == "second sentence"
