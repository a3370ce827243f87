"""Where the processes of one run find each other: a folder that all of them see, since torch's own way is an open port.

Each leaves a card there and reads those of the others. Only then is it known whether they lie on different machines.
"""

import ipaddress
import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from workbench.core.errors import is_process_gone
from workbench.core.reading import read_object
from workbench.core.writing import write_json
from workbench.processes import liveness
from workbench.training.processes import STILL_SECONDS, WAIT_SECONDS

LOOK_SECONDS = 0.1
"""Between two looks for the cards of the others."""
_FAILURE = "failure.json"
_INTERFACES = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")


class Vanished(Exception):
    """Another process of the run is gone, or never came."""


@dataclass(frozen=True)
class Card:
    """What a process lets the others know."""

    count: int
    """Of the processes."""
    device: str
    network: str
    """The same for processes that reach each other over the loopback interface."""
    addresses: dict[str, list[str]]
    """Of each network interface that others may reach, with the length of its prefix: 10.0.0.3/24."""


def join(meeting: Path, rank: int, count: int, device: str, wait: Callable[[], object] = lambda: None) -> None:
    """Make this process one of `count`; `wait` is called while they do not all have come yet.

    Raises:
        Vanished: one did not come within `WAIT_SECONDS`.
    """
    from torch import distributed

    write_json(meeting / f"{rank}.json", asdict(Card(count, device, network(), addresses())))
    until = time.monotonic() + WAIT_SECONDS
    while not all(cards := [card(meeting, other) for other in range(count)]):
        wait()
        if time.monotonic() > until:
            missing = ", ".join(str(other) for other, seen in enumerate(cards) if not seen)
            raise Vanished(f"Of {count} processes, number {missing} did not come within {WAIT_SECONDS} s.")
        time.sleep(LOOK_SECONDS)
    on_cpu = device == "cpu"
    local = str(rank) if on_cpu else device.partition(":")[2] or "0"
    os.environ |= {"WORLD_SIZE": str(count), "RANK": str(rank), "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": str(count)}
    if on_cpu:
        os.environ["ACCELERATE_USE_CPU"] = "1"
    os.environ |= interfaces([seen for seen in cards if seen], rank)
    way = "gloo" if on_cpu else "nccl"
    distributed.init_process_group(
        way,
        store=distributed.FileStore(str(meeting / "store"), count),  # type: ignore[attr-defined]
        rank=rank,
        world_size=count,
        timeout=timedelta(seconds=STILL_SECONDS[way]),
    )


def card(meeting: Path, rank: int) -> Card | None:
    """What a process has left in the folder; None if it has not come yet."""
    content = read_object(meeting / f"{rank}.json")
    return Card(**content) if content else None  # type: ignore[arg-type]


def network() -> str:
    """The machine and, on Linux, the network namespace of this process."""
    try:
        return f"{liveness.machine()} {os.readlink('/proc/self/ns/net')}"  # noqa: PTH115 - not a path
    except OSError:
        return liveness.machine()


def addresses() -> dict[str, list[str]]:
    """See `Card`."""
    import psutil

    reachable: dict[str, list[str]] = {}
    for name, listed in psutil.net_if_addrs().items():
        for entry in listed:
            if entry.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            address = ipaddress.ip_address(entry.address.partition("%")[0])
            if not (address.is_loopback or address.is_link_local):
                length = _prefix(entry.netmask) if entry.netmask else address.max_prefixlen
                reachable.setdefault(name, []).append(f"{address}/{length}")
    return reachable


def _prefix(netmask: str) -> int:
    """
    >>> _prefix("255.255.255.0"), _prefix("ffff:ffff::")
    (24, 32)
    """
    return int(ipaddress.ip_address(netmask)).bit_count()


def interfaces(cards: Sequence[Card], rank: int) -> dict[str, str]:
    """Environment variables that bind gloo and NCCL to one network interface: the loopback if all are on one machine,
    otherwise the one from which this process reaches the others. What was set before counts there.
    """
    ours = cards[rank]
    elsewhere = [other for other in cards if other.network != ours.network]
    if not elsewhere:
        name = loopback()
        return dict.fromkeys(_INTERFACES, name) if name else {}
    name = towards(ours.addresses, elsewhere[0].addresses)
    return {variable: os.environ.get(variable) or name for variable in _INTERFACES if os.environ.get(variable) or name}


def towards(ours: dict[str, list[str]], other: dict[str, list[str]]) -> str:
    """The interface from which the system reaches another machine: one in the same subnet, if there is one. Empty if there
    is none at all.

    Addresses that both have are those of bridges within each machine, such as Docker's.
    """
    mine = {ipaddress.ip_interface(text): name for name, texts in ours.items() for text in texts}
    both = {interface.ip for interface in mine}
    routed = ""
    for text in (text for texts in other.values() for text in texts):
        target = ipaddress.ip_interface(text).ip
        source = None if target in both else _source(str(target))
        for source_of, name in mine.items():
            if source == str(source_of.ip):
                if target in source_of.network:
                    return name
                routed = routed or name
    return routed


def _source(target: str) -> str | None:
    """The address that packets to `target` would be sent from; none is sent. None if there is no route."""
    with socket.socket(socket.AF_INET6 if ":" in target else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def loopback() -> str:
    """The network interface that nobody outside this machine reaches: lo on Linux, lo0 on a Mac. Empty if it has no name
    that torch understands.
    """
    import psutil

    if os.name == "nt":
        return ""
    for name, listed in psutil.net_if_addrs().items():
        if any(entry.address == "127.0.0.1" for entry in listed):
            return name
    return ""


def leave_failure(meeting: Path, kind: str, message: str) -> None:
    """Let the first process know why this one failed."""
    write_json(meeting / _FAILURE, {"kind": kind, "message": message})


def failure(meeting: Path) -> tuple[str, str] | None:
    """Kind and message of another process that failed, if one has."""
    content = read_object(meeting / _FAILURE)
    return (str(content.get("kind")), str(content.get("message"))) if content else None


def is_broken(error: BaseException) -> bool:
    """Whether an error means that another process is gone."""
    return isinstance(error, Vanished) or is_process_gone(error)
