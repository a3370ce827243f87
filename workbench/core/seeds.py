"""One random stream per purpose, derived from the run's seed, so that adding a stream does not change the others."""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING

from workbench.core.device import current

if TYPE_CHECKING:
    import numpy
    from torch import Generator


def derive(*parts: object) -> int:
    """A 63-bit seed that depends on every part and only on them.

    >>> derive(0, "batches") == derive(0, "batches") != derive(0, "dropout")
    True
    """
    digest = blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def text_seeds(seed: int, method: str, draw: int, texts: Iterable[str]) -> list[int]:
    """The seed of `text_rng` for each text.

    >>> text_seeds(0, "eda_swap", 1, ["all dogs"]) == [derive(0, "eda_swap", 1, "all dogs")]
    True
    """
    start = f"{seed}\x1f{method}\x1f{draw}\x1f".encode()
    return [
        int.from_bytes(blake2b(start + text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1
        for text in texts
    ]


def text_rng(seed: int, method: str, draw: int, text: str) -> random.Random:
    """The random stream of one draw for one text: independent of order, batch, process and settings."""
    return random.Random(derive(seed, method, draw, text))


def some_rows(total: int, most: int, *parts: object) -> Sequence[int]:
    """All of `total` rows or, of more than `most`, that many drawn at random by the stream that `parts` name, in order.

    >>> some_rows(3, 5, "rows"), len(some_rows(9, 5, "rows"))
    (range(0, 3), 5)
    """
    return range(total) if total <= most else sorted(random.Random(derive(*parts)).sample(range(total), most))


def numpy_rng(*parts: object) -> "numpy.random.Generator":
    """A NumPy generator for the stream that `parts` name."""
    import numpy

    return numpy.random.default_rng(derive(*parts))


def torch_generator(*parts: object, device: str = "cpu") -> "Generator":
    """A torch generator for the stream that `parts` name, on `device`."""
    import torch

    return torch.Generator(device).manual_seed(derive(*parts))


@contextmanager
def seeded(*parts: object, device: str = "cpu") -> Iterator[None]:
    """A context with torch's global generators seeded from `parts`; their earlier states are restored afterwards.

    The only place that touches global state, because `nn.Dropout` takes no generator.
    """
    import torch

    seed = derive(*parts)
    own = torch.cuda if device.startswith("cuda") else torch.mps if device == "mps" else None
    before = torch.get_rng_state()
    # torch.manual_seed would seed every device, and store a traceback for each kind of device that is not in use.
    torch.default_generator.manual_seed(seed)
    if own:
        with current(device):
            before_own = own.get_rng_state()
            own.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before)
        if own:
            with current(device):
                own.set_rng_state(before_own)
