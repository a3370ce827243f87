"""Who looks like whom in a figure."""

import shutil

import pandas
import pytest

from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.plots.template import styles
from workbench.store import names
from workbench.store.create import create
from workbench.targets import styles as shared
from workbench.ui.targets import styles as looks


@pytest.fixture
def styles_of(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))
    monkeypatch.setattr(looks, "dark", lambda: False)
    return looks.styles_of


def test_each_target_of_a_table_is_named_once(monkeypatch):
    asked = []
    monkeypatch.setattr(looks, "target_name", lambda target: asked.append(target) or target.upper())
    monkeypatch.setattr(looks, "is_untrained", lambda target: asked.append(target) or target == "a")
    table = looks.labelled(pandas.DataFrame({"target": ["a", "b"] * 400}))
    assert asked == ["a", "b", "a", "b"]
    assert table["label"].tolist() == ["A", "B"] * 400 and table["untrained"].tolist() == [True, False] * 400


def test_untrained_ones_never_share_a_symbol(styles_of):
    variants = [f"minilm-l3+whitening(k={k})" for k in range(1, 10)]
    targets = ["minilm-l3", "minilm-l3+centre", "tfidf", *variants]
    found = [styles_of(targets)[target] for target in targets]
    assert len({style.symbol for style in found}) == 12 and len({style.colour for style in found}) == 1
    assert all("open" in style.symbol for style in found)


def test_eight_untrained_ones_never_share_a_dash(styles_of):
    found = styles_of(shared._ALWAYS)
    assert len({style.dash for style in found.values()}) == len(shared._ALWAYS) == 8


def test_the_usual_ones_keep_their_symbol(styles_of):
    alone = styles_of(["tfidf"])["tfidf"]
    assert styles_of(["minilm-l6:cls", "minilm-l3", "tfidf"])["tfidf"] == alone


def test_a_run_keeps_its_style_in_any_company(styles_of):
    folder = names.runs_folder()
    runs = [make_run(folder, number, name=f"number {number}").id for number in range(6)]
    alone = {run: styles_of([run])[run] for run in runs}
    a, b = runs[4], runs[5]
    assert styles_of([f"{a}+centre", a])[a] == styles_of([a, f"{a}:cls", f"{a}@last"])[a] == alone[a]
    assert styles_of(["number 4"])["number 4"] == styles_of([f"{a}@best"])[f"{a}@best"] == alone[a]
    targets = [*runs, *(f"{run}+centre" for run in runs)]
    together = styles_of(targets)
    assert len({together[target] for target in targets}) == 12
    assert len({style.colour for style in alone.values()}) == 6, "and a few runs differ in colour"
    assert styles_of([b])[b] == alone[b]


def test_a_run_keeps_its_style_when_another_is_deleted(styles_of):
    """A figure that was saved before still shows the same runs."""
    folder = names.runs_folder()
    runs = [create(folder, api.settle(seed=seed, steps=20)) for seed in range(12)]
    before = {run.id: styles_of([run.id])[run.id] for run in runs}
    assert len(set(before.values())) == 12, "queued in one moment, and all different"
    for gone in (0, 5):
        shutil.rmtree(runs[gone].folder)
        runs[gone] = create(folder, api.settle(seed=20 + gone, steps=20))
        before[runs[gone].id] = styles_of([runs[gone].id])[runs[gone].id]
    after = {run.id: styles_of([run.id])[run.id] for run in runs}
    assert all(after[name] == before[name] for name in after) and len(set(after.values())) == 12


def test_targets_with_the_same_slot_differ_and_the_older_keeps_its_style(styles_of, monkeypatch):
    monkeypatch.setattr(shared, "_STYLES", 3)
    folder = names.runs_folder()
    runs = [make_run(folder, number).id for number in range(3)]
    for order in (runs, runs[::-1]):
        found = styles_of(order)
        assert len({found[run] for run in runs}) == 3 and found[runs[0]] == styles_of([runs[0]])[runs[0]]


def test_no_two_of_the_palette_share_colour_and_symbol_or_colour_and_dash():
    palette = styles(map(str, range(shared._STYLES))).values()
    assert len({(one.colour, one.symbol) for one in palette}) == shared._STYLES
    assert len({(one.colour, one.dash) for one in palette}) == shared._STYLES


def test_a_model_made_elsewhere_has_a_colour_of_its_own_and_takes_none_from_a_run(styles_of, tmp_path):
    folder = names.runs_folder(tmp_path)
    runs = [make_run(folder, number).id for number in range(3)]
    alone = {run: styles_of([run])[run] for run in runs}
    mine = [str(tiny_model(tmp_path / name)) for name in ("my-bert", "my-mpnet")]
    found = styles_of([*mine, *runs, "minilm-l3"])
    assert {run: found[run] for run in runs} == alone
    shown = [found[name] for name in (*mine, *runs, "minilm-l3")]
    assert len({(style.colour, style.symbol) for style in shown}) == 6
    assert all(found[name].colour != found["minilm-l3"].colour and "open" not in found[name].symbol for name in mine)
    assert styles_of(mine[:1])[mine[0]] == styles_of([*mine[:1], "tfidf"])[mine[0]]
