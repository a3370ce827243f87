"""Embedding dropout: single numbers become zero."""

from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.states._draws import picked, share
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def embedding_dropout(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of a sentence's numbers, rounded down.")] = 0.2,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with floor(rate * L * dim) of the numbers of a sentence's L tokens set to zero; the rest is not scaled up.

    Unlike dropout inside the model, the number of zeros is exact and they are set in eval mode too. Padding and the mask stay.

    Prefer it over `token_cutoff` and `feature_cutoff` for noise that removes no whole token and no whole dimension.

    >>> import torch
    >>> states, mask = torch.ones(1, 3, 10), torch.tensor([[1, 1, 0]])
    >>> cut, _ = embedding_dropout(states, mask, rate=0.2, generator=torch.Generator().manual_seed(0))
    >>> float(cut[0, :2].sum()), float(cut[0, 2].sum())  # 20 - 4, and padding as it was
    (16.0, 10.0)
    """
    real = mask.bool()
    elements = real[:, :, None].expand(states.shape).reshape(len(states), -1)
    cut = picked(elements, share(rate, real.sum(dim=1) * states.shape[2]), generator)
    return states.masked_fill(cut.view(states.shape), 0.0), mask


METHOD = Method(
    embedding_dropout,
    title="Embedding dropout",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393",
    tags={"class": "preserving", "role": "positive"},
)
