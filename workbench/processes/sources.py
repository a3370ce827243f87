"""Which code a process was started with: a service that outlives a change of the code must not answer for the new one."""

import os
import time
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import workbench

SURE_SECONDS = 2.0
"""How long a stamp is taken to be current: a page that waits for an answer asks many times a second."""
_KINDS = (".py", ".toml")
_KNOWN: dict[Path, tuple[float, str]] = {}
_LOCK = Lock()


def root() -> Path:
    """The folder that this process runs the package from."""
    return Path(workbench.__file__).resolve().parent


def stamp(folder: Path | None = None) -> str:
    """A hash of name, date and size of each source file of the package as it is on the disk, at most `SURE_SECONDS` old."""
    folder = folder or root()
    with _LOCK:
        moment, known = _KNOWN.get(folder, (float("-inf"), ""))
        if time.monotonic() - moment > SURE_SECONDS:
            known = _stamped(folder)
            _KNOWN[folder] = time.monotonic(), known
        return known


def same(folder: Path, stamped: str) -> bool:
    """Whether the code in `folder`, which had that stamp, is there still, and is the code of this process word for word."""
    return folder.is_dir() and stamp(folder) == stamped and _content(folder, stamped) == _content(root(), stamp())


@lru_cache(maxsize=8)
def _content(folder: Path, stamped: str) -> bytes:
    """A hash of the source files with this stamp, wherever they lie."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in _KINDS and path.is_file())
    found = blake2b(digest_size=16)
    for path in files:
        found.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.digest()


def _stamped(folder: Path) -> str:
    lines, left = list[str](), [str(folder)]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                elif entry.name.endswith(_KINDS):
                    about = entry.stat()
                    lines.append(f"{entry.path} {about.st_mtime_ns} {about.st_size}")
    return blake2b("\n".join(sorted(lines)).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
