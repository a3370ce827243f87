import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.trial import until
from workbench.jobs import service
from workbench.store import alive
from workbench.store.writing import read_json, write_json


@pytest.fixture
def spawned(monkeypatch):
    """Instead of a supervisor a process that waits; how many were started."""
    started = []

    def spawn(*_, **__):
        started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(service, "spawn", spawn)
    yield started
    for process in started:
        service.kill(process.pid)
        process.stdin.close()


def test_one_process_however_many_ask(folder, spawned):
    threads = [threading.Thread(target=service.Service(folder, "supervisor").ensure) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(spawned) == 1
    own = service.Service(folder, "supervisor")
    assert own.pid() == spawned[0].pid
    os.kill(spawned[0].pid, signal.SIGKILL)
    until(lambda: not own.alive())
    own.ensure()
    assert len(spawned) == 2 and own.pid() == spawned[1].pid


def test_a_process_whose_heart_stands_still_is_replaced(folder, spawned):
    own = service.Service(folder, "compute")
    own.ensure()
    old = time.time() - 120
    os.utime(own.heartbeat, (old, old))
    assert not own.alive()
    own.ensure()
    assert own.pid() == spawned[1].pid


def test_two_cannot_serve_one_folder(folder):
    with service.Service(folder, "supervisor").serve():
        with pytest.raises(service.Busy), service.Service(folder, "supervisor").serve(wait_seconds=0.1):
            pass
        with service.Service(folder, "compute").serve(wait_seconds=0.1):
            pass


def test_work_that_comes_at_the_end_keeps_the_process(folder):
    own = service.Service(folder, "supervisor")
    with own.serve():
        assert own.alive()
        write_json(own.card, {"pid": 1})
        own.keep_card()
        assert own.pid() == os.getpid()
        assert own.may_end(lambda: False) is False and own.alive()
        assert own.may_end(lambda: True) is True and not own.alive()


def test_processes_outlive_us_and_know_the_package(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = service.spawn("workbench.jobs.supervisor", str(folder.path), log=folder.jobs / "log")
    try:
        assert os.getsid(process.pid) != os.getsid(0)
        until(lambda: (read_json(folder.jobs / "supervisor.json") or {}).get("pid") == process.pid)
        environment = (f"/proc/{process.pid}/environ",)
        if os.path.exists(environment[0]):  # noqa: PTH110
            with open(environment[0], "rb") as file:  # noqa: PTH123
                assert b"OMP_WAIT_POLICY=PASSIVE" in file.read()
    finally:
        service.kill(process.pid)
        process.wait()


def test_identity_of_this_process():
    mine = alive.identity()
    assert mine["pid"] == os.getpid() and alive.lives(mine)
    assert alive.born(2**22 + 1) == ""
    assert alive.heartbeat_age(alive.Path("/nowhere/at/all")) == float("inf")
