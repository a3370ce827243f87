"""Similarities of anchors to partners and to hard negatives, as the losses with `negatives` use them."""

from typing import TYPE_CHECKING

from workbench.losses._rows import unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def hard_negative_logits(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    temperature: float,
    hard_negative_weight: float,
) -> "tuple[Float[Tensor, 'batch batch'], Float[Tensor, 'batch batch']]":
    """Cosines, divided by the temperature, of every row of `a` with every row of `b`, and with every row of `negatives`.

    `hard_negative_weight` is added only to the logit of a row's own hard negative: it is the log of how often that one counts.
    """
    import torch

    rows = unit_rows(a)
    own = torch.eye(len(a), dtype=rows.dtype, device=rows.device)
    to_negatives = rows @ unit_rows(negatives).T / temperature + hard_negative_weight * own
    return rows @ unit_rows(b).T / temperature, to_negatives
