"""Runs on a cluster: what the supervisor makes of jobs that wait, vanish, come back, or cannot be asked after."""

import os
import signal
import subprocess
import sys

import pytest

from tests.scheduler.test_supervisor import WORKER, reaches
from tests.store.test_runs import CONFIG
from tests.trial import until
from workbench.core.errors import UnknownName
from workbench.processes import liveness, service
from workbench.scheduler import clusters, launch, supervisor
from workbench.scheduler.executors import remote
from workbench.scheduler.executors.interface import Standing
from workbench.scheduler.executors.remote import Cluster, Remote
from workbench.scheduler.following import follow_run
from workbench.scheduler.queue import Queue
from workbench.store import events
from workbench.store.run import DECISION_SECONDS

SECONDS = {"RECONCILE_SECONDS": 0.0, "SETTLE_SECONDS": 0.0, "START_SECONDS": 0.1, "FORCE_SECONDS": 0.5}


class Pretended(Remote):
    """A cluster of processes of this machine."""

    def __init__(self, settings):
        super().__init__("there", settings)
        self.processes, self.commands, self.standings, self.silent, self.room = {}, {}, {}, False, True

    def submit(self, job, command, peer):
        assert not peer
        assert job.name not in self.processes, "a name is used once"
        self.commands[job.name] = command
        self.processes[job.name] = self.worker(job) if self.room else None

    def worker(self, job):
        environment = {**os.environ, "PYTHONPATH": str(service.Path(service.workbench.__file__).parents[1])}
        return subprocess.Popen([sys.executable, "-c", WORKER, str(job.run.folder)], env=environment)

    def listed(self):
        if self.silent:
            raise OSError("no route to host")
        return {name: self.standings.get(name) or self.of(process) for name, process in self.processes.items()}

    def of(self, process):
        if process is None:
            return Standing("waiting")
        return Standing("running") if process.poll() is None else Standing("gone", "Its node failed.")

    def cancel(self, job, *, force):
        if job.name not in self.processes:
            return
        process = self.processes[job.name]
        if process is None:
            self.standings[job.name] = Standing("gone", "Its job was cancelled.")
        else:
            process.send_signal(signal.SIGKILL if force else signal.SIGCONT)
            process.wait() if force else None

    def logs(self, job):
        return ""


@pytest.fixture
def settings():
    return Cluster(jobs=2, resumes=1, stale_seconds=60.0)


@pytest.fixture
def away(folder, monkeypatch, settings):
    """A supervisor in this process, and the cluster `there`."""
    made = Pretended(settings)
    monkeypatch.setattr(Cluster, "executor", lambda _self, _name: made, raising=False)
    for module in (supervisor, launch):
        monkeypatch.setattr(module, "cluster", lambda _: settings)
    monkeypatch.setattr(launch, "chosen", lambda name: name)
    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    monkeypatch.setattr(remote, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(remote, "REST_SECONDS", 0.2)
    for name, seconds in SECONDS.items():
        monkeypatch.setattr(supervisor, name, seconds)
    yield supervisor.Supervisor(folder), made
    for process in filter(None, made.processes.values()):
        process.kill()
        process.wait()


def sent(folder, config=CONFIG):
    return launch.submit_all(folder, [config], on="there")[0]


@pytest.fixture(autouse=True)
def unread(monkeypatch):
    """No corpus is read and no configuration refused: neither matters here."""
    monkeypatch.setattr(launch, "with_corpus", lambda config: config)
    monkeypatch.setattr(launch, "refusal", lambda _: "")
    monkeypatch.setattr(launch, "load_pairs", lambda _: None)


def test_a_run_goes_through_a_cluster_beside_one_on_this_machine(away, folder, monkeypatch):
    boss, there = away
    run = sent(folder)
    assert run.recorded_status.on == "there" and run.recorded_status.stale_seconds == 60
    reaches(boss, run, "running")
    command = there.commands[f"{run.id}.1"]
    assert "exec env" in command and "OMP_NUM_THREADS=1" in command and "--attempt 1 >>" in command
    (run.folder / "finish").touch()
    reaches(boss, run, "done")
    until(lambda: not boss.tick())
    assert not there.taken and Queue(folder).reindex() == 0


def test_the_place_of_a_run_that_has_ended_is_taken_at_once(away, folder, monkeypatch):
    boss, there = away
    runs = [sent(folder) for _ in range(4)]
    reaches(boss, runs[1], "running")
    monkeypatch.setattr(supervisor, "RECONCILE_SECONDS", 1e9)
    monkeypatch.setattr(supervisor, "MOST_LOOKS", 1)  # they are looked at in turn
    for run in runs[:2]:
        (run.folder / "finish").touch()
        until(lambda run=run: run.recorded_status.state == "done")
    assert set(there.taken) == {runs[0].id, runs[1].id}
    for _ in range(4):
        boss.tick()
    assert set(there.taken) == {runs[2].id, runs[3].id} and not Queue(folder).waits()


def test_no_more_jobs_than_allowed_and_each_place_has_a_queue_of_its_own(away, folder):
    boss, there = away
    runs = [sent(folder) for _ in range(3)]
    reaches(boss, runs[1], "running")
    for _ in range(3):
        boss.tick()
    assert len(there.processes) == 2 and runs[2].state == "queued"
    assert Queue(folder).ahead(runs[2].id) == [runs[0].id, runs[1].id]
    (runs[0].folder / "finish").touch()
    reaches(boss, runs[2], "running")


def test_a_run_that_waits_in_the_queue_of_the_cluster_is_queued_and_can_be_stopped(away, folder):
    boss, there = away
    there.room = False
    run = sent(folder)
    for _ in range(4):
        boss.tick()
    assert run.state == "queued" and boss.queue.claimed() == [run.id] and boss.tick()
    successor = supervisor.Supervisor(folder)  # the old one was killed: the job is known by its name
    successor.queue.reindex()
    successor.tick()
    assert list(there.processes) == [f"{run.id}.1"]
    launch.stop(run)
    reaches(boss, run, "stopped")
    assert there.standings[f"{run.id}.1"].state == "gone"


def test_a_run_whose_node_fails_is_queued_again_by_itself_and_lost_after_that(away, folder):
    boss, there = away
    run = sent(folder)
    for attempt in (1, 2):
        reaches(boss, run, "running")
        assert run.status.attempt == attempt
        there.processes[f"{run.id}.{attempt}"].kill()
        until(lambda: boss.tick() is None or events.status(run.folder).state != "running")
    reaches(boss, run, "lost")
    assert [row["message"] for row in run.events if row["event"] in ("retried", "lost")] == ["Its node failed."] * 2
    launch.resume(run)
    assert run.recorded_status.on == "there" and run.recorded_status.retries == 0
    reaches(boss, run, "running")
    assert run.status.attempt == 3


def test_whoever_waits_for_a_run_whose_worker_is_killed_waits_for_the_next_one(away, folder, monkeypatch):
    boss, there = away
    run, seen = sent(folder), []
    monkeypatch.setattr(service.Service, "check_may_work", lambda _: None)

    def follow(run):
        seen.append((run.status.attempt, run.state))
        if seen.count((1, "running")) == 1:
            there.processes[f"{run.id}.1"].kill()
            there.processes[f"{run.id}.1"].wait()
        if (2, "running") in seen:
            (run.folder / "finish").touch()
        if (1, "running") not in seen or seen.count((1, "running")) > 3:  # not before it was seen without a worker
            boss.tick()

    assert follow_run(run, follow, every_seconds=0.02).state == "done"
    assert not {state for _, state in seen} & {"lost", "failed"} and run.status.attempt == 2


def test_a_job_that_its_cluster_queued_again_waits_under_the_same_name(away, folder):
    boss, there = away
    run = sent(folder)
    reaches(boss, run, "running")
    name = f"{run.id}.1"
    there.processes[name].kill()
    there.processes[name].wait()
    there.standings[name] = Standing("waiting", "BeginTime")
    reaches(boss, run, "queued")
    assert run.status.attempt == 1 and boss.queue.claimed() == [run.id]
    there.processes[name] = there.worker(supervisor.Job(run, 1, {}))
    del there.standings[name]
    reaches(boss, run, "running")
    (run.folder / "finish").touch()
    reaches(boss, run, "done")


def test_a_worker_without_a_heartbeat_is_stopped_before_the_run_is_queued_again(away, folder, monkeypatch):
    boss, there = away
    run = sent(folder)
    reaches(boss, run, "running")
    boss.tick()
    first = there.processes[f"{run.id}.1"]
    there.stale_seconds = 0.2
    until(lambda: boss.tick() is None or run.recorded_status.attempt == 2)
    assert first.poll() is not None
    (reason,) = [row["message"] for row in run.events if row["event"] == "retried"]
    assert reason.startswith("Its process gave no sign of life for 0 s and was killed."), (
        "that its job ended is no reason"
    )
    there.stale_seconds = 60.0
    reaches(boss, run, "running")


def test_a_job_that_ends_before_its_first_event_failed_with_the_reason(away, folder):
    boss, there = away
    there.room = False
    run = sent(folder)
    for attempt in (1, 2):
        until(lambda name=f"{run.id}.{attempt}": boss.tick() and name in there.processes)
        there.standings[f"{run.id}.{attempt}"] = Standing("gone", "Its job ended: boot fail.")
    reaches(boss, run, "failed")
    assert run.failure[0] == "NotStarted" and "boot fail" in run.failure[1]


def test_a_job_that_its_cluster_has_forgotten_is_handed_in_again_and_counted(away, folder):
    """As one whose script ends before the worker starts, on a cluster that does not list what has ended."""
    boss, there = away
    there.room = False
    run = sent(folder)
    for attempt in (1, 2):
        until(lambda name=f"{run.id}.{attempt}": boss.tick() and name in there.processes)
        del there.processes[f"{run.id}.{attempt}"]
    reaches(boss, run, "failed")
    reasons = [row["message"] for row in run.events if row["event"] in ("retried", "failed")]
    assert len(reasons) == 2 and all("does not list it any more. Its worker never reported" in text for text in reasons)
    assert run.failure[0] == "NotStarted" and "section there of clusters.toml. Jobs so far: 2." in run.failure[1]


def test_a_run_whose_job_was_never_handed_in_is_handed_in_and_not_counted(away, folder, monkeypatch):
    """Its supervisor was killed after it had claimed the run; and one that only waited too long in Ray is no attempt either."""
    boss, there = away
    run = sent(folder)
    boss.queue.claim(lambda _, wish: wish.rpartition("/")[2])
    there.room = False
    until(lambda: boss.tick() and f"{run.id}.1" in there.processes)
    submit = there.submit

    def replaced(job, command, peer):
        del there.processes[job.name], there.standings[job.name]
        submit(job, command, peer)

    monkeypatch.setattr(there, "submit", replaced)
    there.standings[f"{run.id}.1"], there.room = Standing("gone"), True
    reaches(boss, run, "running")
    assert run.status.attempt == 1 and run.status.retries == 0


def test_a_silent_cluster_holds_up_nobody_and_loses_nothing(away, folder):
    boss, there = away
    run, waiting = sent(folder), sent(folder)
    reaches(boss, run, "running")
    reaches(boss, waiting, "running")
    there.silent = True
    late = sent(folder)
    for _ in range(5):
        boss.tick()
    assert run.state == waiting.state == "running" and late.state == "queued"
    assert "does not answer: no route to host" in boss.troubles[run.id]
    there.silent = False
    (run.folder / "finish").touch()
    reaches(boss, late, "running")
    assert run.state == "done"


def test_an_answer_that_cannot_be_read_fails_nobody(away, folder, monkeypatch):
    boss, there = away
    run = sent(folder)
    reaches(boss, run, "running")

    def unreadable():
        raise ValueError("not enough values to unpack")

    with monkeypatch.context() as patch:
        patch.setattr(there, "listed", unreadable)
        late = sent(folder)
        for _ in range(5):
            boss.tick()
        assert run.state == "running" and late.state == "queued"
        assert "its list of jobs cannot be read (ValueError: not enough" in boss.troubles[run.id]
    reaches(boss, late, "running")


def test_a_cluster_that_was_taken_out_of_the_file_fails_who_waits_and_not_who_runs(away, folder, monkeypatch):
    boss, _ = away
    run = sent(folder)
    reaches(boss, run, "running")

    def gone(name):
        raise supervisor.WorkbenchError(f"There is no cluster {name}.")

    late = sent(folder)
    monkeypatch.setattr(supervisor, "cluster", gone)
    reaches(boss, late, "failed")
    assert "no cluster there" in late.failure[1] and run.state == "running"


def test_while_the_file_of_clusters_cannot_be_read_runs_wait(away, folder, monkeypatch):
    """It is being edited. Runs on this machine are not held up."""
    boss, _ = away
    settings, run, late = supervisor.cluster("there"), sent(folder), sent(folder)

    def unreadable(name):
        raise supervisor.BadSetting("clusters.toml is not valid TOML.")

    started = []
    monkeypatch.setattr(boss.local, "start", lambda job, slot: started.append(job.run.id))
    with monkeypatch.context() as patch:
        patch.setattr(supervisor, "cluster", unreadable)
        here = launch.submit_all(folder, [CONFIG])[0]
        boss.tick()
        assert started == [here.id]
        assert run.state == late.state == "queued" and "not valid TOML" in boss.troubles[run.id]
        boss.queue.claim(lambda _, wish: wish.rpartition("/")[2])  # the file broke after its place was given
        with boss.apart(run.id):
            boss.start(run.id, "auto")
        assert run.state == "queued"
    assert supervisor.cluster("there") is settings
    reaches(boss, run, "running")


def test_while_the_file_of_clusters_is_not_there_runs_wait(away, folder, monkeypatch, tmp_path):
    """Some editors remove a file before they write it anew."""
    boss, _ = away
    run = sent(folder)
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(tmp_path / "clusters.toml"))
    with monkeypatch.context() as patch:
        patch.setattr(supervisor, "cluster", clusters.cluster)
        boss.tick()
        assert run.state == "queued" and "names none" in boss.troubles[run.id]
    reaches(boss, run, "running")


def test_a_run_whose_cluster_is_gone_says_so_and_is_resumed_elsewhere(away, folder, monkeypatch, tmp_path):
    boss, _ = away
    run = sent(folder)
    (tmp_path / "clusters.toml").write_text('[other]\nkind = "slurm"\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(tmp_path / "clusters.toml"))
    monkeypatch.setattr(supervisor, "cluster", clusters.cluster)
    monkeypatch.setattr(launch, "cluster", clusters.cluster)
    monkeypatch.setattr(launch, "chosen", clusters.chosen)
    until(lambda: boss.tick() or run.state == "failed")
    kind, message = run.failure
    assert kind == "UnknownName" and "sent to the cluster there, which" in message and "clusters.toml" in message
    assert "--on NAME, local for this machine" in message
    until(lambda: boss.tick() or not boss.queue.waiting())
    with pytest.raises(UnknownName, match="Write its section there again"):
        launch.resume(run)
    with pytest.raises(UnknownName, match="Did you mean other"):
        launch.resume(run, "others")
    assert launch.resume(run, "local").recorded_status.on == "" and Queue(folder).waiting() == [run.id]


def test_a_run_can_be_moved(away, folder, monkeypatch):
    boss, _ = away
    run = sent(folder)
    reaches(boss, run, "running")
    launch.stop(run)
    reaches(boss, run, "stopped")
    monkeypatch.setattr(launch, "chosen", lambda name: "" if name == "local" else name)
    launch.resume(run, "local")
    assert run.recorded_status.on == "" and Queue(folder).waiting() == [run.id]


def test_a_worker_that_its_cluster_tells_to_end_is_queued_again(away, folder):
    boss, there = away
    run = sent(folder)
    reaches(boss, run, "running")
    there.processes[f"{run.id}.1"].kill()
    events.add(run.folder, events.STOPPED, kind=events.SIGNALLED, message="The cluster asked its worker to end.")
    reaches(boss, run, "running")
    assert run.status.attempt == 2


def test_a_heartbeat_elsewhere_has_the_patience_of_its_cluster(away, folder, monkeypatch):
    run = sent(folder)
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "machine": "elsewhere"})
    run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
    run.heartbeat.touch()
    os.utime(run.heartbeat, (run.heartbeat.stat().st_mtime - 50,) * 2)
    monkeypatch.setattr(liveness, "STALE_SECONDS", 10.0)
    assert run.state == "starting"
    os.utime(run.heartbeat, (run.heartbeat.stat().st_mtime - 50 - DECISION_SECONDS,) * 2)
    assert run.state == "lost"
