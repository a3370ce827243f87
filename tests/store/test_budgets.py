"""Scores at equal budgets, from probes."""

import pytest

from tests.run_folders import make_run
from workbench.core.errors import BadData, UnknownName
from workbench.core.writing import append_line
from workbench.store import names
from workbench.store.budgets import at_budget


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def logged(folder, number, steps, *, batch, seconds):
    """A run whose steps say what they read and took, ten tokens a text; it was probed every ten steps."""
    run = make_run(folder, number, steps=steps)
    (run.folder / names.STEPS).unlink()
    for step in range(1, steps + 1):
        row = {"step": step, "time": float(step), "loss": 1.0, "samples": step * batch, "seconds": seconds}
        row |= {"tokens": 10 * batch}
        append_line(run.folder / names.STEPS, row)
    return run


def test_each_run_stands_with_its_last_probe_within_the_budget(folder):
    short, long = logged(folder, 0, 20, batch=64, seconds=2.0), logged(folder, 1, 40, batch=32, seconds=0.5)
    by_steps = at_budget([short, long], "steps")
    assert list(by_steps["step"]) == [20, 20] and set(by_steps["budget"]) == {20}
    assert list(by_steps["spearman"]) == pytest.approx([0.52, 0.52])
    by_texts = at_budget([short, long], "texts")
    assert list(by_texts["step"]) == [20, 40] and list(by_texts["spent"]) == [1280, 1280]
    by_tokens = at_budget([short, long], "tokens")
    assert list(by_tokens["step"]) == [20, 40] and list(by_tokens["spent"]) == [12800, 12800]
    by_seconds = at_budget([short, long], "seconds")
    assert set(by_seconds["budget"]) == {20} and list(by_seconds["step"]) == [10, 40]
    assert list(by_seconds["spearman"]) == pytest.approx([0.51, 0.54])
    less = at_budget([short, long], "texts", 700)
    assert list(less["step"]) == [10, 20] and list(less["spent"]) == [640, 640]


def test_what_no_probe_can_say_is_refused(folder):
    run = logged(folder, 0, 20, batch=64, seconds=1.0)
    with pytest.raises(BadData, match="No run has spent 9,999 steps"):
        at_budget([run], "steps", 9999)
    with pytest.raises(UnknownName, match="budget"):
        at_budget([run], "money")
    other = make_run(folder, 1)
    with pytest.raises(BadData, match="did not record encoder tokens"):
        at_budget([run, other], "tokens")
    append_line(other.folder / names.PROBES, {"step": 21, "pairs": "stsb:dev", "spearman": 0.5})
    with pytest.raises(BadData, match="different pairs"):
        at_budget([run, other], "steps")
    (other.folder / names.PROBES).unlink()
    with pytest.raises(BadData, match="no probes"):
        at_budget([other], "steps")
