"""A full disk, simulated by the system's limit on file sizes."""

from contextlib import contextmanager

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
