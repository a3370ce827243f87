"""What doctor says of this machine and of a runs folder."""

from math import inf

import pytest

from workbench import api
from workbench.core import cgroups
from workbench.verbs import doctor


@pytest.mark.parametrize(("left", "found"), [(1e6, "note"), (inf, None)])
def test_in_a_container_the_memory_is_what_its_limit_leaves(monkeypatch, left, found):
    monkeypatch.setattr(cgroups, "free_bytes", lambda: left)
    _, state, finding, way_out = doctor._machine()
    assert (" 0.0 of " in finding) == (found == "note")
    assert found is None or (state == found and way_out.startswith("Close other programs"))


def test_a_disk_that_may_be_elsewhere_is_named_by_its_kind(folder, monkeypatch):
    monkeypatch.setattr(doctor, "on_network", lambda _: True)
    monkeypatch.setattr(doctor, "disk_kind", lambda _: "fuse.fuse-overlayfs")
    rows = {row["check"]: row for row in api.doctor(runs=folder.path).to_dict("records")}
    assert rows["Network disk"]["state"] == "note"
    assert "of the kind fuse.fuse-overlayfs: over a network, locks may fail" in rows["Network disk"]["finding"]
