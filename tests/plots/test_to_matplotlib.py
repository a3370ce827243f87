"""Every kind of figure, drawn again for print."""

import importlib
import inspect
import pkgutil
from functools import cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.text import Text

from tests.plots.gallery import ALL, WIDE
from workbench import plots
from workbench.core.errors import BadSetting
from workbench.plots.printing.values import plain
from workbench.plots.template import DARK, LIGHT, figure
from workbench.plots.to_matplotlib import WIDTHS, to_matplotlib

EVERY = pytest.mark.parametrize("name", ALL)


@cache
def both(name):
    """A figure as Plotly has it, and as drawn for print."""
    drawn = ALL[name](False)
    return drawn, to_matplotlib(drawn, width="full" if name in WIDE else "single")


def small(*traces, **layout):
    drawn = figure(dark=False, takeaway="It is.", alt="It is.", xaxis_title="x", **layout)
    drawn.add_traces(traces)
    return drawn


def plots_of(page):
    return [axes for axes in page.axes if axes.get_label() not in ("", "colour bar")]


def words_of(page):
    """The texts that are shown, each on one line."""
    return [" ".join(text.get_text().split()) for text in page.findobj(Text) if text.get_visible()]


def drawn_points(trace):
    try:
        x, y = (np.array([np.nan if value is None else value for value in axis], float) for axis in (trace.x, trace.y))
    except ValueError:  # categories
        return len(trace.x)
    return int((np.isfinite(x) & np.isfinite(y)).sum())


def test_the_gallery_has_a_figure_of_every_function_that_draws_one():
    drawing = {
        name
        for module in pkgutil.iter_modules(plots.__path__, f"{plots.__name__}.")
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction)
        if not name.startswith("_") and function.__annotations__.get("return") is go.Figure
    }
    assert (
        drawing - {"figure", "make_subplots"}
        == {name for make in ALL.values() for name in make.__code__.co_names} & drawing
    )


@EVERY
def test_all_points_lines_bars_and_cells_are_drawn(name):
    drawn, page = both(name)
    marked = [trace for trace in drawn.data if "markers" in (getattr(trace, "mode", None) or "")]
    shapes = [part for axes in plots_of(page) for part in axes.collections]
    dots = sum(len(part.get_offsets()) for part in shapes if isinstance(part, PathCollection))
    assert dots == sum(map(drawn_points, marked))
    cells = [part.get_array().size for part in shapes if isinstance(part, QuadMesh)]
    assert cells == [np.size(trace.z) for trace in drawn.data if trace.type == "heatmap"]
    bars = sum(len(group) for axes in plots_of(page) for group in axes.containers if hasattr(group, "patches"))
    assert bars == sum(len(trace.x) for trace in drawn.data if trace.type == "bar")
    lines = [len(line.get_xdata()) for axes in plots_of(page) for line in axes.lines]
    for trace in drawn.data:
        if "lines" in (getattr(trace, "mode", None) or ""):
            assert len(trace.x) in lines


@EVERY
def test_titles_ticks_notes_and_legend_are_all_there(name):
    drawn, page = both(name)
    shown = words_of(page)
    axes = [axis for axis in (*drawn.select_xaxes(), *drawn.select_yaxes()) if axis.visible is not False]
    titles = [axis.title.text for axis in axes if axis.title.text]
    notes = [note.text for note in drawn.layout.annotations if note.text]
    for text in [*titles, *notes]:
        assert " ".join(plain(text).split()) in shown
    listed = [trace for trace in drawn.data if trace.showlegend is not False and trace.type != "heatmap"]
    legends = page.legends
    expected = drawn.layout.showlegend if drawn.layout.showlegend is not None else len(listed) > 1
    assert len(legends) == bool(expected)
    for legend in legends:
        found = [" ".join(text.get_text().split()) for text in legend.get_texts()]
        assert found == [" ".join(plain(trace.name).split()) for trace in listed]


@EVERY
def test_nothing_leaves_the_page_or_covers_its_neighbour(name):
    _, page = both(name)
    page.draw_without_rendering()
    whole = page.bbox
    tight = page.get_tightbbox().transformed(page.dpi_scale_trans)
    assert tight.x0 >= whole.x0 - 1 and tight.y0 >= whole.y0 - 1, tight
    assert tight.x1 <= whole.x1 + 1 and tight.y1 <= whole.y1 + 1, tight
    tops = [axes.get_window_extent().y1 for axes in plots_of(page)]
    for above in (*page.legends, *(axes for axes in page.axes if axes.get_label() == "colour bar")):
        assert above.get_window_extent().y0 >= max(tops) - 1
    for axes in plots_of(page):
        assert axes.get_window_extent().width > 0.1 * whole.width and axes.get_window_extent().height > 20
        for axis, flat in ((axes.xaxis, True), (axes.yaxis, False)):
            if not axis.get_visible() or any(label.get_rotation() for label in axis.get_ticklabels()):
                continue
            boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
            low, high = sorted(
                axes.transData.transform([(axes.get_xlim()[end], axes.get_ylim()[end]) for end in (0, 1)])[
                    :, 0 if flat else 1
                ]
            )
            ends = sorted((box.x0, box.x1) if flat else (box.y0, box.y1) for box in boxes)
            ends = [(start, end) for start, end in ends if low - 1 <= (start + end) / 2 <= high + 1]
            assert all(first[1] <= second[0] + 1 for first, second in pairwise(ends)), (name, flat)


@EVERY
def test_text_is_shown_as_it_is_written(name):
    drawn, page = both(name)
    assert all(not text.get_parse_math() for text in page.findobj(Text))
    shown = " ".join(words_of(page))
    assert "&lt;" not in shown and "<br>" not in shown
    if "&lt;b&gt;x" in drawn.to_json() and name in ("plane", "dropout_views", "token_contributions", "sweep_map"):
        assert "<b>x" in shown


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_as_wide_as_a_column(width):
    page = to_matplotlib(small(go.Scatter(x=[1, 2], y=[3, 4])), width=width)
    assert page.get_figwidth() == {"single": 3.33, "full": 6.75}[width]


def test_a_light_figure_stands_on_white_and_a_dark_one_on_its_own_colour():
    assert to_matplotlib(ALL["plane"](False)).get_facecolor() == (1, 1, 1, 1)
    red, green, blue, _ = to_matplotlib(ALL["plane"](True)).get_facecolor()
    assert "#" + "".join(f"{round(255 * part):02X}" for part in (red, green, blue)) == DARK.paper


def test_axes_keep_their_scale_direction_ends_and_words():
    drawn = small(go.Scatter(x=[1, 10, 100], y=[3, 4, 5], mode="lines"))
    drawn.update_xaxes(type="log", range=[0, 3], tickvals=[1, 10, 1000], ticktext=["one", "ten", "$1,000"])
    drawn.update_yaxes(autorange="reversed")
    (axes,) = plots_of(to_matplotlib(drawn))
    assert axes.get_xscale() == "log" and axes.get_xlim() == pytest.approx((1, 1000))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["one", "ten", "$1,000"]
    assert axes.get_ylim()[0] > 5 > 3 > axes.get_ylim()[1]


def test_a_title_that_just_fits_stays_on_the_page():
    """Where a line more makes the plot wider and a line less makes it narrower, there is no rest."""
    title = {"title": {"text": "a " * 31 + "bc d"}, "range": [0, 31]}
    page = to_matplotlib(small(go.Scatter(x=[1, 2], y=[1, 2])).update_layout(xaxis=title, yaxis_title="y"))
    page.draw_without_rendering()
    assert page.get_tightbbox().y0 >= -0.01


def test_long_names_beside_a_plot_take_two_lines_and_none_is_left_out():
    names = [f"Replace the {word} informative words (UNA)" for word in ("most", "least", "only")] * 10
    places = list(range(len(names)))
    page = to_matplotlib(small(go.Scatter(x=places, y=places), yaxis={"tickvals": places, "ticktext": names}))
    (axes,) = plots_of(page)
    shown = [label.get_text() for label in axes.get_yticklabels() if label.get_visible()]
    assert [text.replace("\n", " ") for text in shown] == names and shown[0].count("\n") == 1


def test_categories_keep_their_order_and_both_axes_one_scale_where_asked():
    drawn = small(go.Scatter(x=[1.0, 2.0, 3.0], y=["b", "a", "b"], mode="markers"))
    (axes,) = plots_of(to_matplotlib(drawn))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "a"]
    assert axes.collections[0].get_offsets()[:, 1].tolist() == [0, 1, 0]
    drawn = small(go.Scatter(x=[0, 10], y=[0, 1], mode="markers")).update_yaxes(scaleanchor="x")
    page = to_matplotlib(drawn)
    (axes,) = plots_of(page)
    box = axes.get_window_extent()
    across, up = np.diff(axes.get_xlim())[0] / box.width, np.diff(axes.get_ylim())[0] / box.height
    assert across == pytest.approx(up)


def test_marks_keep_colour_size_and_emptiness():
    marker = {"color": ["#FF0000", LIGHT.paper], "size": [10, 5], "line": {"color": "#00FF00", "width": 2}}
    (axes,) = plots_of(to_matplotlib(small(go.Scatter(x=[1, 2], y=[1, 2], mode="markers", marker=marker))))
    (dots,) = axes.collections
    assert dots.get_facecolors().tolist() == [[1, 0, 0, 1], [1, 1, 1, 1]]
    assert dots.get_edgecolors().tolist() == [[0, 1, 0, 1]] * 2
    assert dots.get_sizes()[0] == pytest.approx(4 * dots.get_sizes()[1])
    hollow = go.Scatter(x=[1], y=[1], mode="markers", marker={"symbol": "circle-open", "color": "rgba(255,0,0,0.5)"})
    (dots,) = plots_of(to_matplotlib(small(hollow)))[0].collections
    assert dots.get_facecolors()[0, 3] == 0 and dots.get_edgecolors()[0].tolist() == [1, 0, 0, 0.5]


def test_a_figure_from_json_is_the_same_picture():
    drawn = ALL["batch_matrix"](False)
    again = plotly.io.from_json(drawn.to_json())
    first, second = to_matplotlib(drawn), to_matplotlib(again)
    (cells,), (others,) = (
        [part for part in plots_of(page)[0].collections if isinstance(part, QuadMesh)] for page in (first, second)
    )
    np.testing.assert_array_equal(cells.get_array(), others.get_array())


@pytest.mark.parametrize(
    ("drawn", "named"),
    [
        (go.Figure(go.Scatter3d(x=[1], y=[1], z=[1])), "scatter3d"),
        (go.Figure(go.Violin(y=[1, 2])), "violin"),
        (small(go.Scatter(x=[1], y=[1], mode="text", text="a")), "points with text"),
        (small(go.Scatter(x=[1], y=[1], fill="tonexty")), "tonexty"),
        (small(go.Scatter(x=[1], y=[1], mode="lines", line={"shape": "hv"})), "shape hv"),
        (small(go.Scatter(x=[1], y=[1], mode="markers", marker={"color": [0.5]})), "on a scale"),
        (small(go.Scatter(x=[1], y=[1], mode="markers", marker={"symbol": "hexagon"})), "hexagon"),
        (small(go.Heatmap(z=[[1]], colorscale=[[0, "#FFFFFF"], [1, "#000000"]])), "upright colour bar"),
        (small(go.Scatter(x=[1], y=[1], yaxis="y2"), yaxis2={"overlaying": "y"}), "second axis"),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(drawn, named):
    with pytest.raises(BadSetting, match=named):
        to_matplotlib(drawn)


def test_labels_that_would_be_too_small_are_refused_with_the_way_out():
    with pytest.raises(BadSetting, match="Use the width full"):
        to_matplotlib(ALL["scan_plane"](False), width="single")
    with pytest.raises(BadSetting, match="single, full"):
        to_matplotlib(ALL["plane"](False), width="wide")


def test_settings_of_the_caller_are_neither_used_nor_changed(monkeypatch):
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "axes.facecolor", "red")
    monkeypatch.setitem(mpl.rcParams, "text.color", "red")
    before = dict(mpl.rcParams)
    page = to_matplotlib(ALL["curves"](False))
    assert dict(mpl.rcParams) == before
    assert not any(text.get_color() == "red" for text in page.findobj(Text))
