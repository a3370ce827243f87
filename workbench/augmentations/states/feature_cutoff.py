"""Feature cutoff: whole dimensions become zero."""

from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.states._draws import picked, share
from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def feature_cutoff(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of the dimensions, rounded down.")] = 0.2,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with floor(rate * dim) dimensions set to zero in every token of a sentence; the rest is not scaled up.

    The dimensions are drawn for each sentence. They are zero in its padding too, as in the authors' code. The mask stays.

    Prefer it over `token_cutoff` to keep every word, and for short sentences: its effect does not depend on their length.

    >>> import torch
    >>> states, mask = torch.ones(1, 3, 10), torch.tensor([[1, 1, 0]])
    >>> cut, _ = feature_cutoff(states, mask, rate=0.2, generator=torch.Generator().manual_seed(0))
    >>> cut.sum(dim=2).tolist()
    [[8.0, 8.0, 8.0]]
    """
    import torch

    columns = torch.ones((states.shape[0], states.shape[2]), dtype=torch.bool, device=states.device)
    cut = picked(columns, share(rate, columns.sum(dim=1)), generator)
    return states.masked_fill(cut[:, None, :], 0.0), mask


METHOD = Method(
    feature_cutoff,
    title="Feature cutoff",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393; Shen et al. 2020, arXiv:2009.13818",
    tags={"class": "preserving", "role": "positive"},
)
