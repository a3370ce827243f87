"""A curve of runs by the value of a setting: windows, seeds and the choice of runs worked out by hand."""

import pytest

from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_text
from workbench.store import events, names
from workbench.store.by_setting import curve_by_setting, having

CURVE, SETTING = "augcse_discriminator.accuracy", "terms.1.settings.alpha"


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def run_with(folder, number, accuracies, *, alpha=1.0, seed=0, recipe="augcse", epochs=None, **settings):
    """A run that logged these accuracies of its discriminator, one a step."""
    given = {SETTING: alpha} if recipe == "augcse" else {}
    config = api.settle(recipe, backbone="mini-mlm", seed=seed, steps=len(accuracies), **given, **settings)
    path = folder.path / f"20260101-0000{number:02d}-{recipe}-mini-mlm-s{seed}-00{number:02d}"
    path.mkdir(parents=True)
    write_text(path / names.CONFIG, to_toml(config))
    for event in ("queued", "starting", "running", "done"):
        events.add(path, event)
    for step, accuracy in enumerate(accuracies, 1):
        row = {"step": step, "time": 0.0, "seconds": 1.0, "loss": 1.0}
        row |= {"epoch": epochs[step - 1]} if epochs else {}
        append_line(path / names.STEPS, row | ({f"losses.1.{CURVE}": accuracy} if given else {}))
    return api.Run(path)


def test_a_line_for_each_value_in_order_with_means_over_windows(folder):
    high = run_with(folder, 0, [0.1, 0.3, 0.5, 0.7], alpha=10.0)
    low = run_with(folder, 1, [0.2, 0.2, 0.4, 0.4], alpha=2.0)
    table = curve_by_setting([high, low], CURVE, SETTING, windows=2)
    assert table["setting"].tolist() == ["2", "2", "10", "10"], "by size, not by spelling"
    assert table["value"].tolist() == pytest.approx([0.2, 0.4, 0.2, 0.6])
    assert table["step"].tolist() == [2, 4, 2, 4] and table["x"].tolist() == pytest.approx([1.5, 3.5, 1.5, 3.5])
    assert set(table["measure"]) == {CURVE} and table["low"].isna().all()


def test_seeds_are_one_line_with_a_band(folder):
    runs = [run_with(folder, number, [value, value], seed=number) for number, value in enumerate((0.2, 0.6))]
    table = curve_by_setting(runs, CURVE, SETTING, windows=1)
    assert table[["value", "low", "high", "runs"]].values.tolist() == [[pytest.approx(0.4), 0.2, 0.6, 2]]


def test_of_runs_that_differ_in_more_those_with_most_seeds_stand_for_a_value(folder):
    alone = run_with(folder, 9, [0.9, 0.9], batch_size=8)
    twice = [run_with(folder, number, [0.5, 0.5], seed=number) for number in range(2)]
    table = curve_by_setting([alone, *twice], CURVE, SETTING, windows=1)
    assert table["value"].tolist() == [0.5] and table["runs"].tolist() == [2]


def test_runs_without_the_curve_or_the_setting_are_left_out(folder):
    mine = run_with(folder, 0, [0.5])
    other = run_with(folder, 1, [0.5], recipe="simcse_unsup")
    broken = run_with(folder, 2, [0.5])
    write_text(broken.folder / names.CONFIG, "not = [toml")
    assert [run.id for run in having([mine, other, api.Run(broken.folder)], CURVE, SETTING)] == [mine.id]
    assert curve_by_setting([], CURVE, SETTING).empty


def test_steps_are_epochs_as_they_were_logged_and_classes_are_those_of_the_term(folder):
    run = run_with(folder, 0, [0.1] * 6, epochs=[0, 0, 0, 1, 1, 1])
    table = curve_by_setting([run], CURVE, SETTING, windows=3)
    assert table["epoch"].tolist() == pytest.approx([1.5 / 3, 3.5 / 3, 5.5 / 3])
    kinds = str(run.config.terms[1].settings["kinds"]).split()
    assert table["classes"].tolist() == [len(kinds) + 1] * 3 and len(kinds) == 9
    once = run_with(folder, 1, [0.1] * 6, epochs=[0] * 6)
    rows, batch = once.config.corpus.rows, once.config.training.batch_size
    epochs = curve_by_setting([once], CURVE, SETTING, windows=1)["epoch"]
    assert epochs.isna().all() if not rows else epochs.tolist() == pytest.approx([3.5 / (rows // batch)])
    assert curve_by_setting([run], "loss", "training.batch_size", windows=1)["classes"].isna().all()
