"""What a finished run keeps on the disk, and that nothing is there twice."""

import errno
import os
from contextlib import suppress

import numpy as np
import pytest

from tests.runs.trial import new, stop_at, work, working
from tests.trial import TEXTS
from workbench.core.errors import BadRun
from workbench.runs.finals import Finals
from workbench.store import checkpoints, names, stages
from workbench.store.run import Run
from workbench.targets.opening import open_target
from workbench.targets.target import parse

pytestmark = pytest.mark.usefixtures("worker_here")


def vectors(run, checkpoint):
    target = parse(f"{run.folder}@{checkpoint}", names.RunsFolder(run.folder.parent))
    return open_target(target).encode(TEXTS[:9])


def weights_bytes(run):
    """Of the run's checkpoints and model, and of the model alone."""
    sizes = run.size_bytes
    return sizes[names.CHECKPOINTS] + sizes[names.MODEL], sizes[names.MODEL]


def test_weights_are_stored_once_where_the_last_step_is_the_best(folder, tiny):
    with working():
        run = work(new(folder, tiny, steps=6, **{"selection.metric": "none"}))
    assert run.state == "done", run.log()
    assert run.checkpoints["best"]["step"] == run.checkpoints["last"]["step"] == 6
    whole, model = weights_bytes(run)
    assert whole < 1.3 * model, "the weights once, and the heads"
    np.testing.assert_array_equal(vectors(run, "best"), vectors(run, "last"))
    assert np.abs(vectors(run, "last") - vectors(run, "step0")).max() > 1e-4
    assert stages.model_of(run) == run.folder / names.MODEL


def test_only_the_best_step_stays_where_that_is_wished(folder, tiny):
    with working():
        kept = work(new(folder, tiny, steps=8))
        run = work(new(folder, tiny, steps=8, **{"storage.checkpoints": "best"}))
    assert run.state == kept.state == "done", run.log()
    assert set(run.checkpoints) == {"step0", "best"} and set(kept.checkpoints) == {"step0", "best", "last"}
    np.testing.assert_array_equal(vectors(run, "best"), vectors(kept, "best"))
    assert set(run.scores["checkpoint"]) == {"step0", "best", "last"}, "the last step was evaluated before it went"
    with pytest.raises(BadRun, match="no checkpoint 'last'"):
        vectors(run, "last")
    assert weights_bytes(run)[0] <= weights_bytes(kept)[0]


@pytest.mark.parametrize("killed", [False, True])
def test_until_the_run_is_done_the_last_checkpoint_stays(folder, tiny, monkeypatch, killed):
    """A disk error while weights are shared, or a kill before the event that says it is done: no step is taken again."""
    from tests.runs.trial import Crash
    from workbench.runs import worker
    from workbench.store import events, shared_weights

    share, end = shared_weights.share_with_model, worker.Worker.end

    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def dying(*_, **__):
        raise Crash

    with working():
        run = new(folder, tiny, steps=6, **{"storage.checkpoints": "best"})
        with monkeypatch.context() as patch:
            patch.setattr(shared_weights, "share_with_model", share if killed else broken)
            patch.setattr(worker.Worker, "end", dying if killed else end)
            with suppress(Crash):
                work(run)
        events.add(run.folder, events.LOST)
        run = work(Run(run.folder), again=True)
    assert run.state == "done" and set(run.checkpoints) == {"step0", "best"}
    assert [row["step"] for row in run.events if row["event"] == "running"] == [0, 6]


def test_a_run_that_was_stopped_keeps_what_a_resume_needs(folder, tiny, monkeypatch):
    with working(), monkeypatch.context() as patch:
        stop_at(patch, 4)
        run = work(new(folder, tiny, steps=8, **{"storage.checkpoints": "best"}))
    assert run.state == "stopped"
    state = checkpoints.whole(run.folder / names.CHECKPOINTS / "last")
    assert {"weights", "optimizer"} == state["files"].keys() and "shared" not in state


def test_an_attempt_that_died_after_sharing_is_resumed(folder, tiny, monkeypatch):
    """The process is killed between the sharing of weights and the event that says it is done."""
    from tests.runs.trial import Crash
    from workbench.runs.driver import Driver

    finish = Driver.finish

    def crashing(driver):
        finish(driver)
        raise Crash

    with working():
        run = new(folder, tiny, steps=6, **{"selection.metric": "none"})
        with monkeypatch.context() as patch, pytest.raises(Crash):
            patch.setattr(Driver, "finish", crashing)
            work(run)
        before = vectors(Run(run.folder), "best")
        export = Finals.export

        def without_model(finals):
            """The model is written anew: until it is there, no checkpoint may depend on the old one."""
            (finals.folder / names.MODEL / "model.safetensors").unlink()
            assert checkpoints.whole(finals.context.checkpoints / "best")
            return export(finals)

        with monkeypatch.context() as patch:
            patch.setattr(Finals, "export", without_model)
            run = work(Run(run.folder), again=True)
    assert run.state == "done", run.log()
    np.testing.assert_array_equal(vectors(run, "best"), before)
