"""The idle worker: the next run gets it, and nothing depends on it."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from tests.scheduler.test_processes import changes
from tests.trial import until
from workbench import api
from workbench.processes import liveness, service
from workbench.runs import spare as waiting
from workbench.scheduler import spares, supervision
from workbench.scheduler.spares import Spare
from workbench.store import names

ECHO = "import sys; print(sys.stdin.readline(), end='', flush=True)"


@pytest.fixture
def pretending(folder, monkeypatch):
    """A spare whose process prints its order; and the processes that were started."""
    started = []

    def spawn(module, *_, log, stdin):
        assert module == waiting.__name__
        started.append(subprocess.Popen([sys.executable, "-c", ECHO], stdin=stdin, stdout=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(service, "spawn", spawn)
    monkeypatch.setenv("WORKBENCH_SPARES", "1")
    monkeypatch.setenv("WORKBENCH_THREADS", "2")
    spare = Spare(folder)
    yield spare, started
    spare.drop()
    for process in started:
        process.wait(20)
        process.stdout.close()


def test_one_is_kept_and_the_next_run_gets_it_with_its_order(pretending, tmp_path):
    spare, started = pretending
    spare.keep()
    spare.keep()
    (process,) = started
    assert spare.take(["RUN"], log=tmp_path / "log.txt", threads=1) is None, "it has other threads"
    assert spare.take(["RUN", "--device", "cpu"], log=tmp_path / "log.txt", threads=2) is process
    assert spare.take(["RUN"], log=tmp_path / "log.txt", threads=None) is None
    said = process.stdout.read().decode()
    assert said == f'{{"arguments": ["RUN", "--device", "cpu"], "log": "{tmp_path / "log.txt"}"}}\n'
    spare.keep()
    assert len(started) == 2


def test_one_that_ended_is_not_given_away_and_after_three_no_other_is_started(pretending, tmp_path):
    spare, started = pretending
    for _ in range(spares.MOST_LOST + 2):
        spare.keep()
        started[-1].kill()
        started[-1].wait()
        assert spare.take(["RUN"], log=tmp_path / "log.txt", threads=None) is None
    assert len(started) == spares.MOST_LOST


def test_one_that_cannot_be_started_is_done_without(folder, monkeypatch):
    """The supervisor goes on to its heartbeat, and to its end when idle."""
    monkeypatch.setenv("WORKBENCH_SPARES", "1")
    (folder.jobs / "spare.log").mkdir(parents=True)
    spare = Spare(folder)
    for _ in range(spares.MOST_LOST):
        assert spare.wanted
        spare.keep()
    assert spare.process is None and not spare.wanted


def test_none_is_kept_where_that_is_forbidden(pretending, monkeypatch):
    spare, started = pretending
    monkeypatch.setenv("WORKBENCH_SPARES", "0")
    spare.keep()
    assert started == []


def spare_of(folder):
    """The process id of the idle worker; 0 before it was started."""
    boss = supervision.supervisor(folder).pid()
    for child in psutil.Process(boss).children() if boss else ():
        with suppress(psutil.NoSuchProcess):  # also a worker that has just ended
            if waiting.__name__ in child.cmdline():
                return child.pid
    return 0


@pytest.mark.slow
def test_a_run_in_the_idle_worker_is_bit_for_bit_the_same(folder, tiny, monkeypatch):
    alone = api.train(runs=folder.path, steps=5, **changes(tiny))
    service.kill(supervision.supervisor(folder).pid())
    monkeypatch.setenv("WORKBENCH_SPARES", "1")
    supervision.supervisor(folder).ensure()
    pid = until(lambda: spare_of(folder))
    run = api.train(runs=folder.path, steps=5, **changes(tiny))
    assert run.state == "done" and run.status.who["pid"] == pid, run.log()
    assert list(run.steps["loss"]) == list(alone.steps["loss"])
    assert run.environment == alone.environment
    assert (run.folder / names.LOG).read_text() and not (folder.jobs / "spare.log").read_text()
    next_pid = until(lambda: spare_of(folder))
    assert next_pid != pid
    os.kill(next_pid, signal.SIGKILL)
    last = api.train(runs=folder.path, steps=5, **changes(tiny))
    assert last.state == "done" and list(last.steps["loss"]) == list(alone.steps["loss"])


@pytest.mark.slow
def test_the_idle_worker_ends_with_the_supervisor(folder, monkeypatch):
    monkeypatch.setenv("WORKBENCH_SPARES", "1")
    boss = supervision.supervisor(folder)
    boss.ensure()
    pid = until(lambda: spare_of(folder))
    os.kill(boss.pid(), signal.SIGKILL)
    until(lambda: not liveness.born(pid), 200)
