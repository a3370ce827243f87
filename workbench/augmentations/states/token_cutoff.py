"""Token cutoff: whole tokens become zero."""

from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.states._draws import picked, share
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def token_cutoff(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of a sentence's tokens, rounded down.")] = 0.15,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with floor(rate * L) of a sentence's L tokens set to zero, special tokens included; the rest is not scaled up.

    The mask stays: a token that was cut is still attended to and pooled. Six tokens at rate .15 lose none.

    Prefer it over `feature_cutoff` to hide whole words, and over `span_cutoff` to spread them over the sentence.

    >>> import torch
    >>> states, mask = torch.ones(1, 10, 2), torch.ones(1, 10, dtype=torch.long)
    >>> cut, _ = token_cutoff(states, mask, rate=0.35, generator=torch.Generator().manual_seed(0))
    >>> int(cut.sum())  # 10 - 3 tokens of 2
    14
    """
    real = mask.bool()
    cut = picked(real, share(rate, real.sum(dim=1)), generator)
    return states.masked_fill(cut[:, :, None], 0.0), mask


METHOD = Method(
    token_cutoff,
    title="Token cutoff",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393; Shen et al. 2020, arXiv:2009.13818",
    tags={"class": "possible", "role": "positive"},
)
