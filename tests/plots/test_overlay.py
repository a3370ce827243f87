"""Curves of several runs over each other."""

import pandas as pd
import pytest

from workbench.plots.overlay import overlay
from workbench.plots.template import styles, takeaway_of


def table(**changes):
    rows = [
        {"measure": measure, "target": target, "label": target.upper(), "x": float(x), "value": value + x / 10}
        for measure in ("loss", "spearman")
        for target, value in (("a", 0.1), ("b", 0.3))
        for x in range(3)
    ]
    return pd.DataFrame(rows).assign(low=float("nan"), high=float("nan"), **changes)


def test_a_panel_per_measure_and_a_line_per_run():
    drawn = overlay(table(), axis="seconds", words={"loss": "Loss"})
    assert [trace.name for trace in drawn.data] == ["A", "B"] * 2
    assert [trace.showlegend for trace in drawn.data] == [True, True, False, False]
    assert list(drawn.data[2].y) == pytest.approx([10, 20, 30]), "Spearman is shown times 100"
    assert next(title.text for title in drawn.layout.annotations) == "Loss"
    assert drawn.layout.xaxis2.title.text == "seconds"
    assert "between 30.00 (A) and 50.00 (B)" in takeaway_of(drawn)


def test_runs_that_are_probed_on_different_pairs_are_not_compared():
    same = overlay(table(on="demo:dev"), words={"spearman": "Spearman"})
    assert "At the end Spearman on demo:dev is between 30.00 (A)" in takeaway_of(same)
    rows = table()
    drawn = overlay(
        rows.assign(on=rows["target"].map({"a": "tickets.tsv", "b": "demo:dev"})), words={"spearman": "Spearman"}
    )
    assert takeaway_of(drawn).startswith("Spearman is measured on demo:dev and tickets.tsv: ")
    assert "between" not in takeaway_of(drawn)


def test_a_band_lies_behind_its_line_in_its_colour():
    rows = table()
    rows.loc[rows["target"] == "a", ["low", "high"]] = [0.0, 1.0]
    drawn = overlay(rows, styles=styles(["a", "b"]))
    band, line = drawn.data[:2]
    assert band.fill == "toself" and not band.showlegend and band.legendgroup == line.legendgroup == "a"
    assert list(band.x) == [0, 1, 2, 2, 1, 0] and list(band.y) == [1, 1, 1, 0, 0, 0]
    red, green, blue = (int(line.line.color[start : start + 2], 16) for start in (1, 3, 5))
    assert band.fillcolor.startswith(f"rgba({red},{green},{blue},")
    assert sum(trace.fill == "toself" for trace in drawn.data) == 2, "one a panel: b has none"


def test_names_are_shown_as_they_are_written():
    drawn = overlay(table().assign(label="<b>x</b>"))
    assert drawn.data[0].name == "&lt;b&gt;x&lt;/b&gt;"


def test_nothing_to_draw_says_so():
    assert takeaway_of(overlay(table().iloc[:0])) == "Nothing has been measured yet."


def test_a_level_is_a_dotted_line_with_a_name_across_the_first_panel():
    *lines, level = overlay(table(), level=(0.25, "guessing <evenly>")).data
    assert level.name == "guessing &lt;evenly&gt;" and level.line.dash == "dot"
    assert list(level.y) == [0.25, 0.25] and list(level.x) == [0, 2]
    assert len(lines) == len(overlay(table()).data)


def test_what_was_logged_is_a_faint_line_behind_its_running_mean():
    rows = table().assign(raw=7.0)
    rows.loc[rows["measure"] == "spearman", "raw"] = float("nan")
    raw, mean, *rest = overlay(rows).data
    assert list(raw.y) == [7, 7, 7] and raw.opacity < 1 and not raw.showlegend and raw.legendgroup == "a"
    assert list(mean.y) == pytest.approx([0.1, 0.2, 0.3]) and mean.showlegend
    assert len(rest) == 4, "b with its own, and Spearman of both without"
