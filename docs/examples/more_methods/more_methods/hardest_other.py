"""Told from one other text, the nearest: a margin as in a triplet loss, without mined triplets."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

    from workbench.losses import Logits


def hardest_other(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is closer to a hard margin.")] = 0.05,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking row i of `b` for row i of `a` against the nearest other row alone.

    Rows are normalised here, so any scale of input gives the same loss.

    Raises:
        BadData: views of different sizes, or fewer than two rows.
    """
    # What the workbench offers to losses is imported here, not above: the workbench imports this file while it gathers them.
    from workbench.losses import cross_entropy

    return cross_entropy(logits(a, b, temperature=temperature))


def logits(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, temperature: float) -> "list[Logits]":
    """Cosines / temperature, with -inf for all but a row's partner and the nearest other."""
    import torch

    from workbench.losses import Logits, check_pair, full_precision, unit_rows

    check_pair(a, b, "hardest_other")
    with full_precision(a):
        values = unit_rows(a) @ unit_rows(b).T / temperature
    partner = torch.eye(len(a), dtype=torch.bool, device=a.device)
    nearest = values.masked_fill(partner, -torch.inf).argmax(dim=1, keepdim=True)
    kept = partner.scatter(1, nearest, True)
    return [Logits(values.masked_fill(~kept, -torch.inf), rows=("a",), candidates=("b",))]


METHOD = Method(
    hardest_other,
    logits=logits,
    title="Hardest other",
    source="This package: an example.",
    formula=r"-\log \frac{e^{\cos(a_i, b_i)/\tau}}{e^{\cos(a_i, b_i)/\tau} + \max_{j \ne i} e^{\cos(a_i, b_j)/\tau}}",
    tags={"negatives": "1", "blank": "not the nearest"},
)
