"""Threads that share the cores of a CPU: each processes whole items, so that even small operations keep a core busy."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST = 8
"""Largest number of threads. More would make micro-batches too small, and each thread holds separate gradients."""


class ThreadPool:
    """`size` threads with at least one core each. Results do not depend on which thread processes which item."""

    def __init__(self, cores: int) -> None:
        self.size = max(1, min(cores, MOST))
        self.each = max(1, cores // self.size)
        self._pool: ThreadPoolExecutor | None = None

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """`fn` of each item, in order, yielded as soon as it is ready. An error in a thread is raised here."""
        import torch

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.size, "thread_pool", lambda: torch.set_num_threads(self.each))
        before = torch.get_num_threads()
        # OpenMP holds this number per thread, MKL once for the whole process.
        torch.set_num_threads(self.each)
        try:
            yield from self._pool.map(fn, items)
        finally:
            torch.set_num_threads(before)


@cache
def thread_pool(cores: int) -> ThreadPool:
    """This process's pool for that many cores."""
    return ThreadPool(cores)
