import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.store.test_runs import CONFIG
from tests.trial import until
from workbench.core.errors import BadRun, UnknownName
from workbench.core.reading import read_json
from workbench.core.writing import write_json
from workbench.processes import liveness, service
from workbench.scheduler import launch, supervision, supervisor
from workbench.scheduler.executors.local import Local
from workbench.scheduler.queue import Queue
from workbench.store import events, lookup
from workbench.store.create import create

WORKER = """
import sys, time
from pathlib import Path
from workbench.processes import liveness
from workbench.store import events
folder = Path(sys.argv[1])
events.add(folder, "starting", who=liveness.identity(), device="cpu")
events.add(folder, "running")
while True:
    time.sleep(0.02)
    state = events.status(folder).state
    if state == "stopping" and (folder / "saves").exists():
        events.add(folder, "saving")
        while (folder / "saves").exists():
            time.sleep(0.02)
        events.add(folder, "stopped")
        break
    if (folder / "finish").exists() or state == "stopping" and not (folder / "deaf").exists():
        events.add(folder, "stopped" if state == "stopping" else "done")
        break
while (folder / "lingers").exists():
    time.sleep(0.02)
"""


@pytest.fixture
def boss(folder, monkeypatch):
    """A supervisor in this process, whose workers only pretend to train."""

    def spawn(_module, run, *_, **__):
        environment = {**os.environ, "PYTHONPATH": str(service.Path(service.workbench.__file__).parents[1])}
        return subprocess.Popen([sys.executable, "-c", WORKER, run], env=environment, start_new_session=True)

    monkeypatch.setattr(service, "spawn", spawn)
    monkeypatch.setattr(supervisor, "RECONCILE_SECONDS", 0.0)
    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    made = supervisor.Supervisor(folder)
    yield made
    for process in made.local.children.values():
        process.kill()
        process.wait()


def queued(folder):
    run = create(folder, CONFIG)
    Queue(folder).add(run.id)
    return run


def reaches(boss, run, state, seconds=20):
    def looked():
        boss.tick()
        return run.state == state

    until(looked, seconds)


def test_runs_go_one_after_the_other(boss, folder):
    first, second = queued(folder), queued(folder)
    reaches(boss, first, "running")
    assert second.state == "queued" and len(boss.local.children) == 1
    (first.folder / "finish").touch()
    reaches(boss, second, "running")
    assert first.state == "done"
    (second.folder / "finish").touch()
    reaches(boss, second, "done")
    until(lambda: not boss.tick())
    assert Queue(folder).reindex() == 0


def supervising(folder):
    """A thread that supervises until it was idle for half a second."""
    serving = threading.Thread(target=supervisor.main, args=(folder, 0.5), daemon=True)
    serving.start()
    return serving


def test_it_ends_once_it_was_idle_and_no_sooner(boss, folder):
    run, card = queued(folder), supervision.supervisor(folder).card
    (folder.jobs / "deleted-a-run").mkdir()
    serving = supervising(folder)
    until(lambda: run.state == "running", 20)
    write_json(card, {"pid": 1})  # of another that was started, and found this one here
    until(lambda: (read_json(card) or {}).get("pid") == os.getpid(), 20)
    time.sleep(1.0)
    assert serving.is_alive() and not (folder.jobs / "deleted-a-run").exists()
    (run.folder / "finish").touch()
    until(lambda: not serving.is_alive(), 20)
    assert run.state == "done" and not card.exists()


def test_it_does_not_end_with_a_run_that_was_queued_in_the_last_moment(boss, folder, monkeypatch):
    monkeypatch.setattr(supervisor.Supervisor, "tick", lambda _: False)
    run, serving = queued(folder), supervising(folder)
    time.sleep(1.5)
    assert serving.is_alive()
    until(supervision.supervisor(folder).alive, 20)  # it takes its card away for a moment, and sees the run
    launch.stop(run)
    until(lambda: not serving.is_alive(), 20)


def hung(boss, folder, monkeypatch):
    """A run whose process does nothing at all."""

    def spawn(*_, **__):
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    monkeypatch.setattr(service, "spawn", spawn)
    run = queued(folder)
    until(lambda: boss.tick() and run.id in boss.local.children, 20)
    return run, boss.local.children[run.id]


def test_a_process_that_hangs_before_its_first_event_ends_its_run_and_frees_its_device(boss, folder, monkeypatch):
    run, process = hung(boss, folder, monkeypatch)
    other = queued(folder)
    for _ in range(3):
        boss.tick()
    boss.now += supervisor.FIRST_SECONDS - 60
    boss.tick()
    assert run.state == "queued" and process.poll() is None, "a slow start is left alone"
    boss.now += 120
    reaches(boss, run, "failed")
    kind, message = run.failure
    assert kind == "NotStarted" and "did not begin within 30 min" in message and "Resume" in message
    until(lambda: boss.tick() and other.id in boss.local.children, 20)
    assert process.poll() is not None and run.id not in boss.local.taken and not boss.queue.holds(run.id)


def test_a_process_that_hangs_before_its_first_event_can_be_stopped(boss, folder, monkeypatch):
    run, process = hung(boss, folder, monkeypatch)
    assert launch.stop(run).recorded_status.state == "stopping"
    boss.tick()
    assert process.poll() is None
    boss.now += supervisor.FORCE_SECONDS + 1
    reaches(boss, run, "stopped")
    assert "killed" in run.recorded_status.message
    until(lambda: not boss.tick() and process.poll() is not None, 20)


def test_a_killed_run_is_lost_with_the_reason(boss, folder):
    run = queued(folder)
    reaches(boss, run, "running")
    draft = run.folder / "checkpoints" / ".model.1a2b.tmp"
    draft.parent.mkdir()
    draft.touch()
    os.kill(run.status.who["pid"], signal.SIGKILL)
    reaches(boss, run, "lost")
    until(lambda: not boss.tick() and events.status(run.folder).state == "lost")
    assert "SIGKILL" in run.failure[1] and not draft.exists()
    launch.resume(run)
    assert run.state == "queued" and run.status.attempt == 2
    reaches(boss, run, "running")


def test_a_new_supervisor_adopts_live_runs(boss, folder):
    run = queued(folder)
    reaches(boss, run, "running")
    successor = supervisor.Supervisor(folder)  # the old one was killed
    successor.queue.reindex()
    waiting = queued(folder)
    for _ in range(3):
        successor.tick()
    assert run.state == "running" and waiting.state == "queued" and not successor.local.children
    os.kill(run.status.who["pid"], signal.SIGKILL)
    boss.local.children.pop(run.id).wait()
    reaches(successor, waiting, "running")
    assert events.status(run.folder).state == "lost"
    successor.local.children[waiting.id].kill()
    successor.local.children.pop(waiting.id).wait()


def test_a_second_worker_of_a_run_frees_no_device_when_it_leaves(boss, folder, monkeypatch):
    """The supervisor before was killed right after it had started the first, which had not said a word yet."""
    run, waiting, spawn, workers = queued(folder), queued(folder), service.spawn, []

    def two(*given, **named):
        workers.append(spawn(*given, **named))
        workers.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return workers[1]

    monkeypatch.setattr(service, "spawn", two)
    boss.tick()
    monkeypatch.setattr(service, "spawn", spawn)
    reaches(boss, run, "running")
    monkeypatch.setattr(supervisor, "RECONCILE_SECONDS", 60.0)
    workers[1].communicate()
    until(lambda: boss.tick() and not boss.local.children)
    boss.tick()
    assert (run.state, waiting.state) == ("running", "queued") and not boss.local.children
    monkeypatch.setattr(supervisor, "RECONCILE_SECONDS", 0.0)
    (run.folder / "finish").touch()
    workers[0].wait()
    reaches(boss, waiting, "running")


def test_a_reused_process_number_is_not_a_worker(boss, folder):
    run = queued(folder)
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    boss.queue.reindex()
    reaches(boss, run, "lost")
    boss.tick()
    assert events.status(run.folder).state == "lost"


def test_a_worker_that_dies_before_its_first_event_failed(boss, folder, monkeypatch):
    run = queued(folder)
    monkeypatch.setattr(
        service, "spawn", lambda *_, **__: subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    )
    reaches(boss, run, "failed")
    assert run.failure[0] == "NotStarted"


def test_a_worker_that_cannot_be_started_failed(boss, folder, monkeypatch):
    def no(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    run = queued(folder)
    monkeypatch.setattr(service, "spawn", no)
    reaches(boss, run, "failed")
    assert "Cannot allocate memory" in run.failure[1]


def test_a_worker_that_a_full_disk_keeps_from_starting_waits_for_room(boss, folder, monkeypatch):
    spawn, tried = service.spawn, []

    def full(*given, **named):
        tried.append(given)
        if len(tried) < 3:
            raise OSError(28, "No space left on device")
        return spawn(*given, **named)

    monkeypatch.setattr(service, "spawn", full)
    monkeypatch.setattr(supervisor, "START_SECONDS", 0.1)
    run = queued(folder)
    reaches(boss, run, "running")
    assert len(tried) == 3 and run.status.attempt == 1


def test_a_stale_heartbeat_is_judged_by_the_clock_of_the_supervisor(boss, folder, monkeypatch):
    run = queued(folder)
    reaches(boss, run, "running")
    boss.tick()
    monkeypatch.setattr(liveness, "STALE_SECONDS", 0.3)
    reaches(boss, run, "lost")
    until(lambda: not boss.tick() and events.status(run.folder).state == "lost")
    assert "gave no sign of life for 0 s and was killed" in run.failure[1]
    until(lambda: not boss.tick() and not boss.local.children)


def test_a_jump_of_the_clock_kills_no_worker(boss, folder):
    run = queued(folder)
    reaches(boss, run, "running")
    old = time.time() - 7200  # the clock was set two hours ahead: every heartbeat looks old at first
    os.utime(run.heartbeat, (old, old))
    for _ in range(5):
        boss.tick()
    assert events.status(run.folder).state == "running"
    run.heartbeat.touch()
    assert run.state == "running"


def test_a_worker_on_another_machine_is_judged_by_its_heartbeat_alone(boss, folder, monkeypatch):
    """A shared disk: its number here belongs to somebody else, who must not be touched."""
    run = queued(folder)
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
        run.heartbeat.touch()
        events.add(run.folder, events.STARTING, who={**liveness.identity(stranger.pid), "machine": "elsewhere"})
        boss.queue.reindex()
        boss.tick()
        assert run.state == "starting"
        monkeypatch.setattr(liveness, "STALE_SECONDS", 0.1)
        until(lambda: not boss.tick() and events.status(run.folder).state == "lost")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.communicate()


def test_stop_returns_at_once(boss, folder):
    run, waiting = queued(folder), queued(folder)
    reaches(boss, run, "running")
    assert launch.stop(waiting).state == "stopped"
    assert launch.stop(run).state == "stopping"
    reaches(boss, run, "stopped")
    assert launch.stop(run).state == "stopped"
    assert waiting.id not in Queue(folder).waiting()


def test_a_worker_that_does_not_stop_is_killed(boss, folder, monkeypatch):
    run = queued(folder)
    (run.folder / "deaf").touch()
    reaches(boss, run, "running")
    monkeypatch.setattr(supervisor, "FORCE_SECONDS", 0.2)
    launch.stop(run)
    reaches(boss, run, "stopped")
    assert "did not stop within" in run.status.message


def test_a_worker_may_save_for_as_long_as_it_needs(boss, folder, monkeypatch):
    run = queued(folder)
    (run.folder / "saves").touch()
    reaches(boss, run, "running")
    monkeypatch.setattr(supervisor, "FORCE_SECONDS", 0.5)
    launch.stop(run)
    until(lambda: run.state == "saving", 20)
    boss.tick()
    boss.now += supervisor.FORCE_SECONDS + 1
    for _ in range(5):
        boss.tick()
    assert run.state == "saving" and liveness.lives(run.status.who)
    (run.folder / "saves").unlink()
    reaches(boss, run, "stopped")
    assert not run.status.message


def test_a_run_may_be_resumed_before_its_last_process_is_gone(boss, folder):
    run = queued(folder)
    (run.folder / "lingers").touch()
    reaches(boss, run, "running")
    launch.stop(run)
    until(lambda: run.state == "stopped")  # while its process still lives
    assert run.id in boss.local.children
    launch.resume(run)
    boss.tick()
    assert run.state == "queued" and Queue(folder).waiting() == [run.id]
    (run.folder / "lingers").unlink()
    reaches(boss, run, "running")
    assert run.status.attempt == 2
    (run.folder / "finish").touch()
    reaches(boss, run, "done")


def test_a_claimed_run_without_a_worker_is_queued_again(boss, folder, monkeypatch):
    run = queued(folder)
    boss.queue.claim(lambda _, wish: wish)  # and the supervisor was killed before it started the worker
    monkeypatch.setattr(supervisor, "START_SECONDS", 0.1)
    reaches(boss, run, "running")


def test_devices_are_assigned_once(boss, folder):
    place = boss.local.slot_for
    assert place("r", "auto") == "auto"
    boss.local.taken = {"a": "auto"}
    assert place("r", "auto") == "" and place("r", "cpu") == ""
    write_json(folder.cache / "devices.json", {"devices": ["cuda:0", "cuda:1", "cpu"]})
    boss.local.taken = {"a": "cuda:0"}
    assert place("r", "auto") == "cuda:1" and place("r", "cuda") == "" and place("r", "cpu") == "cpu"
    boss.local.taken = {"a": "cuda:0", "b": "cuda:1"}
    assert place("r", "auto") == ""
    write_json(folder.cache / "devices.json", {"devices": ["cpu"]})
    boss.local.taken = {}
    assert place("r", "auto") == "cpu"


def test_a_run_of_several_processes_gets_all_its_devices_at_once(boss, folder):
    place = boss.local.slot_for
    assert place("r", "auto auto") == "auto" and place("r", "cuda:1 auto") == "cuda:1"
    boss.local.taken = {"a": "cpu"}
    assert place("r", "cuda:1 auto") == ""  # which others there are is not known yet
    write_json(folder.cache / "devices.json", {"devices": ["cuda:0", "cuda:1", "cuda:2", "cpu"]})
    assert place("r", "auto auto auto") == "cuda:0 cuda:1 cuda:2" and place("r", "cuda:1 auto") == "cuda:1 cuda:0"
    assert place("r", "auto auto auto auto") == "cuda:0"  # the run says that there are too few
    boss.local.taken = {"a": "cuda:0 cuda:2"}
    assert place("r", "auto") == "cuda:1" and place("r", "auto auto") == place("r", "cuda:2") == ""
    write_json(folder.cache / "devices.json", {"devices": ["cpu"]})
    boss.local.taken = {}
    assert place("r", "auto auto") == "cpu"


def test_the_device_of_a_run_is_known_once_it_runs(boss, folder):
    run = queued(folder)
    reaches(boss, run, "running")
    boss.reconcile()
    assert boss.local.taken == {run.id: "cpu"}  # it was started with `auto`, which nothing else may run beside


def test_a_live_run_is_not_deleted_and_a_wrong_name_neither(boss, folder):
    run = queued(folder)
    with pytest.raises(BadRun, match="Stop it first"):
        launch.delete(run, run.id)
    launch.stop(run)
    with pytest.raises(BadRun, match="whole id"):
        launch.delete(run, "yes")
    launch.delete(run, run.id)
    assert not run.folder.exists() and folder.run_folders() == []


def test_runs_are_found_by_what_people_type(boss, folder):
    run, other = queued(folder), queued(folder)
    assert lookup.find(folder, run.id).folder == run.folder
    assert lookup.find(folder, run.folder).folder == run.folder
    assert lookup.find(folder, other).folder == other.folder
    with pytest.raises(BadRun, match="matches 2 runs"):
        lookup.find(folder, run.id[:4])
    with pytest.raises(UnknownName, match="Did you mean"):
        lookup.find(folder, "x" + run.id)
    with pytest.raises(BadRun, match="cannot be resumed"):
        launch.resume(run)


def test_listing_runs_restarts_the_supervisor_and_writes_nothing(folder, monkeypatch):
    started = []
    monkeypatch.setattr(service.Service, "ensure", lambda self: started.append(self.name))
    supervision.look_after(folder)
    assert not started and not folder.jobs.exists()
    run = create(folder, CONFIG)
    supervision.look_after(folder)
    assert started == ["supervisor"] and not Queue(folder).database.path.exists()
    events.add(run.folder, events.STOPPED)
    supervision.look_after(folder)
    assert started == ["supervisor"]


def test_of_many_runs_the_queue_says_whether_one_is_open(folder, monkeypatch):
    """A run that waits behind many that were made later: those are looked at one by one, it is not."""
    started = []
    monkeypatch.setattr(service.Service, "ensure", lambda self: started.append(self.name))
    monkeypatch.setattr(supervision, "_LOOKED_AT", 0)
    create(folder, CONFIG)
    supervision.look_after(folder)
    assert not started
    Queue(folder).reindex()
    supervision.look_after(folder)
    assert started == ["supervisor"]


def test_a_run_without_a_row_is_started(boss, folder):
    """Whoever submitted it was killed between folder and row."""
    run = create(folder, CONFIG)
    reaches(boss, run, "running")
    Queue(folder).database.path.write_bytes(b"no database" * 1000)  # the index is put aside
    waiting = create(folder, CONFIG)
    (run.folder / "finish").touch()
    reaches(boss, run, "done")
    reaches(boss, waiting, "running")


def test_a_run_without_a_device_does_not_hold_up_others(boss, folder, monkeypatch):
    first, bad, other = queued(folder), queued(folder), queued(folder)
    slot = Local.slot_for

    def placed(self, run, wish):
        if run == bad.id:
            raise IndexError("list index out of range")
        return slot(self, run, wish)

    monkeypatch.setattr(Local, "slot_for", placed)
    reaches(boss, first, "running")
    assert bad.state == "failed" and bad.failure == ("IndexError", "list index out of range")
    (first.folder / "finish").touch()
    reaches(boss, other, "running")
    assert bad.id not in Queue(folder).waiting()


def test_no_device_is_any_device(boss, folder):
    assert boss.local.slot_for("r", "") == "auto"
    run, other = create(folder, CONFIG), queued(folder)
    path = run.folder / "config.toml"
    path.write_text(path.read_text().replace('device = "auto"', 'device = ""'))
    boss.queue.reindex()
    reaches(boss, other, "running")
    assert run.failure[0] == "BadSetting" and "device" in run.failure[1]


def test_a_second_stop_has_its_own_time(boss, folder, monkeypatch):
    """Also where the run was queued again before the process of its first attempt was gone."""
    monkeypatch.setattr(supervisor, "FORCE_SECONDS", 10.0)
    run = queued(folder)
    (run.folder / "lingers").touch()
    reaches(boss, run, "running")
    boss.reconcile()
    events.add(run.folder, events.STOPPING)
    boss.reconcile()  # and from here on it was seen to stop
    until(lambda: events.status(run.folder).state == "stopped")
    launch.resume(run)
    (run.folder / "lingers").unlink()
    (run.folder / "deaf").touch()
    reaches(boss, run, "running")
    boss.now += supervisor.FORCE_SECONDS + 1
    launch.stop(run)
    boss.reconcile()
    assert run.state == "stopping"
    boss.now += supervisor.FORCE_SECONDS + 1
    reaches(boss, run, "stopped")


def test_time_while_the_supervisor_was_suspended_does_not_count(boss, folder, monkeypatch):
    """A machine that slept for an hour: its workers slept as well."""
    run = queued(folder)
    reaches(boss, run, "running")
    boss.tick()
    boss._looked -= 3600
    boss.tick()
    assert events.status(run.folder).state == "running" and boss.now < 60


def test_a_claimed_run_that_is_stopped_is_not_lost(boss, folder):
    run = queued(folder)
    boss.queue.claim(lambda _, wish: wish)  # its worker has not said a word yet
    assert launch.stop(run).state == "stopping"
    reaches(boss, run, "stopped")


def test_a_run_with_unreadable_events_does_not_hold_up_others(boss, folder):
    running = queued(folder)
    reaches(boss, running, "running")
    waiting, other = queued(folder), queued(folder)
    for run in (waiting, running):
        (run.folder / "events.jsonl").unlink()
        (run.folder / "events.jsonl").mkdir()
    boss.local.children[running.id].kill()
    reaches(boss, other, "running")
    assert (
        set(boss.queue.claimed()) == {other.id} and boss.queue.waiting() == [] and list(boss.local.taken) == [other.id]
    )


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), sqlite3.OperationalError("disk I/O error")])
@pytest.mark.parametrize("nth", range(1, 9))
def test_a_write_that_fails_once_blocks_neither_queue_nor_device(boss, folder, monkeypatch, nth, fault):
    """The supervisor's n-th write over a run that is killed, resumed, stopped and followed by another is refused."""
    writes = 0

    def refusing(write):
        def refused(*given, **named):
            nonlocal writes
            writes += 1
            if writes == nth:
                raise fault
            return write(*given, **named)

        return refused

    for name in ("claim", "remove", "back"):
        monkeypatch.setattr(boss.queue, name, refusing(getattr(boss.queue, name)))
    monkeypatch.setattr(supervisor, "events", SimpleNamespace(**{**vars(events), "add": refusing(events.add)}))
    monkeypatch.setattr(supervisor, "START_SECONDS", 0.1)

    def round_():
        with suppress(type(fault)):  # `main` prints it and goes on
            boss.tick()

    def reached(run, state):
        until(lambda: round_() or run.state == state, 20)

    run, other = queued(folder), queued(folder)
    reached(run, "running")
    os.kill(run.status.who["pid"], signal.SIGKILL)
    reached(run, "lost")
    reached(other, "running")
    launch.resume(run)
    (other.folder / "finish").touch()
    reached(run, "running")
    assert other.state == "done" and run.status.attempt == 2
    (run.folder / "finish").touch()
    reached(run, "done")
    until(lambda: round_() or not boss.local.taken, 20)
    assert not boss.local.children and boss.queue.claimed() == [] == boss.queue.waiting()


def test_a_run_that_is_resumed_after_its_row_could_not_be_removed_starts(boss, folder, monkeypatch):
    """As on a disk that was full when its worker ended, and has room again."""
    run = queued(folder)
    reaches(boss, run, "running")
    remove = boss.queue.remove

    def full(*given):
        monkeypatch.setattr(boss.queue, "remove", remove)
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(boss.queue, "remove", full)
    os.kill(run.status.who["pid"], signal.SIGKILL)
    boss.local.children[run.id].wait()
    with suppress(sqlite3.Error):
        boss.tick()
    launch.resume(run)
    for _ in range(20):
        boss.tick()
    reaches(boss, run, "running")


def test_a_run_whose_end_nobody_recorded_is_resumed_with_all_its_devices(boss, folder):
    """As after the machine was restarted: its last event is not that of an end."""
    run = create(folder, replace(CONFIG, training=replace(CONFIG.training, processes=2)))
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    events.add(run.folder, events.RUNNING)
    launch.resume(run)
    assert run.state == "queued" and run.status.attempt == 2
    assert boss.queue.claim(lambda _, asks: asks) == (run.id, "auto auto")
    boss.queue.reindex()  # as each supervisor does at its start
    assert boss.queue.claim(lambda _, asks: asks) == (run.id, "auto auto")


@pytest.mark.parametrize("killed", [False, True])
def test_a_round_of_the_supervisor_while_a_run_is_resumed_loses_nothing(boss, folder, monkeypatch, killed):
    """It falls between the row and the event, and in the worse case whoever resumes is killed after the event."""
    run = queued(folder)
    reaches(boss, run, "running")
    launch.stop(run)
    reaches(boss, run, "stopped")
    until(lambda: not boss.tick() and not boss.local.children)
    add = events.add

    def late(*given, **named):
        boss.tick()
        assert not Queue(folder).holds(run.id)
        add(*given, **named)
        if killed:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(launch, "events", SimpleNamespace(**{**vars(events), "add": late}))
        with suppress(KeyboardInterrupt):
            launch.resume(run)
    assert Queue(folder).holds(run.id) is not killed
    reaches(boss, run, "running")
    assert run.status.attempt == 2


def test_a_run_folder_that_cannot_be_written_keeps_no_device(boss, folder, monkeypatch):
    run, other = queued(folder), queued(folder)
    reaches(boss, run, "running")

    def read_only(path, *given, **named):
        if path == run.folder:
            raise PermissionError(13, "Permission denied")
        events.add(path, *given, **named)

    monkeypatch.setattr(supervisor, "events", SimpleNamespace(**{**vars(events), "add": read_only}))
    os.kill(run.status.who["pid"], signal.SIGKILL)
    reaches(boss, other, "running")
    assert run.state == "lost" and list(boss.local.taken) == [other.id] and "Permission denied" in boss.troubles[run.id]
    monkeypatch.setattr(supervisor, "events", events)
    until(lambda: boss.tick() and events.status(run.folder).state == "lost")
    boss.reconcile()
    assert not boss.troubles and list(boss.local.children) == [other.id]


@pytest.mark.parametrize("content", ["[1]", '"x"', "3", "{"])
def test_damaged_device_lists_count_as_unknown(boss, folder, content):
    folder.cache.mkdir()
    (folder.cache / "devices.json").write_text(content)
    reaches(boss, queued(folder), "running")
