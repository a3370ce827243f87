"""A disk that is full, by a limit of the system on the size of a file."""

from contextlib import contextmanager

import pytest

resource = pytest.importorskip("resource")


@contextmanager
def files_of_at_most(size_bytes):
    """A disk that is full once a file has that size: the real system call fails, not a stand-in."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
