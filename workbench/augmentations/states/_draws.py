"""Exact shares of each sentence's tokens, drawn for a whole batch at once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Bool, Int
    from torch import Generator, Tensor

_PARTS = 1_000_000


def share(rate: float, amounts: "Int[Tensor, ' batch']") -> "Int[Tensor, ' batch']":
    """floor(rate * amount) in integer arithmetic: `rate` is rounded to six decimals, because .29 * 100 is below 29 in binary.

    >>> import torch
    >>> share(0.29, torch.tensor([100, 6, 0])).tolist()
    [29, 1, 0]
    """
    return amounts * round(rate * _PARTS) // _PARTS


def picked(
    open_places: "Bool[Tensor, 'batch places']", counts: "Int[Tensor, ' batch']", generator: "Generator"
) -> "Bool[Tensor, 'batch places']":
    """A mask of `counts[i]` places of row i, drawn uniformly from its open ones.

    With the same random stream, a larger count contains the places of a smaller one.

    >>> import torch
    >>> open_places = torch.tensor([[True, False, True, True]])
    >>> picked(open_places, torch.tensor([3]), torch.Generator().manual_seed(0)).tolist()
    [[True, False, True, True]]
    """
    import torch

    keys = torch.rand(open_places.shape, generator=generator, device=open_places.device)
    # Ranks, not a threshold: in a row of 200,000 two keys out of 2^24 are often equal, and the count must be exact.
    order = keys.masked_fill(~open_places, 2.0).argsort(dim=1, stable=True)
    first = torch.arange(order.shape[1], device=order.device) < counts[:, None]
    return torch.zeros_like(open_places).scatter_(1, order, first)
