import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.trial import until
from workbench.compute.tickets import compute
from workbench.core import device
from workbench.core.errors import BadRun, BadSetting, Refused
from workbench.core.reading import read_json
from workbench.core.writing import write_json
from workbench.processes import liveness, service, sources
from workbench.scheduler.supervision import supervisor


@pytest.fixture
def spawned(monkeypatch):
    """Replaces the supervisor by a process that waits, and counts how many are started."""
    started = []

    def spawn(*_, **__):
        started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(service, "spawn", spawn)
    yield started
    for process in started:
        service.kill(process.pid)
        process.stdin.close()


def test_concurrent_starts_give_one_process(folder, spawned):
    threads = [threading.Thread(target=supervisor(folder).ensure) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(spawned) == 1
    own = supervisor(folder)
    assert own.pid() == spawned[0].pid
    os.kill(spawned[0].pid, signal.SIGKILL)
    until(lambda: not own.alive())
    own.ensure()
    assert len(spawned) == 2 and own.pid() == spawned[1].pid


@pytest.mark.skipif(sys.platform == "win32", reason="there are no zombies")
def test_what_replaced_the_program_that_started_the_process_collects_it(folder, spawned, monkeypatch):
    """`workbench app` starts it and then becomes the server, which knows nothing of it and is its parent."""
    own = compute(folder)
    own.ensure()
    monkeypatch.setattr(service, "_CHILDREN", [])
    own.ensure()
    assert not service._CHILDREN
    own.ensure(adopt=True)
    own.ensure(adopt=True)
    assert [spawned[0].pid] == service._CHILDREN
    os.kill(spawned[0].pid, signal.SIGKILL)
    until(lambda: not own.alive())
    service.reap()
    assert not service._CHILDREN
    with pytest.raises(ChildProcessError):
        os.waitpid(spawned[0].pid, 0)


def test_a_process_without_heartbeat_is_replaced(folder, spawned, monkeypatch):
    monkeypatch.setattr(service, "STILL_SECONDS", 0.2)
    own = compute(folder)
    own.ensure()
    old = time.time() - 120
    os.utime(own.heartbeat, (old, old))
    assert not own.alive()
    own.ensure()
    assert own.pid() == spawned[1].pid


def test_a_process_of_older_code_is_replaced(folder, spawned, monkeypatch):
    own = compute(folder)
    own.ensure()
    before = read_json(own.card)
    assert not own.outdated() and before["code"] == sources.stamp()
    monkeypatch.setattr(sources, "stamp", lambda: "after an upgrade")
    assert own.alive() and own.outdated()
    own.ensure()
    own.ensure()
    assert not liveness.born(spawned[0].pid) and len(spawned) == 2 and own.pid() == spawned[1].pid
    assert read_json(own.card)["code"] == "after an upgrade" and not own.outdated()
    write_json(own.card, liveness.identity(spawned[1].pid))  # as versions without stamps wrote it
    own.ensure()
    assert own.pid() == spawned[2].pid


def test_a_process_of_older_code_takes_no_work_that_is_written_from_now_on(folder, spawned, monkeypatch):
    own = compute(folder)
    own.check_code()
    own.ensure()
    own.check_code()
    assert own.alive()
    monkeypatch.setattr(sources, "stamp", lambda: "after an edit")
    own.check_code()
    assert not liveness.born(spawned[0].pid) and len(spawned) == 1, "the next one starts once there is work"


def test_a_process_with_other_plugins_is_left_alone_and_given_no_work(folder, spawned, monkeypatch, tmp_path):
    own, code = compute(folder), sources.stamp()
    own.ensure()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(sources.root().parent), str(tmp_path)]))
    own.check_code()  # none of the packages there has methods
    monkeypatch.setattr(sources, "stamp", lambda folder=None: f"{code} and plug-ins")
    own.ensure()
    with pytest.raises(
        Refused, match=rf"runs other code.*packages from {re.escape(sys.prefix)}\. .*Close the app there"
    ):
        own.check_code()
    assert own.pid() == spawned[0].pid and len(spawned) == 1
    monkeypatch.undo()
    own.check_code()


def test_a_process_of_another_installation_is_left_alone(folder, spawned, monkeypatch):
    own = compute(folder)
    own.ensure()
    write_json(own.card, {**read_json(own.card), "root": "/another/workbench", "code": "its own"})
    own.ensure()
    assert own.pid() == spawned[0].pid and len(spawned) == 1


def test_another_installation_is_given_work_only_if_its_code_is_the_same(folder, spawned, tmp_path):
    own, other = compute(folder), tmp_path / "workbench"
    own.ensure()
    shutil.copytree(sources.root(), other, ignore=shutil.ignore_patterns("__pycache__"))
    card = {**read_json(own.card), "root": str(other), "code": sources.stamp(other)}
    write_json(own.card, card)
    own.check_code()
    write_json(own.card, {**card, "code": "before it was changed"})
    with pytest.raises(Refused, match="runs other code"):
        own.check_code()
    os.kill(spawned[0].pid, signal.SIGKILL)
    until(lambda: not own.alive())
    own.check_code()


def test_a_service_keeps_the_stamp_that_it_started_with(folder, monkeypatch):
    own = compute(folder)
    with own.serve():
        before = read_json(own.card)["code"]
        monkeypatch.setattr(sources, "stamp", lambda: "after an upgrade")
        own.card.unlink()
        own.keep_card()
        assert read_json(own.card)["code"] == before and own.outdated()
        assert own.may_end(lambda: False) is False and read_json(own.card)["code"] == before


def test_two_processes_cannot_serve_one_folder(folder):
    with supervisor(folder).serve():
        with pytest.raises(service.Busy), supervisor(folder).serve(wait_seconds=0.1):
            pass
        with compute(folder).serve(wait_seconds=0.1):
            pass


def test_a_card_that_names_the_launcher_of_the_process_is_its_own(folder):
    """As on Windows, where python.exe of a virtual environment starts another process."""
    own = supervisor(folder)
    own.directory.mkdir(exist_ok=True)
    own.beat()
    own._sign(sources.stamp(), os.getppid())
    with own.serve(wait_seconds=0.1):
        assert own.pid() == os.getpid()


def test_work_that_arrives_at_the_end_keeps_the_process(folder):
    own = supervisor(folder)
    with own.serve():
        assert own.alive()
        write_json(own.card, {"pid": 1})
        own.keep_card()
        assert own.pid() == os.getpid()
        assert own.may_end(lambda: False) is False and own.alive()
        assert own.may_end(lambda: not own.alive()) is True and not own.alive(), "whoever comes now starts another"


def test_processes_outlive_their_parent_and_find_the_package(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = service.spawn("workbench.scheduler.supervisor", str(folder.path), log=folder.jobs / "log")
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
    mine = liveness.identity()
    assert mine["pid"] == os.getpid() and liveness.lives(mine)
    assert liveness.born(2**22 + 1) == ""
    assert liveness.heartbeat_age(liveness.Path("/nowhere/at/all")) == float("inf")


def test_a_process_whose_heartbeat_only_looks_stale_is_kept(folder, spawned):
    """The clock was set ahead, or the machine slept: the last heartbeat is old, but the next one arrives."""
    own = supervisor(folder)
    own.ensure()
    old = time.time() - 120
    os.utime(own.heartbeat, (old, old))
    threading.Timer(0.3, own.beat).start()
    began = time.monotonic()
    own.ensure()
    assert len(spawned) == 1 and own.pid() == spawned[0].pid and time.monotonic() - began < 5


def test_children_of_a_killed_service_survive(folder, spawned, monkeypatch):
    monkeypatch.setattr(service, "STILL_SECONDS", 0.1)
    own = supervisor(folder)
    code = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()']); print(p.pid, flush=True); input()"
    boss = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child = int(boss.stdout.readline())
    try:
        write_json(own.card, liveness.identity(boss.pid))
        own.ensure()  # there is no heartbeat at all
        assert own.pid() == spawned[0].pid
        assert not liveness.born(boss.pid) and liveness.born(child)
    finally:
        service.kill(child)
        boss.communicate()


def test_a_process_that_ends_at_once_is_not_restarted_forever(folder, monkeypatch, tmp_path):
    spawn = service.spawn
    own = supervisor(folder)
    folder.jobs.mkdir()
    own.log.write_text("ValueError: of a process that served\n")
    with monkeypatch.context() as patch:
        patch.setattr(service, "spawn", lambda *_, **__: spawn("platform", log=tmp_path / "elsewhere.log"))
        for _ in range(service.STARTS):
            own.ensure()
            until(lambda: not own.alive())
        with pytest.raises(service.CannotStart, match=r"does not start\. Fix the cause"):
            own.ensure()
    with monkeypatch.context() as patch:
        patch.setattr(service, "spawn", lambda module, *rest, **more: spawn(f"{module}.nosuch", *rest, **more))
        for _ in range(service.STARTS):
            own.ensure()
            until(lambda: not own.alive())
        with pytest.raises(service.CannotStart, match=r"Reason: .*nosuch.*supervisor\.log"):
            own.ensure()
    own.ensure()
    until(lambda: own.alive() and not own.starts.exists())


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_processes_that_a_limit_of_memory_ends_are_explained_by_it(folder, monkeypatch, tmp_path):
    import resource

    monkeypatch.setattr(service, "spawn", lambda *_, **__: _gone_with("RuntimeError: can't start new thread", own.log))
    own = supervisor(folder)
    for limit, words in (
        (resource.RLIM_INFINITY, "Fix the cause"),
        (800_000_000, r"may have 800 MB here \(ulimit -v\)"),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        for _ in range(service.STARTS):
            own.ensure()
            until(lambda: not own.alive())
        with pytest.raises(service.CannotStart, match=rf"Reason: .*new thread\. .*{words}.*supervisor\.log"):
            own.ensure()


def _gone_with(message, log):
    """A process that has ended, with that last word."""
    with log.open("a") as file:
        file.write(message + "\n")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended


def test_a_lock_that_is_held_too_long_is_reported(folder, spawned):
    own, other = supervisor(folder), supervisor(folder)
    folder.jobs.mkdir()
    own._starting.timeout = 0.05
    with other._starting, pytest.raises(BadRun, match="lock"):
        own.ensure()
    assert not spawned


def test_a_read_only_folder_is_reported(folder, spawned):
    folder.jobs.write_text("a file in the place of the folder")
    with pytest.raises(BadRun, match=r"\.jobs cannot be used. Got: File exists"):
        supervisor(folder).ensure()
    assert not supervisor(folder).alive()


@pytest.mark.parametrize("content", ["[1]", '"x"', "3", "{"])
def test_a_damaged_identity_counts_as_missing(folder, spawned, content):
    own = supervisor(folder)
    folder.jobs.mkdir()
    own.card.write_text(content)
    own.starts.write_text("[1]")
    assert not own.alive() and own.pid() is None
    own.ensure()
    assert own.pid() == spawned[0].pid
    own.card.write_text(content)
    with own.serve():
        assert own.pid() == os.getpid()
        own.card.write_text(content)
        own.keep_card()
        assert own.pid() == os.getpid()


@pytest.mark.parametrize("variable", device.NUMBERS)
def test_a_bad_environment_variable_is_reported_before_a_process_is_started(folder, monkeypatch, variable):
    monkeypatch.setenv(variable, "many")
    own = compute(folder)
    for _ in range(service.STARTS + 1):
        with pytest.raises(BadSetting, match=f"{variable} cannot be 'many'. It is a .*number from"):
            own.ensure()
    assert not own.card.exists() and not own.log.exists()


def test_waiting_for_a_process_that_may_not_be_started_is_refused(folder, spawned, monkeypatch):
    from workbench import api

    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    with pytest.raises(Refused, match="Unset WORKBENCH_PROCESSES"):
        api.train(steps=1, runs=folder.path)
    assert not folder.run_folders()
    with pytest.raises(Refused, match="compute process is not started"):
        api.encode(["a"], runs=folder.path)
    assert api.train(steps=1, runs=folder.path, detach=True).state == "queued"
    assert not spawned
