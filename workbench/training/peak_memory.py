"""How much memory a computation takes at its peak, not in total."""

import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import UntypedStorage


def peak(compute: Callable[[], object]) -> int:
    """Peak bytes of the tensors that `compute` allocates in this thread, whatever holds them.

    Temporary workspace inside a kernel is not counted.

    >>> import torch
    >>> row = torch.ones(256)
    >>> peak(lambda: row.exp().log().sin())  # two rows of 1 KiB at a time
    2048
    >>> peak(lambda: row.view(16, 16).t())
    0
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    alive: dict[int, tuple[int, object]] = {}
    now = most = 0

    def gone(number: int, _: object) -> None:
        nonlocal now
        now -= alive.pop(number)[0]

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self,
            function: Callable[..., object],
            types: object,
            args: tuple[object, ...] = (),
            kwargs: dict[str, object] | None = None,
        ) -> object:
            nonlocal now, most
            kwargs = kwargs or {}
            given = {storage._cdata for storage in _storages((*args, *kwargs.values()))}
            found = function(*args, **kwargs)
            for storage in _storages((found,)):
                number = storage._cdata
                if number in given or number in alive:  # a view, or written in place
                    continue
                alive[number] = storage.nbytes(), weakref.ref(storage, partial(gone, number))
                now += storage.nbytes()
            most = max(most, now)
            return found

    with Watch():  # type: ignore[no-untyped-call]
        compute()
    return most


def _storages(given: Iterable[object]) -> "Iterator[UntypedStorage]":
    """What holds the numbers of the tensors among what an operation takes or returns, which are tensors and lists of them.

    torch's own walk over nested containers took as long as the operations themselves.
    """
    from torch import Tensor

    for one in given:
        if isinstance(one, Tensor):
            yield one.untyped_storage()
        elif isinstance(one, (list, tuple)):
            yield from _storages(one)
