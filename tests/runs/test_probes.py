"""Which step is the best one, after a process was killed between the best checkpoint and the last."""

import shutil

import pytest

from tests.runs.trial import Crash, crash, new, work
from workbench.runs.driver import Driver
from workbench.runs.probes import Probes
from workbench.store import checkpoints, events

pytestmark = pytest.mark.usefixtures("worker_here")


def crashed(folder, tiny, monkeypatch, *, at, saved):
    """A run whose every look is better than the one before, killed after the look of step `at`, with a last
    checkpoint at each step in `saved`.
    """

    select = Probes.select
    with monkeypatch.context() as patch:

        def selected(self, record, rows, step, samples):
            for row in rows.values():
                row["spearman"] = step / 100
            return select(self, record, rows, step, samples)

        patch.setattr(Driver, "due", lambda self: self.context.loop.step in saved)
        patch.setattr(Probes, "select", selected)
        run = new(folder, tiny, steps=6, **{"selection.every": 1})
        crash(run, patch, at, before=False)
    events.add(run.folder, events.LOST)
    return run


@pytest.mark.parametrize("between", ["", "put back half", "never put by"])
def test_a_resume_goes_back_to_the_best_of_its_last_checkpoint(folder, tiny, monkeypatch, between):
    run = crashed(folder, tiny, monkeypatch, at=4, saved=(2,))
    place = run.folder / "checkpoints"
    assert run.checkpoints["last"]["step"] == 2 and run.best["step"] == 4
    weights, _, state = checkpoints.load(place / "last")
    assert state["selection"]["step"] == 2
    if between == "put back half":  # killed once more, in the middle of going back
        shutil.rmtree(place / "best")
    if between == "never put by":
        shutil.rmtree(place / ".best")
    monkeypatch.setattr(Probes, "impatient", True)
    run = work(run, again=True)
    assert run.state == "done"
    expected = 4 if between == "never put by" else 2
    assert run.best["step"] == expected
    scores = run.scores.set_index("checkpoint")
    assert scores.loc["best", "step"] == expected and scores.loc["last", "step"] == 2
    best = checkpoints.load(place / "best")[0]
    same = all((best[name] == tensor).all() for name, tensor in weights.items())
    assert same is (expected == 2)
    assert sorted(path.name for path in place.iterdir()) == ["best", "last"]


def test_the_best_one_is_put_by_until_the_last_checkpoint_that_knows_a_better_one_is_whole(folder, tiny, monkeypatch):
    save = checkpoints.save

    def killed(place, weights, state, moments=None):
        if place.name == "last" and state["step"] == 3:
            raise Crash
        save(place, weights, state, moments)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "save", killed)
        run = crashed(folder, tiny, monkeypatch, at=5, saved=(2, 3))
    assert run.checkpoints["last"]["step"] == 2 and run.best["step"] == 3
    monkeypatch.setattr(Probes, "impatient", True)
    run = work(run, again=True)
    assert run.state == "done" and run.best["step"] == 2


def test_without_a_last_checkpoint_a_resume_starts_over(folder, tiny, monkeypatch):
    run = crashed(folder, tiny, monkeypatch, at=2, saved=())
    assert "last" not in run.checkpoints and run.best["step"] == 2
    monkeypatch.setattr(Probes, "impatient", property(lambda self: self.context.loop.step >= 1))
    run = work(run, again=True)
    assert run.state == "done" and run.progress.step == 1 and run.best["step"] in (0, 1)
    assert not (run.folder / "checkpoints" / ".best").exists()
