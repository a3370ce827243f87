"""How much memory a computation takes at its peak, not in total."""

import weakref
from collections.abc import Callable, Iterable
from functools import partial


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
    from torch import Tensor
    from torch.utils._python_dispatch import TorchDispatchMode

    alive: dict[int, tuple[int, object]] = {}
    now = most = 0

    def gone(number: int, _: object) -> None:
        nonlocal now
        now -= alive.pop(number)[0]

    def note(output: object, given: Iterable[object]) -> None:
        nonlocal now, most
        if isinstance(output, Tensor):
            storage = output.untyped_storage()
            number = storage._cdata
            if number in alive or _holds(given, number):  # a view, or written in place
                return
            size = storage.nbytes()
            alive[number] = size, weakref.ref(storage, partial(gone, number))
            now += size
            most = max(most, now)
        elif isinstance(output, (list, tuple)):
            for one in output:
                note(one, given)

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self,
            function: Callable[..., object],
            types: object,
            args: tuple[object, ...] = (),
            kwargs: dict[str, object] | None = None,
        ) -> object:
            found = function(*args, **(kwargs or {}))
            note(found, (*args, *kwargs.values()) if kwargs else args)
            return found

    with Watch():  # type: ignore[no-untyped-call]
        compute()
    return most


def _holds(given: Iterable[object], number: int) -> bool:
    """Whether that storage is one of those among what an operation takes, which are tensors and lists of them.

    torch's own walk over nested containers took as long as the operations themselves.
    """
    from torch import Tensor

    for one in given:
        if isinstance(one, Tensor):
            if one.untyped_storage()._cdata == number:
                return True
        elif isinstance(one, (list, tuple)) and _holds(one, number):
            return True
    return False
