"""What the warm process makes of the requests it finds, looked at inside one process."""

from workbench.jobs.compute import Compute
from workbench.jobs.desk import Desk
from workbench.jobs.service import Service
from workbench.jobs.tickets import ask


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
