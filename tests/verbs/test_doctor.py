"""What doctor says of this machine."""

from math import inf

import pytest

from workbench.core import cgroups
from workbench.verbs import doctor


@pytest.mark.parametrize(("left", "found"), [(1e6, "note"), (inf, None)])
def test_in_a_container_the_memory_is_what_its_limit_leaves(monkeypatch, left, found):
    monkeypatch.setattr(cgroups, "free_bytes", lambda: left)
    _, state, finding, way_out = doctor._machine()
    assert (" 0.0 of " in finding) == (found == "note")
    assert found is None or (state == found and way_out.startswith("Close other programs"))
