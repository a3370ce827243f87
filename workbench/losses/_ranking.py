"""Rank pairs as people scored them: what CoSENT and AnglE have in common."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def ranking(
    similarities: "Float[Tensor, ' batch']", gold: "Float[Tensor, ' batch']", temperature: float
) -> "Float[Tensor, '']":
    """log(1 + sum of e^((s_k - s_l) / temperature) over all pairs k, l of which l was scored higher)."""
    import torch

    differences = (similarities[:, None] - similarities[None, :]) / temperature
    ordered = gold[:, None] < gold[None, :]
    # The 1 is e^0. Masked by -inf rather than selected: no wait for the device to count.
    exponents = torch.where(ordered, differences, -torch.inf).flatten()
    return torch.cat([exponents.new_zeros(1), exponents]).logsumexp(dim=0)
