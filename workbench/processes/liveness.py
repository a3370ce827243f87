"""Is the process that wrote this still the same, living one? A process number alone is not enough: they are reused."""

import hashlib
import os
import platform
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

STALE_SECONDS = 60.0
"""A heartbeat older than this belongs to no living worker. Hearts beat every two seconds."""


@cache
def machine() -> str:
    """This boot of this machine (and container): process numbers mean something only here."""
    try:
        parts = [Path("/proc/sys/kernel/random/boot_id").read_text(), str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        parts = [platform.node()]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]


def born(pid: int) -> str:
    """When a living process started, in words that a clock change does not alter; empty if it is gone or a zombie."""
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


def identity(pid: int | None = None) -> dict[str, object]:
    """What `lives` needs to recognise a process again."""
    pid = pid or os.getpid()
    return {"pid": pid, "born": born(pid), "machine": machine()}


def lives(who: Mapping[str, object] | None, heartbeat: Path | None = None) -> bool:
    """Whether the process of `identity` still runs, and, where a heartbeat file is given, still beats."""
    if not who or not pid_of(who):
        return False
    beats = heartbeat is None or heartbeat_age(heartbeat) < STALE_SECONDS
    if who.get("machine") != machine():  # a shared disk: only the heartbeat can be seen from here
        return heartbeat is not None and beats
    return beats and bool(who.get("born")) and born(pid_of(who)) == who["born"]


def pid_of(who: Mapping[str, object]) -> int:
    """The process number of an `identity`; 0 where it has none."""
    pid = who.get("pid")
    return pid if isinstance(pid, int) else 0


def heartbeat_age(path: Path) -> float:
    """Seconds since the file was touched; infinite if it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return float("inf")
