"""What control groups leave to this process on Linux: in a container less memory, and fewer cores, than the machine has."""

from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
"""The groups of this process: `0::/path` in version 2, `4:memory:/path` in version 1, where each controller has its own tree."""


def free_bytes() -> float:
    """The bytes that this process may still take; infinite without a limit. Cached files count as free, as elsewhere."""
    least = inf
    for folder in _folders("memory"):
        for limit, used, total in (
            ("memory.max", "memory.current", ""),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
        ):
            with suppress(OSError, ValueError):
                allowed, taken = _numbers(folder / limit)[0], _numbers(folder / used)[0]
                about = dict(line.split() for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines())
                cached = sum(int(about.get(f"{total}{kind}_file", 0)) for kind in ("active", "inactive"))
                least = min(least, max(0.0, allowed - taken + cached))
    return least


def cores() -> float:
    """How many cores this process may use at a time, also in parts; infinite without a limit."""
    least = inf
    for folder in _folders("cpu"):
        with suppress(OSError, ValueError):
            quota, period = _numbers(folder / "cpu.max")
            least = min(least, quota / period)
        with suppress(OSError, ValueError):
            (quota,), (period,) = _numbers(folder / "cpu.cfs_quota_us"), _numbers(folder / "cpu.cfs_period_us")
            least = min(least, quota / period if quota > 0 else inf)
    return least


def _folders(controller: str) -> Iterator[Path]:
    """The folders of the own group and of those around it, whose limits hold too."""
    try:
        lines = OWN.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = ROOT / controller if controllers else ROOT
        own = top / path.lstrip("/")
        yield from (folder for folder in (own, *own.parents) if folder == top or top in folder.parents)


def _numbers(path: Path) -> list[float]:
    """The numbers in a file; `max` is infinite."""
    return [float(word.replace("max", "inf")) for word in path.read_text(encoding="ascii").split()]
