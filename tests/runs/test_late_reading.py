"""Steps that a GPU still computes are written down one step later, and are the same in the end."""

import pytest

from tests.runs.trial import losses, new, stop_at, work
from workbench.core import device
from workbench.runs.driver import Driver

pytestmark = pytest.mark.usefixtures("worker_here")


@pytest.fixture
def late(monkeypatch):
    """A CPU that is treated as a GPU by the driver; and how many steps were unread after each."""
    seen, show = [], Driver.read_steps

    def read(self, left=0):
        show(self, left)
        seen.append(len(self.unread))

    def late():
        monkeypatch.setattr(device, "queues", lambda _: True)
        monkeypatch.setattr(Driver, "read_steps", read)
        return seen

    return late


def test_a_run_is_the_same(folder, tiny, late):
    at_once = work(new(folder, tiny, steps=6, **{"probe.every": 3}))
    seen = late()
    run = work(new(folder, tiny, steps=6, **{"probe.every": 3}))
    assert run.state == "done" and max(seen) == 1
    assert losses(run) == losses(at_once) and len(losses(run)) == 6
    assert list(run.probes["step"]) == list(at_once.probes["step"])
    assert list(run.probes["loss"]) == pytest.approx(list(at_once.probes["loss"]), nan_ok=True)


def test_a_stop_reads_what_is_left(folder, tiny, monkeypatch, late):
    undisturbed = work(new(folder, tiny, steps=6, **{"probe.every": 2}))
    late()
    with monkeypatch.context() as patch:
        stop_at(patch, 4)
        run = work(new(folder, tiny, steps=6, **{"probe.every": 2}))
    assert run.state == "stopped" and [step for step, _ in losses(run)] == [1, 2, 3, 4]
    assert losses(work(run, again=True)) == losses(undisturbed)
