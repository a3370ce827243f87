"""What the warm process makes of the requests it finds, looked at inside one process."""

import pytest

from tests.store.test_runs import CONFIG
from workbench.jobs.compute import Compute
from workbench.jobs.desk import Desk
from workbench.jobs.service import Service
from workbench.jobs.tickets import ask
from workbench.store import alive, events
from workbench.store.create import create


def test_umap_is_made_ready_only_where_a_page_has_asked(folder, monkeypatch):
    """It takes ten processor seconds, which a script's training would lack."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process = Compute(folder, Desk(folder))
    with process.table.read() as connection:
        ask(folder, "precision", {}, key="one", lane="fast")
        process.look(connection)
        assert process.working and not process.seen
        ask(folder, "precision", {}, key="two", lane="fast", session="reader")
        process.look(connection)
        assert len(process.working) == 2 and process.seen


@pytest.mark.parametrize(("device", "threads"), [("cpu", 4), ("auto", 4), ("cuda:0", 8)])
def test_a_question_leaves_half_of_the_cores_to_a_training_on_them(folder, device, threads):
    process = Compute(folder, Desk(folder), 8)
    assert process.threads() == 8
    run = create(folder, CONFIG)
    process.queue.add(run.id)
    assert process.threads() == 8
    process.queue.claim(lambda _, wish: wish)
    events.add(run.folder, events.STARTING, who=alive.identity(), device=device)
    run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
    run.heartbeat.touch()
    assert process.threads() == threads
    events.add(run.folder, events.STOPPED)
    assert process.threads() == 8
    assert Compute(folder, Desk(folder), 1).threads() == 1
