"""Masking tokens for a masked language model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Bool, Int
    from torch import Generator, Tensor

    Ids = Int[Tensor, "batch tokens"]
    Flags = Bool[Tensor, "batch tokens"]


def corrupted(
    ids: "Ids",
    fixed: "Flags",
    *,
    rate: float,
    mask_id: int,
    vocabulary: int,
    generator: "Generator",
    begins: "Flags | None" = None,
) -> "tuple[Ids, Flags]":
    """(corrupted ids, which tokens were chosen): of the chosen, 80 % are masked, 10 % random, 10 % unchanged.

    Tokens that are `fixed` are never chosen. `begins` marks tokens that begin a word: if given, whole words are chosen.

    >>> import torch
    >>> ids, fixed = torch.arange(4)[None], torch.tensor([[True, False, False, True]])
    >>> corrupted(ids, fixed, rate=0.0, mask_id=9, vocabulary=9, generator=torch.Generator())[0].tolist()
    [[0, 1, 2, 3]]
    """
    import torch

    draw = torch.rand((3, *ids.shape), generator=generator, device=ids.device)
    others = torch.randint(vocabulary, ids.shape, generator=generator, device=ids.device)
    first = (
        draw[0]
        if begins is None
        else draw[0].gather(1, (begins | fixed).long().cumsum(dim=1).clamp(max=ids.shape[1] - 1))
    )
    chosen = (first < rate) & ~fixed
    replaced = torch.where(chosen & (draw[1] < 0.8), torch.full_like(ids, mask_id), ids)
    return torch.where(chosen & (draw[1] >= 0.8) & (draw[2] < 0.5), others, replaced), chosen
