"""Runs worked on in this process, and what can happen to them at a step."""

import gc
import signal
from contextlib import contextmanager

import pytest

from tests.trial import config_of
from workbench.preflight.corpora import with_corpus
from workbench.runs import worker
from workbench.runs.driver import Driver
from workbench.scheduler import launch
from workbench.store import events
from workbench.store.create import create
from workbench.store.run import Run


class Crash(BaseException):
    """Nothing may catch this: what kill -9 leaves behind."""


def new(folder, tiny, **changes):
    return create(folder, with_corpus(config_of(tiny, **changes)))


def work(run, *, again=False):
    """Work on a run in this process; the run, read anew."""
    if again:
        events.add(run.folder, events.QUEUED)
    assert worker.main([str(run.folder), "--device", "cpu"]) == 0
    return Run(run.folder)


@contextmanager
def working():
    """Inside, a worker may run in this process: what it changes here is as before afterwards."""
    import torch

    threads = torch.get_num_threads()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(gc, "freeze", lambda: None)  # this process does not end with the run
        yield
    torch.set_num_threads(threads)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def losses(run):
    return list(zip(run.steps["step"], run.steps["loss"], strict=True))


def failed(run, kind, *words, again=False):
    run = work(run, again=again)
    assert run.state == "failed" and run.failure[0] == kind, run.failure
    for word in words:
        assert word in run.failure[1], run.failure
    return run


def at_step(monkeypatch, step, act, *, before=False):
    """`act` is called with the driver right after that step's look, or `before` it."""
    probe = Driver.probe

    def probed(self, seen):
        now = seen and seen.step == step
        if now and before:
            act(self)
        probe(self, seen)
        if now and not before:
            act(self)

    monkeypatch.setattr(Driver, "probe", probed)


def stop_at(monkeypatch, step, *, before=False):
    """Somebody presses Stop at that step."""
    at_step(monkeypatch, step, lambda driver: launch.stop(Run(driver.folder)), before=before)


def crash(run, monkeypatch, step, *, before=True):
    """Work on a run until it is killed at that step."""

    def act(_):
        raise Crash

    append = worker.events.add
    with monkeypatch.context() as patch:
        at_step(patch, step, act, before=before)
        patch.setattr(
            worker.events, "add", lambda place, event, **told: event != "failed" and append(place, event, **told)
        )
        with pytest.raises(Crash):
            worker.main([str(run.folder), "--device", "cpu"])


@contextmanager
def full_disk_at(monkeypatch, step):
    """Inside, from that step on no file can become larger than a few kilobytes, and each step has a checkpoint."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with monkeypatch.context() as patch:
        patch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0")
        at_step(patch, step, lambda driver: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard)))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
