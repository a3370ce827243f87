from typing import TYPE_CHECKING

from workbench.core.device import to_check
from workbench.core.errors import BadData

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


def some_token(mask: "Int[Tensor, 'batch tokens']") -> None:
    """Check that every row of the mask has a token.

    Raises:
        BadData: a row without one, whose mean would be NaN.
    """
    if to_check(mask) and not mask.any(dim=1).all():
        row = int((~mask.any(dim=1)).nonzero()[0, 0])
        raise BadData(
            f"Row {row} has no token to pool.",
            rule="Every row of the mask needs at least one 1.",
            way_out="Drop that text.",
        )


def masked_mean(
    states: "Float[Tensor, 'batch tokens dim']", mask: "Int[Tensor, 'batch tokens']"
) -> "Float[Tensor, 'batch dim']":
    """Mean over the tokens whose mask is 1, special tokens included, padding excluded; summed in fp32 at least.

    Raises:
        BadData: a row without a token.
    """
    import torch

    some_token(mask)
    total = (states * mask.unsqueeze(-1).to(states.dtype)).sum(
        dim=1, dtype=torch.promote_types(states.dtype, torch.float32)
    )
    return total / mask.sum(dim=1, keepdim=True)
