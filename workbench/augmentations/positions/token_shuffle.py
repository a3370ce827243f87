"""Token shuffle: the words stay, their places change."""

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
    """`position_ids` with those of each sentence's real tokens, specials among them, in random order.

    They are the model's own ids, wherever they start; padding keeps its own. Every order is equally likely, the old
    one too.

    >>> import torch
    >>> ids, mask = torch.tensor([[2, 3, 4, 5, 1]]), torch.tensor([[1, 1, 1, 1, 0]])
    >>> shuffled = token_shuffle(ids, mask, generator=torch.Generator().manual_seed(0))
    >>> sorted(shuffled[0, :4].tolist()), shuffled[0, 4].item()
    ([2, 3, 4, 5], 1)
    """
    import torch

    padding = ~mask.bool()
    keys = torch.rand(mask.shape, generator=generator, device=mask.device).masked_fill(padding, 2.0)
    # Both orders list the real places first and the padding after them as it stands.
    to, of = padding.int().argsort(dim=1, stable=True), keys.argsort(dim=1, stable=True)
    return position_ids.scatter(1, to, position_ids.gather(1, of))


METHOD = Method(
    token_shuffle,
    title="Token shuffle",
    source="Yan et al. 2021 (ConSERT), https://aclanthology.org/2021.acl-long.393",
    tags={"class": "possible", "role": "positive"},
)
