"""Curves of several runs in one table: means and bands worked out by hand."""

import math

import pytest

from tests.run_folders import make_run, repeated
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_text
from workbench.recipes.load import RECIPES
from workbench.store import names
from workbench.store.curves import curve_table, measures, repetitions
from workbench.store.following import Followed


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def stepped(run, *rows):
    """The run with these steps: loss and seconds of each, and further columns."""
    write_text(run.folder / names.STEPS, "")
    for number, (loss, seconds, more) in enumerate(rows, 1):
        append_line(run.folder / names.STEPS, {"step": number, "loss": loss, "seconds": seconds, "time": 0.0, **more})
    return run


def columns(table, *names):
    return [tuple(row) for row in table[list(names)].itertuples(index=False)]


def test_seeds_are_one_series_with_mean_range_and_deviation(folder):
    first = stepped(make_run(folder, 0), (1.0, 2.0, {}), (0.5, 4.0, {}))
    other = stepped(make_run(folder, 1), (3.0, 4.0, {}))
    longer = make_run(folder, 2, steps=40)
    assert [[run.id for run in group.runs] for group in repetitions([first, other, longer])] == [
        [other.id, first.id],
        [longer.id],
    ]
    table = curve_table([first, other], ["loss"])
    assert set(table["target"]) == {other.id}
    rows = columns(table, "x", "value", "low", "high", "n")
    assert rows[0] == (1.0, 2.0, 1.0, 3.0, 2)
    assert rows[1][:2] == (2.0, 0.5) and math.isnan(rows[1][2]) and rows[1][4] == 1, "one run got so far: no band"
    table = curve_table([first, other], ["loss"], deviation=True, seconds=True)
    (x, low, high), (later, *_) = columns(table, "x", "low", "high")
    assert x == 3.0, "the mean of 2 and 4 seconds"
    assert (low, high) == pytest.approx((2 - math.sqrt(2), 2 + math.sqrt(2))), "the deviation of 1 and 3 by n - 1"
    assert later == 6.0, "seconds add up"


def test_a_run_with_the_same_settings_and_seed_is_no_further_seed(folder):
    first = stepped(make_run(folder, 0), (1.0, 2.0, {}), (0.5, 4.0, {}))
    other = stepped(make_run(folder, 1), (3.0, 4.0, {}))
    twin = repeated(first, "20260101-000009-simcse-unsup-minilm-l3-s0-0009")
    begun = repeated(other, "20260101-000010-simcse-unsup-minilm-l3-s1-0010")
    write_text(begun.folder / names.STEPS, "")
    (group,) = repetitions([first, other, twin, begun])
    assert [run.id for run in group.runs] == [twin.id, other.id], "the one that got furthest, of those the newest"
    assert {run.id for run in group.again} == {first.id, begun.id}
    (row, _) = columns(curve_table([first, other, twin, begun], ["loss"]), "value", "low", "high", "n")
    assert row == (2.0, 1.0, 3.0, 2)
    (alone,) = repetitions([first, twin])
    assert len(alone.runs) == 1
    band = curve_table([first, twin], ["loss"])
    assert band["low"].isna().all() and set(band["n"]) == {1}


def test_only_runs_with_new_steps_are_read_again(folder, monkeypatch):
    runs = [make_run(folder, number) for number in range(40)]
    before = curve_table(runs, measures(runs))
    read, original = [], Followed.read
    monkeypatch.setattr(Followed, "read", lambda self: read.append(self.path) or original(self))
    assert curve_table(runs, measures(runs)).equals(before) and not read
    append_line(runs[7].folder / names.STEPS, {"step": 21, "time": 21.0, "loss": 0.5, "accuracy": 0.9})
    after = curve_table(runs, ["loss"])
    assert after["step"].max() == 21 and {path.parent for path in read} == {runs[7].folder}


def test_runs_apart_have_no_band(folder):
    runs = [make_run(folder, number) for number in range(2)]
    table = curve_table(runs, ["loss", "spearman"], repeated=False)
    assert set(table["target"]) == {run.id for run in runs} and table["low"].isna().all() and set(table["n"]) == {1}
    assert set(columns(table, "measure", "on")) == {("loss", ""), ("spearman", "demo:dev")}
    assert columns(table[table["measure"] == "spearman"], "step", "value")[:3] == [(0, 0.5), (10, 0.51), (20, 0.52)]


def test_a_probe_lies_at_the_seconds_of_its_step(folder):
    run = stepped(make_run(folder), *((1.0, 0.5, {}) for _ in range(20)))
    table = curve_table([run], ["uniformity"], seconds=True)
    assert columns(table, "step", "x") == [(0, 0.0), (10, 5.0), (20, 10.0)]


def test_figures_of_objectives_and_terms_are_measures(folder):
    alone, two = make_run(folder, 0), make_run(folder, 1)
    stepped(alone, (1.0, 1.0, {"losses": {"0.infonce_nn": 1.0, "0.infonce_nn.dropped": 0.25}}))
    config = api.settle(next(name for name, recipe in RECIPES.items() if len(recipe.terms) == 2), steps=20)
    write_text(two.folder / names.CONFIG, to_toml(config))
    logged = {f"{number}.{term.name}": 0.5 for number, term in enumerate(config.terms)}
    stepped(two, (1.0, 1.0, {"losses": {**logged, f"1.{config.terms[1].name}.accuracy": 0.75}}))
    assert measures([alone])[:2] == ["loss", "infonce_nn.dropped"], "the only term is the loss itself"
    both = measures([alone, api.run(two.folder)])
    assert {"infonce_nn.dropped", f"{config.terms[1].name}.accuracy", config.terms[0].name} <= set(both)
    table = curve_table([alone, api.run(two.folder)], [f"{config.terms[1].name}.accuracy"])
    assert columns(table, "target", "value") == [(two.id, 0.75)]


def test_a_window_averages_what_steps_log_in_each_run_and_leaves_probes(folder):
    first = stepped(make_run(folder, 0), (1.0, 1.0, {}), (3.0, 1.0, {}), (8.0, 1.0, {}))
    other = stepped(make_run(folder, 1), (3.0, 1.0, {}), (3.0, 1.0, {}), (3.0, 1.0, {}))
    table = curve_table([first, other], ["loss", "spearman"], window=2)
    loss = table[table["measure"] == "loss"]
    assert columns(loss, "step", "value", "raw", "low", "high") == [
        (1, 2.0, 2.0, 1.0, 3.0),
        (2, 2.5, 3.0, 2.0, 3.0),
        (3, 4.25, 5.5, 3.0, 5.5),
    ], "at step 2 the means are 2 and 3, at step 3 5.5 and 3"
    probes = table[table["measure"] == "spearman"]
    assert probes["raw"].isna().all() and probes["value"].tolist() == pytest.approx([0.5, 0.51, 0.52])
    assert "raw" not in curve_table([first], ["loss"])
