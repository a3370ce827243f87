"""Attention on a GPU for a batch without padding, where `fused_attention` cannot run: each head of each text is a small matrix
of its own. Texts are short, so plain products of small matrices are faster than PyTorch's fused kernels, which compute in tiles
of 64 or 128 tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from workbench.core.device import placed

WIDTHS = 8
"""Widths are multiples of it, for which matrix products are faster."""
LONGEST = 64
"""Above this many tokens in the longest text, a fused kernel is used, which keeps no matrix of attention weights."""


@dataclass(frozen=True)
class Heads:
    """Where the tokens of each head are: `source` (texts * heads, width), index of a head of a token in the row of all
    tokens; `back` (tokens, heads), index in the flattened source. Padding reads a token, and is hidden by `bias`.
    """

    source: "Tensor"
    back: "Tensor"
    bias: "Tensor"
    """(texts * heads, 1, width): 0 at tokens, minus infinity at padding."""
    count: int


def layout_of(places: "Tensor", lengths: "np.ndarray", width: int, heads: int) -> Heads:
    """The layout of texts of these lengths, whose tokens are at `places` of a flattened batch of the given width."""
    device = places.device
    wide = -(-int(lengths.max()) // WIDTHS) * WIDTHS
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    start, length = placed(starts.astype(np.int64), device), placed(lengths.astype(np.int64), device)
    columns, head = torch.arange(wide, device=device), torch.arange(heads, device=device)
    real = columns < length[:, None]
    token = start[:, None] + torch.where(real, columns, 0)
    source = token[:, None] * heads + head[:, None]
    text, column = places // width, places % width
    back = (text[:, None] * heads + head) * wide + column[:, None]
    bias = torch.where(real, 0.0, float("-inf"))[:, None, None].expand(-1, heads, -1, -1)
    return Heads(source.flatten(0, 1), back, bias.flatten(0, 1), heads)


def attention(
    query: "Tensor", key: "Tensor", value: "Tensor", heads: Heads, scaling: float | None, dropout: float
) -> "Tensor":
    """Every token attends to the tokens of its text. Takes (1, heads, all tokens, dim of a head); returns
    (1, all tokens, heads, dim of a head). Dropout draws from torch's global generator.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    q, k, v = (_spread(states.squeeze(0).transpose(0, 1), heads.source, heads.back) for states in (query, key, value))
    bias = heads.bias.to(q.dtype)
    if q.shape[1] <= LONGEST:
        weights = torch.baddbmm(bias, q * scale, k.transpose(1, 2)).softmax(dim=-1)
        if dropout > 0:
            weights = torch.nn.functional.dropout(weights, dropout)
        mixed = weights @ v
    else:
        mask = bias[:, None].expand(-1, -1, q.shape[1], -1)
        q, k, v = q[:, None], k[:, None], v[:, None]
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, dropout, scale=scale)[:, 0]
    return _gathered(mixed, heads.back)[None]


class Spread(torch.autograd.Function):
    """(tokens, heads, dim) as (texts * heads, width, dim).

    Nothing flows back from padding: no token attends to it, and its own result is dropped. So the gradient of a token is
    that of its one place, where indexing would add up those of all places that read it.
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, source: Tensor, back: Tensor) -> Tensor:
        """See the class."""
        ctx.save_for_backward(back)
        return states.flatten(0, 1)[source]

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor, None, None]:
        """The gradient, (tokens, heads, dim)."""
        (back,) = ctx.saved_tensors
        return given.flatten(0, 1)[back], None, None


class Gathered(torch.autograd.Function):
    """(texts * heads, width, dim) as (tokens, heads, dim): the reverse of `Spread`, without padding."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, back: Tensor) -> Tensor:
        """See the class."""
        ctx.save_for_backward(back)
        ctx.shape = states.shape
        return states.flatten(0, 1)[back]

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> tuple[Tensor, None]:
        """The gradient, (texts * heads, width, dim), 0 at padding."""
        (back,) = ctx.saved_tensors
        texts, width, dim = ctx.shape
        whole = given.new_zeros(texts * width, dim)
        return whole.index_copy(0, back.flatten(), given.flatten(0, 1)).view(texts, width, dim), None


_spread: Callable[[Tensor, Tensor, Tensor], Tensor] = Spread.apply
_gathered: Callable[[Tensor, Tensor], Tensor] = Gathered.apply
