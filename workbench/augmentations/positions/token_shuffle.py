"""Token shuffle: the tokens stay as they are, their positions are permuted."""

from typing import TYPE_CHECKING

from workbench.core.method import Method

if TYPE_CHECKING:
    from jaxtyping import Int
    from torch import Generator, Tensor


def token_shuffle(
    position_ids: "Int[Tensor, 'batch tokens']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    generator: "Generator",
) -> "Int[Tensor, 'batch tokens']":
    """`position_ids` with those of each sentence's real tokens, special tokens included, in random order.

    The ids are the model's own, wherever they start; padding keeps its ids. Every order is equally likely, including the
    original one. Shape (batch, tokens) in and out.

    Prefer it over augmentations of states where no number of a token may be lost: only the order changes. Prefer one of those
    for a backbone without absolute position ids.

    >>> import torch
    >>> ids, mask = torch.tensor([[2, 3, 4, 5, 1]]), torch.tensor([[1, 1, 1, 1, 0]])
    >>> shuffled = token_shuffle(ids, mask, generator=torch.Generator().manual_seed(0))
    >>> sorted(shuffled[0, :4].tolist()), shuffled[0, 4].item()
    ([2, 3, 4, 5], 1)
    """
    import torch

    padding = ~mask.bool()
    keys = torch.rand(mask.shape, generator=generator, device=mask.device).masked_fill(padding, 2.0)
    # Both orders list the real positions first, then the padding in its original order.
    to, of = padding.int().argsort(dim=1, stable=True), keys.argsort(dim=1, stable=True)
    return position_ids.scatter(1, to, position_ids.gather(1, of))


METHOD = Method(
    token_shuffle,
    title="Token shuffle",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393",
    tags={"class": "possible", "role": "positive"},
)
