"""Differences from a baseline."""

import pandas
import pytest

from workbench.plots.forest import forest, said_against
from workbench.plots.template import LIGHT, takeaway_of


@pytest.fixture
def rows():
    return pandas.DataFrame(
        [
            ("worse one", -0.05, -0.08, -0.02, "worse", 0.04),
            ("better one", 0.06, 0.03, 0.09, "better", 0.04),
            ("same", 0.01, -0.02, 0.04, "tie", 0.05),
        ],
        columns=["label", "delta", "low", "high", "verdict", "detectable"],
    )


def test_the_largest_difference_is_on_top_and_only_what_a_test_tells_apart_is_filled(rows):
    drawn = forest(rows, baseline="raw")
    assert list(drawn.layout.yaxis.ticktext) == ["better one", "same", "worse one"]
    by_name = {trace.name: trace for trace in drawn.data if trace.mode == "markers"}
    assert by_name["better"].x[0] == pytest.approx(6) and by_name["better"].y[0] == 0
    assert by_name["tie"].marker.color == LIGHT.paper != by_name["worse"].marker.color
    assert by_name["worse"].error_x.array[0] == pytest.approx(3) == by_name["worse"].error_x.arrayminus[0]
    bands = [trace for trace in drawn.data if trace.mode == "lines"]
    assert [trace.x[1] for trace in bands] == pytest.approx([4, 5, 4])


def test_the_sentence_counts_and_of_one_row_gives_the_difference(rows):
    assert takeaway_of(forest(rows, baseline="raw")) == "Against raw: 1 better, 1 worse, 1 that no test tells from it."
    assert said_against(rows.iloc[2:], "raw") == "Against raw, same: a tie (+1.00, −2.0 to +4.0)."
    assert said_against(rows.iloc[:1], "raw") == "Against raw, worse one: worse (−5.00, −8.0 to −2.0)."


def test_bands_of_few_seeds_leave_the_intervals_to_be_seen(rows):
    assert forest(rows, baseline="raw").layout.xaxis.range == pytest.approx((-8.85, 9.85))
    wide = forest(rows.assign(detectable=[2.4, 0.04, 0.12]), baseline="raw")
    assert wide.layout.xaxis.range == pytest.approx((-19.8, 19.8))
    bands = {trace.y[0]: trace for trace in wide.data if trace.mode == "lines"}
    assert bands[2].x == pytest.approx((-19.8, 19.8)) and "80 %: > 100<" in bands[2].hovertemplate
    assert bands[1].x == pytest.approx((-12, 12)) and "80 %: 12.00<" in bands[1].hovertemplate


def test_methods_that_do_not_differ_at_all_are_drawn(rows):
    alike = rows.assign(delta=0.0, low=0.0, high=0.0, detectable=0.0)
    assert forest(alike, baseline="raw").layout.xaxis.range is None


def by_group(rows):
    from pandas import concat

    worse = rows.assign(group="hard", delta=rows["delta"] - 0.1, low=rows["low"] - 0.1, high=rows["high"] - 0.1)
    return concat([rows.assign(group="easy"), worse.assign(verdict="worse")], ignore_index=True)


def test_by_group_the_worst_group_is_on_top_and_so_is_the_lowest_difference_in_it(rows):
    drawn = forest(by_group(rows), baseline="raw")
    names = list(drawn.layout.yaxis.ticktext)
    assert names[:3] == ["hard · worse one", "hard · same", "hard · better one"] and names[3] == "easy · worse one"
    said = "Against raw: lowest worse one in hard (−15.00, −18.0 to −12.0), worse; 1 better, 4 worse, 1 tied."
    assert takeaway_of(drawn) == said
    alone = by_group(rows)[lambda table: table["label"] == "same"]
    assert list(forest(alone, baseline="raw").layout.yaxis.ticktext) == ["hard", "easy"]
    assert takeaway_of(forest(alone, baseline="raw")).startswith("Against raw, same: lowest hard (−9.00")


def test_colours_of_methods_leave_the_verdict_to_symbol_and_filling(rows):
    drawn = forest(rows.assign(colour=["#111111", "#222222", "#333333"]), baseline="raw")
    shown = [trace for trace in drawn.data if trace.mode == "markers" and trace.x[0] is not None]
    assert {trace.marker.line.color for trace in shown} == {"#111111", "#222222", "#333333"}
    assert {trace.name: trace.marker.symbol for trace in shown} == {
        "better": "circle",
        "tie": "square",
        "worse": "diamond",
    }
    assert next(trace for trace in shown if trace.name == "tie").marker.color == LIGHT.paper
    legend = [trace.name for trace in drawn.data if trace.mode == "markers" and trace.showlegend is not False]
    assert legend == ["better", "tie", "worse"]


def test_an_interval_that_does_not_hold_its_difference_is_drawn_for_print_too(rows):
    """As a bootstrap of a few pairs may give."""
    from workbench.plots.to_matplotlib import to_matplotlib

    rows.loc[2, "high"] = 0.005
    drawn = forest(rows, baseline="raw")
    assert min(trace.error_x.array[0] for trace in drawn.data if trace.mode == "markers") == 0
    assert to_matplotlib(drawn)
