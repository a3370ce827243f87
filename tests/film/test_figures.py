"""The figures of a film at one step, against its tables."""

import numpy as np
import pytest

from tests.run_folders import film_run, make_run
from workbench import api
from workbench.core.errors import BadData, BadSetting, UnknownName
from workbench.film.figures import FIGURES
from workbench.film.tables import FilmTables, film_tables
from workbench.plots.template import DARK, alt_text, takeaway_of


@pytest.fixture
def tables(folder):
    return film_tables(film_run(make_run(folder, name="mine")))


def without_pairs(tables):
    return FilmTables(
        **{
            **vars(tables),
            "pairs": tables.pairs.iloc[:0],
            "frames": tables.frames.assign(alignment=np.nan),
            "about": {**tables.about, "scale": []},
        }
    )


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_whose_and_at_which_step_and_becomes_a_file(name, tables, tmp_path):
    drawn = api.film_figure(tables, name, step=10, dark=True)
    assert takeaway_of(drawn).startswith("Step 10 of 20: ") and alt_text(drawn).startswith("mine: ")
    assert drawn.layout.template.layout.paper_bgcolor == DARK.paper and takeaway_of(drawn) in alt_text(drawn)
    for width in ("single", "full"):
        assert api.save_figure(drawn, tmp_path / f"{width}.svg", width=width).stat().st_size > 2000


def test_points_are_those_of_the_frame_on_axes_that_are_the_same_at_all_steps(tables):
    first, last = (api.film_figure(tables, "pca", step=step) for step in (0, 20))
    assert first.layout.xaxis.range == last.layout.xaxis.range and first.layout.yaxis.range == last.layout.yaxis.range
    for frame, drawn in ((0, first), (2, last)):
        shown = [trace for trace in drawn.data if trace.mode == "markers"]
        np.testing.assert_allclose(
            sorted(x for trace in shown for x in trace.x), sorted(tables.pca[frame][:, 0]), atol=1e-6
        )
        assert {trace.name for trace in shown} == {"genre 0", "genre 1", "genre 2"}
    (lines,) = (trace for trace in last.data if trace.mode == "lines")
    assert len(lines.x) == 3 * (tables.pairs["gold"] > 4).sum(), "pairs that mean the same are joined"


def test_gold_scores_have_the_means_of_fifths_now_and_at_the_first_step(tables):
    drawn = api.film_figure(tables, "gold", step=20)
    *points, begun, now = drawn.data
    assert sum(len(trace.x) for trace in points) == len(tables.pairs)
    fifth = np.minimum(4, tables.pairs["gold"].to_numpy().astype(int))
    for line, frame in ((begun, 0), (now, 2)):
        expected = [tables.cosines[frame][fifth == at].mean() for at in range(5)]
        np.testing.assert_allclose(line.y, expected, atol=1e-6)
    assert list(now.x) == [0.5, 1.5, 2.5, 3.5, 4.5] and (begun.name, now.name) == (
        "mean by fifth, step 0",
        "mean by fifth, step 20",
    )
    assert len(api.film_figure(tables, "gold", step=0).data) == len(points) + 1


def test_the_path_is_the_way_so_far_and_the_way_to_the_end(tables):
    later, now, first = api.film_figure(tables, "path", step=10).data
    frames = tables.frames
    assert list(now.x) == list(frames["uniformity"][:2]) and list(later.x) == list(frames["uniformity"][1:])
    assert list(first.x) == [frames["uniformity"][0]] and now.line.color != later.line.color
    assert [len(trace.x) for trace in api.film_figure(tables, "path").data] == [3, 1], "of the last step by default"


def test_the_spectrum_stands_beside_that_of_the_first_step_and_curves_have_a_mark(tables):
    drawn = api.film_figure(tables, "spectrum", step=20)
    for trace, frame in ((drawn.data[0], 0), (drawn.data[3], 2)):
        values = tables.spectrum[frame].astype(np.float64)
        np.testing.assert_allclose(trace.y, values)
        np.testing.assert_allclose(trace.customdata, values**2 / (values**2).sum())
    rank = tables.frames["effective_rank"]
    assert takeaway_of(drawn) == f"Step 20 of 20: effective rank {rank[2]:.0f} ({rank[0]:.0f} at step 0)."
    curves = api.film_figure(tables, "curves", step=10)
    assert {shape.x0 for shape in curves.layout.shapes} == {10} and len(curves.layout.shapes) == len(curves.data) == 3


def test_what_was_not_measured_is_not_drawn(tables):
    with pytest.raises(BadSetting, match=r"no frame of step 13.*nearest is 10, of 0, 10 and 20"):
        api.film_figure(tables, "cone", step=13)
    with pytest.raises(UnknownName, match="cone"):
        api.film_figure(tables, "cones")
    bare = without_pairs(tables)
    for name in ("gold", "path"):
        with pytest.raises(BadData):
            api.film_figure(bare, name)
    for name in ("cone", "pca", "spectrum", "curves"):
        assert takeaway_of(api.film_figure(bare, name))
