"""The most frequent tokens of some texts, and masks that leave them out of pooling. Attention still sees them."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Int
    from torch import Tensor

    from workbench.models.tokens import TokenTable


def frequent_ids(table: "TokenTable", k: int) -> np.ndarray:
    """The `k` most frequent ids, int64 (up to k,), specials included, most frequent first; ties by smaller id.

    >>> from workbench.models.tokens import TokenTable
    >>> frequent_ids(TokenTable(np.array([7, 5, 7, 9, 5, 7]), np.array([0, 6])), 2).tolist()
    [7, 5]
    """
    ids, counts = np.unique(table.ids, return_counts=True)
    return np.asarray(ids[np.lexsort((ids, -counts))][:k], dtype=np.int64)


def left_mask(
    ids: "Int[Tensor, 'batch tokens']", mask: "Int[Tensor, 'batch tokens']", left_out: np.ndarray
) -> "Int[Tensor, 'batch tokens']":
    """`mask` with 0 at the tokens in `left_out`; a row in which nothing would be left is unchanged.

    >>> import torch
    >>> ids, mask = torch.tensor([[5, 6, 0], [5, 5, 7]]), torch.tensor([[1, 1, 0], [1, 1, 0]])
    >>> left_mask(ids, mask, np.array([5])).tolist()
    [[0, 1, 0], [1, 1, 0]]
    """
    import torch

    kept = mask * ~torch.isin(ids, torch.from_numpy(left_out).to(ids.device))
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


def left_whole(table: "TokenTable", left_out: np.ndarray) -> int:
    """How many texts consist only of tokens in `left_out`, so that `left_mask` leaves their rows unchanged.

    >>> from workbench.models.tokens import TokenTable
    >>> left_whole(TokenTable(np.array([5, 6, 5, 5]), np.array([0, 2, 4])), np.array([5]))
    1
    """
    before = np.concatenate([[0], np.cumsum(~np.isin(table.ids, left_out))])
    return int((before[table.offsets[1:]] == before[table.offsets[:-1]]).sum())
