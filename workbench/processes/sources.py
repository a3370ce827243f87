"""Which code a process was started with: a service that outlives a change of the code must not answer for the new one, and
an answer on the disk is not that of a method that was written anew.
"""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from threading import Lock

import workbench
from workbench.core.discovery import plugin_files

SURE_SECONDS = 2.0
"""How long a stamp is taken to be current: a page that waits for an answer asks many times a second."""
_KINDS = (".py", ".toml")
METHODS = (
    "analysis",
    "augmentations",
    "evaluation",
    "heads",
    "losses",
    "metrics",
    "objectives",
    "pooling",
    "transforms",
)
"""The folders of the package that methods are added to."""
_KNOWN: dict[tuple[Path, ...], tuple[float, str]] = {}
_LOCK = Lock()


def root() -> Path:
    """The folder that this process runs the package from."""
    return Path(workbench.__file__).resolve().parent


def environment() -> str:
    """Where this process imports packages from besides the folder of this one: two that differ may have other plug-ins."""
    own = str(root().parent)
    paths = (str(Path(entry).resolve()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry)
    return os.pathsep.join([sys.prefix, *dict.fromkeys(path for path in paths if path != own)])


def stamp(folder: Path | None = None) -> str:
    """A hash of name, date and size of each source file of the package, and of the packages whose methods are used, as they
    are on the disk, at most `SURE_SECONDS` old.
    """
    return _known((folder or root(),))


def methods_stamp() -> str:
    """`stamp` of the folders that methods are added to, and of the packages whose methods are used."""
    return _known(tuple(root() / name for name in METHODS))


def _known(folders: tuple[Path, ...]) -> str:
    with _LOCK:
        moment, known = _KNOWN.get(folders, (float("-inf"), ""))
        if time.monotonic() - moment > SURE_SECONDS:
            known = _stamped(folders)
            _KNOWN[folders] = time.monotonic(), known
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


def _stamped(folders: Iterable[Path]) -> str:
    plugins = plugin_files()
    lines, left = list(plugins), [*folders, *chain.from_iterable(plugins.values())]
    while left:
        place = left.pop()
        with suppress(OSError):  # removed meanwhile
            if place.is_file():
                lines.append(_line(str(place), place.stat()))
                continue
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(Path(entry.path))
                    elif entry.name.endswith(_KINDS):
                        lines.append(_line(entry.path, entry.stat()))
    return blake2b("\n".join(sorted(lines)).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _line(path: str, about: os.stat_result) -> str:
    return f"{path} {about.st_mtime_ns} {about.st_size}"
