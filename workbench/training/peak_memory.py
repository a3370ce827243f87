"""How much memory a computation takes at its peak, not in total."""

import weakref
from collections.abc import Callable
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
    from torch.utils._pytree import tree_leaves

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
            given = {one.untyped_storage()._cdata for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)}
            found = function(*args, **(kwargs or {}))
            for one in tree_leaves(found):
                if not isinstance(one, Tensor):
                    continue
                storage = one.untyped_storage()
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
