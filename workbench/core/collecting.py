"""Python's collector of reference cycles, where very many objects are made that stay."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

RARELY = 100_000, 50, 1000
"""How many new objects, and how many younger collections, start one; Python's own begin at hundreds of objects."""


_LOCK = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""The thresholds to restore, once for each context that is open in any thread."""


@contextmanager
def rarely_collected(*, freeze: bool = False) -> Iterator[None]:
    """A context in which many objects are made that stay: otherwise all are walked again with every so many new ones.

    Imports of torch and transformers take an eighth less time in it, a million draws a tenth. Not for work on tensors, which
    cycles could hold. It holds for all threads, until the last that is in it leaves.

    With `freeze`, what exists at the end is never walked again, and its cycles are kept: for background processes, whose modules
    and weights stay until they end. Walking those took a tenth of a short training.

    >>> with rarely_collected():
    ...     gc.get_threshold()
    (100000, 50, 1000)
    """
    with _LOCK:
        _before.append(_before[0] if _before else gc.get_threshold())
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        with _LOCK:
            thresholds = _before.pop()
            if freeze:
                gc.freeze()
            if not _before:
                gc.set_threshold(*thresholds)
