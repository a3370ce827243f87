"""When waiting for a run ends: on a cluster a worker that vanished is not yet the end."""

import os
import time

import pytest

from tests.store.test_runs import CONFIG
from workbench.core.errors import BadRun
from workbench.core.writing import write_json
from workbench.processes import liveness, service
from workbench.scheduler import following, supervision
from workbench.scheduler.queue import Queue, wish
from workbench.store import events
from workbench.store.create import create

STALE_SECONDS = 15.0


@pytest.fixture
def clusters(tmp_path, monkeypatch):
    """The file of clusters, which names `hpc`."""
    path = tmp_path / "clusters.toml"
    path.write_text('[hpc]\nkind = "slurm"\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(path))
    return path


@pytest.fixture
def run(folder, clusters, monkeypatch):
    """A run on `hpc` without a sign of life for an hour, which no supervisor looks after."""
    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    made = create(folder, CONFIG, on="hpc", stale_seconds=STALE_SECONDS)
    Queue(folder).add(made.id, wish("auto", 1, "hpc"))
    events.add(made.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    events.add(made.folder, events.RUNNING)
    beats(made, 3600)
    return made


def beats(run, seconds_ago):
    run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
    run.heartbeat.touch()
    os.utime(run.heartbeat, (time.time() - seconds_ago,) * 2)


def supervised(folder):
    """This process passes for the supervisor."""
    service_ = supervision.supervisor(folder)
    write_json(service_.card, {**liveness.identity()})
    service_.beat()


def test_a_run_on_a_cluster_is_not_called_lost_before_its_supervisor_has_had_time_to_decide(run):
    """Neither where its process is gone from this machine nor where its heartbeat elsewhere has stopped."""
    for machine in (liveness.machine(), "elsewhere"):
        events.add(run.folder, events.REQUEUED)
        events.add(run.folder, events.STARTING, who={"pid": os.getpid(), "born": "1", "machine": machine})
        for seconds in (0, STALE_SECONDS + 45):
            beats(run, seconds)
            assert run.state == "starting" and not following.has_ended(run)
        beats(run, STALE_SECONDS + 90)
        assert run.state == "lost"


def test_a_supervisor_that_has_not_decided_yet_is_waited_for_and_its_end_is_the_end(run, folder, clusters):
    assert run.state == "lost" and following.has_ended(run), "nobody is there who could queue it again"
    supervised(folder)
    assert run.state == "lost" and not following.has_ended(run)
    clusters.write_text('[other]\nkind = "slurm"\n')
    assert following.has_ended(run), "of a job on a cluster that is not in the file nothing will be known"
    clusters.write_text('[hpc]\nkind = "slurm"\n')
    events.add(run.folder, events.RETRIED)
    assert run.state == "queued" and not following.has_ended(run)
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    events.add(run.folder, events.LOST, message="Its node failed.")
    assert following.has_ended(run)
    with pytest.raises(BadRun, match=r"was lost\. Reason: Its node failed"):
        following.follow_run(run)


def test_waiting_for_a_vanished_run_ends_where_no_supervisor_may_be_started(run, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    with pytest.raises(BadRun, match="was lost"):
        following.follow_run(run)


def test_a_run_that_its_cluster_asked_to_end_is_waited_for_until_its_row_is_gone(run, folder):
    events.add(run.folder, events.STOPPED, kind=events.SIGNALLED, message="The cluster asked its worker to end.")
    assert following.has_ended(run)
    supervised(folder)
    assert run.state == "stopped" and not following.has_ended(run)
    Queue(folder).remove(run.id)  # as the supervisor does that queues it no more
    assert following.has_ended(run)


def test_a_stop_while_it_is_not_decided_stops_the_next_attempt(run, folder):
    """The interrupt comes while there is nothing to stop."""
    supervised(folder)

    def interrupted(run):
        seen.append(run.state)
        if seen == ["lost"]:
            raise KeyboardInterrupt
        if seen == ["lost", "lost"]:
            Queue(folder).add(run.id, wish("auto", 1, "hpc"), again=True)
            events.add(run.folder, events.RETRIED)

    seen = []
    assert following.follow_run(run, interrupted, every_seconds=0.0).state == "stopped"
    assert seen[-1] == "stopped" and run.status.attempt == 2


def test_a_run_on_this_machine_ends_with_its_process(folder):
    run = create(folder, CONFIG)
    supervised(folder)
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    beats(run, 0)
    assert run.state == "lost" and following.has_ended(run)
