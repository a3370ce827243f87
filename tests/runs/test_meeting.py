import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from workbench.runs import meeting
from workbench.runs.meeting import Card, Vanished, failure, interfaces, is_broken, join, leave_failure, towards

JOIN = """
import sys
from pathlib import Path
import torch
from torch import distributed
from workbench.runs import meeting
rank = int(sys.argv[1])
meeting.join(Path(sys.argv[2]), rank, 2, "cpu")
total = torch.tensor([10.0 + rank])
distributed.all_reduce(total)
import os
print(os.environ["GLOO_SOCKET_IFNAME"], total.item(), flush=True)
distributed.barrier()
os._exit(0)
"""


def joined(tmp_path, *prefixes):
    """What two processes print that meet, each started by a command of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [*prefix, sys.executable, "-c", JOIN, str(rank), str(tmp_path)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank, prefix in enumerate(prefixes)
    ]
    return [process.communicate(timeout=100)[0].split() for process in started]


@contextmanager
def namespaces(*names):
    """Two network namespaces with a cable between them, like two machines; skipped where they cannot be made."""
    commands = [
        *(f"ip netns add {name}" for name in names),
        f"ip link add {names[0]}e netns {names[0]} type veth peer name {names[1]}e netns {names[1]}",
        *(f"ip -n {name} addr add 10.77.0.{number}/24 dev {name}e" for number, name in enumerate(names, 1)),
        *(f"ip -n {name} link set {device} up" for name in names for device in ("lo", f"{name}e")),
    ]
    try:
        for command in commands:
            made = subprocess.run(command.split(), capture_output=True, text=True, check=False)
            if made.returncode:
                pytest.skip(f"no network namespaces here: {made.stderr.strip()}")
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@pytest.mark.slow
def test_two_processes_of_one_machine_meet_within_it(tmp_path):
    assert joined(tmp_path, [], []) == [[meeting.loopback(), "21.0"]] * 2


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("ip"), reason="there is no program ip")
def test_processes_on_two_networks_meet_over_the_cable_between_them(tmp_path):
    names = [f"wb{os.getpid()}{letter}" for letter in "ab"]
    with namespaces(*names):
        found = joined(tmp_path, *(["ip", "netns", "exec", name] for name in names))
    assert found == [[f"{name}e", "21.0"] for name in names]


def test_the_interface_is_the_one_that_leads_to_the_other_machine(monkeypatch):
    """The bridge of Docker has the same address on both."""
    own = {"docker0": ["172.17.0.1/16"], "eth0": ["192.168.1.4/24"], "ib0": ["10.0.0.4/24"]}
    other = {"docker0": ["172.17.0.1/16"], "ib0": ["10.0.0.5/24"], "eth0": ["192.168.1.5/24"]}
    routes = {
        "10.0.0.5": "10.0.0.4",
        "192.168.1.5": "192.168.1.4",
        "8.8.8.8": "192.168.1.4",
        "172.17.0.1": "172.17.0.1",
    }
    monkeypatch.setattr(meeting, "_source", routes.get)
    assert towards(own, other) == "ib0"
    assert towards(own, {"eth0": ["8.8.8.8/32"]}) == "eth0"
    assert towards(own, {"eth0": ["9.9.9.9/32"]}) == ""


def test_what_was_set_counts_between_machines_and_not_within_one(monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "ib7")
    monkeypatch.setattr(meeting, "towards", lambda *_: "eth0")
    here, there = Card(2, "cpu", "a", {}), Card(2, "cpu", "b", {})
    assert interfaces([here, there], 0) == {"GLOO_SOCKET_IFNAME": "ib7", "NCCL_SOCKET_IFNAME": "eth0"}
    assert set(interfaces([here, here], 0).values()) == {meeting.loopback()}


def test_whoever_does_not_come_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(meeting, "WAIT_SECONDS", 0.2)
    waits = []
    with pytest.raises(Vanished, match="Of 3 processes, number 1, 2 did not come"):
        join(tmp_path, 0, 3, "cpu", lambda: waits.append(1))
    assert waits


def test_why_a_process_failed_is_left_for_the_first(tmp_path):
    assert failure(tmp_path) is None
    leave_failure(tmp_path, "OutOfMemory", "Memory ran out.")
    assert failure(tmp_path) == ("OutOfMemory", "Memory ran out.")


def test_a_broken_collective_is_not_an_error_of_its_own():
    assert is_broken(RuntimeError("[../gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:9"))
    assert is_broken(Vanished("gone")) and not is_broken(RuntimeError("shapes differ")) and not is_broken(OSError(5))
