"""Rank pairs in the order of their scores: the part that CoSENT and AnglE share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def ranking(
    similarities: "Float[Tensor, ' batch']", gold: "Float[Tensor, ' batch']", temperature: float
) -> "Float[Tensor, '']":
    """log(1 + sum of e^((s_k - s_l) / temperature) over all k, l where pair l has the higher score)."""
    import torch

    differences = (similarities[:, None] - similarities[None, :]) / temperature
    ordered = gold[:, None] < gold[None, :]
    # The 1 is e^0. Masking with -inf instead of indexing avoids a synchronisation with the device.
    exponents = torch.where(ordered, differences, -torch.inf).flatten()
    return torch.cat([exponents.new_zeros(1), exponents]).logsumexp(dim=0)
