"""Attention of short texts without padding as one Triton kernel: a text's head fits into one tile, so nothing is kept for the
backward pass but the seed of the dropout, and that pass is one kernel as well.

Plain products of small matrices, see `heads_apart`, move each tensor several times: on one H100, they took 26 of the 72 ms of
BERT-base's kernels in a step of 512 pairs, and these kernels take 3.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from workbench.core.device import current

LONGEST = {2: 128, 4: 64}
"""Tokens of the longest text that fits into a tile, by the bytes of a number. In fp32, which is computed without tensor cores,
the next larger tile takes minutes to compile."""
WIDEST = 64
"""The most numbers of a head. With more, the largest tile takes minutes to compile for an Ampere or Ada GPU."""
OLDEST = (8, 0)
"""The compute capability from which on all these tiles fit into the shared memory of a GPU; on Turing they do not."""


@dataclass(frozen=True)
class Texts:
    """Where the tokens of each text are in the row of all tokens: `starts` and `lengths`, int32 (texts,); `width` is the tile's:
    a power of 2, and at least 16 and the longest length."""

    starts: Tensor
    lengths: Tensor
    width: int


def tile(length: int) -> int:
    """The width of the tile for texts of at most this many tokens.

    >>> tile(3), tile(32), tile(33)
    (16, 32, 64)
    """
    return max(16, 1 << (length - 1).bit_length())


@cache
def available() -> bool:
    """Whether Triton is installed; PyTorch's CUDA builds for Linux bring it along."""
    return find_spec("triton") is not None


@cache
def works(device: torch.device) -> bool:
    """Whether Triton's kernels work on this device, by trying one. A warning is logged where they should and don't."""
    if device.type != "cuda" or torch.version.hip is not None or not available():
        return False
    if torch.cuda.get_device_capability(device) < OLDEST:
        return False
    try:
        from workbench.models import triton_kernels as kernels

        with current(device):
            kernels.try_one(device)
    except Exception as error:  # whatever its compilers raise: it needs one for C, and Python's headers
        logging.getLogger(__name__).warning(
            "Triton's kernels do not work on %s (%s: %s). Training and encoding go on without them, slower.",
            *(device, type(error).__name__, error),
        )
        return False
    return True


def fits(device: torch.device, longest: int, head: int, dtype: torch.dtype) -> bool:
    """Whether texts of at most `longest` tokens can be computed here, with `head` numbers a head."""
    return longest <= LONGEST.get(dtype.itemsize, 0) and head <= WIDEST and works(device)


def seed(device: torch.device, count: int = 1) -> Tensor:
    """Numbers from torch's global generator, int64 (count,), which the dropout of a kernel each draws with."""
    return torch.randint(2**62, (count,), device=device)


def attention(query: Tensor, key: Tensor, value: Tensor, texts: Texts, scaling: float | None, dropout: float) -> Tensor:
    """Every token attends to the tokens of its text. Takes (1, heads, all tokens, dim of a head); returns
    (1, all tokens, heads, dim of a head). Every token belongs to one text.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    # Not `states[0]`, whose backward pass would copy the gradient into a tensor of zeros.
    q, k, v = (states.squeeze(0).transpose(0, 1) for states in (query, key, value))
    drawn = seed(q.device) if dropout > 0 else None
    return _apply(q, k, v, texts, drawn, scale, dropout)[None]


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, texts: Texts, drawn: Tensor | None, scale: float, dropout: float
    ) -> Tensor:
        from workbench.models import triton_kernels as kernels

        if not (q.stride() == k.stride() == v.stride() and q.stride(2) == 1):
            q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        ctx.save_for_backward(q, k, v)
        number = texts.starts if drawn is None else drawn
        ctx.attending = kernels.Attending(texts.starts, texts.lengths, texts.width, number, scale, dropout)
        return kernels.attended((q, k, v), ctx.attending)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
        from workbench.models import triton_kernels as kernels

        found, _ = kernels.attended_backward(given.contiguous(), ctx.saved_tensors, ctx.attending, sums=False)
        return (*found.unbind(1), None, None, None, None)


_apply: Callable[..., Tensor] = _Attention.apply
