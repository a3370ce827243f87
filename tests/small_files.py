"""A full disk, simulated by the system's limit on file sizes, or by the device that is always full."""

import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")


@contextmanager
def files_of_at_most(size_bytes):
    """Limit files to that size: as on a full disk, the real system call fails beyond it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def log_without_room():
    """Inside, standard error is on a full disk, as the log of a process may be."""
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("there is no device that is always full")
    before, sys.stderr = sys.stderr, device.open("w")
    try:
        yield
    finally:
        full, sys.stderr = sys.stderr, before
        with suppress(OSError):  # what was to be written still is
            full.close()
