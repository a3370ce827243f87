"""What is prepared once from a corpus and kept on disk: complete or not at all, by one process at a time."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from workbench.core.undivided import undivided
from workbench.store import results

Kept = TypeVar("Kept")


class Cancelled(Exception):
    """The preparation was cancelled; nothing of it is kept."""


def prepared(
    folder: Path,
    make: Callable[[Path], Mapping[str, object]],
    read: Callable[[Path], Kept],
    cancelled: Callable[[], bool] = lambda: False,
) -> Kept:
    """What `read` returns for `folder`. If nothing complete is there, `make` fills a new folder and returns its description.

    Several processes may ask for the same folder at once: one makes it and the others wait. A folder that was read counts as
    just used, so `results.prune` does not remove it first.

    Raises:
        Cancelled: `cancelled` returned true while another process was making it; `make` may raise others.
    """
    with suppress(Exception):  # any error that missing or damaged files cause
        return _used(folder, read)
    with _alone(folder, cancelled):
        with suppress(Exception):
            return _used(folder, read)
        shutil.rmtree(folder, ignore_errors=True)
        results.fill(folder, make)
        return _used(folder, read)


def _used(folder: Path, read: Callable[[Path], Kept]) -> Kept:
    if not results.has(folder):
        raise FileNotFoundError(folder)
    found = read(folder)
    with suppress(OSError):
        os.utime(folder)
    return found


@contextmanager
def _alone(folder: Path, cancelled: Callable[[], bool]) -> Iterator[None]:
    from filelock import FileLock, Timeout

    locks = folder.parent / ".locks"
    locks.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locks / f"{folder.name}.lock")
    while True:
        try:
            lock.acquire(timeout=0.5)
            break
        except Timeout:
            if cancelled():
                raise Cancelled from None
    try:
        with undivided():
            yield
    finally:
        lock.release()
