"""Stretches of a computation that hold something others may need, such as a file lock: it is not set aside within them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Depth(threading.local):
    within = 0


_THREAD = _Depth()


@contextmanager
def undivided() -> Iterator[None]:
    """A context in which the computation of this thread is not set aside for another one."""
    _THREAD.within += 1
    try:
        yield
    finally:
        _THREAD.within -= 1


def is_undivided() -> bool:
    """Whether this thread is within such a context."""
    return _THREAD.within > 0
