from math import inf

import pytest

from workbench.core import cgroups, device
from workbench.training import dryrun

GIB = 2**30
USED = {"memory.max": f"{4 * GIB}\n", "memory.current": f"{3 * GIB}\n"}
STAT = f"anon 12\nactive_file {GIB // 2}\ninactive_file {GIB // 2}\n"
OLDER = {
    "memory.limit_in_bytes": f"{3 * GIB}\n",
    "memory.usage_in_bytes": f"{2 * GIB}\n",
    "memory.stat": f"active_file 7\ntotal_active_file 0\ntotal_inactive_file {GIB // 4}\n",
}
ENDLESS = {"memory.limit_in_bytes": "9223372036854771712\n", "memory.usage_in_bytes": "5\n", "memory.stat": "cache 5\n"}


@pytest.mark.parametrize(
    ("own", "groups", "free", "cores"),
    [
        ("0::/\n", {"": {**USED, "memory.stat": STAT, "cpu.max": "150000 100000\n"}}, 2 * GIB, 1.5),
        ("0::/a/b\n", {"a": {**USED, "memory.stat": STAT}, "a/b": {"cpu.max": "max 100000\n"}}, 2 * GIB, inf),
        ("0::/a\n", {"a": {**USED, "memory.max": "max\n", "memory.stat": STAT}}, inf, inf),
        (
            "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n0::/\n",
            {"memory": OLDER, "cpu": {"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}},
            1.25 * GIB,
            0.5,
        ),
        (
            "4:memory:/x\n3:cpuacct:/y\n1:cpu:/\n",
            {
                "memory": ENDLESS,
                "memory/x": OLDER,
                "cpu": {"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"},
            },
            1.25 * GIB,
            inf,
        ),
        ("", {}, inf, inf),
    ],
)
def test_memory_and_cores_are_those_of_the_own_group_and_of_those_around_it(
    tmp_path, monkeypatch, own, groups, free, cores
):
    for group, files in groups.items():
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (tmp_path / group / name).write_text(content)
    (tmp_path / "own").write_text(own)
    monkeypatch.setattr(cgroups, "ROOT", tmp_path)
    monkeypatch.setattr(cgroups, "OWN", tmp_path / "own")
    assert cgroups.free_bytes() == free and cgroups.cores() == cores


def test_a_container_computes_and_plans_with_what_it_has(monkeypatch):
    monkeypatch.delenv("WORKBENCH_THREADS", raising=False)
    monkeypatch.setattr(cgroups, "free_bytes", lambda: 5.0)
    assert dryrun.free_bytes("cpu") == 5
    for cores, threads in ((0.5, 1), (1.0, 1)):
        monkeypatch.setattr(cgroups, "cores", lambda cores=cores: cores)
        assert device.threads() == threads
    monkeypatch.setattr(cgroups, "cores", lambda: inf)
    assert device.threads() >= 1
    monkeypatch.setattr(cgroups, "free_bytes", lambda: inf)
    assert dryrun.free_bytes("cpu") > 5


def test_without_control_groups_there_are_no_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "OWN", tmp_path / "none")
    assert cgroups.free_bytes() == cgroups.cores() == inf
