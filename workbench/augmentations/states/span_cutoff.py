"""Span cutoff: one run of tokens stays, the rest is treated as padding."""

from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.states._draws import share
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def span_cutoff(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of a sentence's tokens outside the run that stays.")] = 0.15,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`(states, mask)` with one run of max(1, floor((1 - rate) * L)) of a sentence's L tokens kept.

    The other tokens are zero and masked, for both attention and pooling. Special tokens count as tokens, so the first one may
    go; pooling `cls` still reads its position, whose state then depends on the run through attention only. With the same
    random stream, the run at a higher rate is inside the run at a lower one.

    Prefer it over `token_cutoff` to keep the words that stand together, and to hide the others from attention as well.

    >>> import torch
    >>> states, mask = torch.ones(1, 6, 1), torch.tensor([[1, 1, 1, 1, 1, 0]])
    >>> _, left = span_cutoff(states, mask, rate=0.5, generator=torch.Generator().manual_seed(0))
    >>> left.tolist()  # 2 of 5, side by side
    [[0, 1, 1, 0, 0, 0]]
    """
    import torch

    real = mask.bool()
    lengths = real.sum(dim=1)
    window = torch.minimum(share(1 - rate, lengths).clamp_min(1), lengths)
    draw = torch.rand(len(mask), generator=generator, device=mask.device)
    start = torch.minimum((draw * (lengths - window + 1)).long(), lengths - window)
    place = real.cumsum(dim=1) - 1
    gone = real & ((place < start[:, None]) | (place >= (start + window)[:, None]))
    return states.masked_fill(gone[:, :, None], 0.0), mask.masked_fill(gone, 0)


METHOD = Method(
    span_cutoff,
    title="Span cutoff",
    source="Yan et al. 2021 (ConSERT), authors' code; Shen et al. 2020, arXiv:2009.13818",
    tags={"class": "possible", "role": "positive"},
)
