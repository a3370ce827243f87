"""Whether a recorded process is still alive. Its number alone is not enough, since process numbers are reused."""

import hashlib
import os
import platform
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypedDict

STALE_SECONDS = 60.0
"""A worker whose heartbeat is older than this counts as dead. Heartbeats come every two seconds."""


class Identity(TypedDict):
    """Identifies a process, also when a later one has the same number."""

    pid: int
    born: str
    machine: str


@cache
def machine() -> str:
    """A hash of this boot of this machine and container, within which process numbers are valid."""
    try:
        parts = [Path("/proc/sys/kernel/random/boot_id").read_text(), str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        parts = [platform.node()]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]


def born(pid: int) -> str:
    """When a live process started, in a form that does not depend on the clock; empty if it has ended or is a zombie.

    On Linux in clock ticks since boot, elsewhere in seconds since 1970.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        try:  # ticks since boot: psutil's create_time moves when the clock is set
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
        except OSError:
            return f"{process.create_time():.2f}"
    except psutil.Error:
        return ""


def identity(pid: int | None = None) -> Identity:
    """The identity of a process (by default the current one), which `lives` checks later."""
    pid = pid or os.getpid()
    return {"pid": pid, "born": born(pid), "machine": machine()}


def lives(who: Mapping[str, object] | None, heartbeat: Path | None = None, stale_seconds: float = 0.0) -> bool:
    """Whether the process with this `identity` is still running and, if a heartbeat file is given, has touched it in
    the last `stale_seconds`, by default `STALE_SECONDS`.
    """
    pid = who.get("pid") if who else None
    if not who or not isinstance(pid, int) or not pid:
        return False
    beats = heartbeat is None or heartbeat_age(heartbeat) < (stale_seconds or STALE_SECONDS)
    if who.get("machine") != machine():  # of a process on another machine only the heartbeat is visible
        return heartbeat is not None and beats
    return beats and bool(who.get("born")) and born(pid) == who["born"]


def pid_of(who: Mapping[str, object]) -> int:
    """The process number of an `identity`; 0 if it has none."""
    pid = who.get("pid")
    return pid if isinstance(pid, int) else 0


def heartbeat_age(path: Path) -> float:
    """Seconds since the file was last touched; infinite if it does not exist."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return float("inf")
