"""NT-Xent on rows that alternate between the views: a layout, not another loss."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def ntxent_interleaved(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking the partner of each row of a_1, b_1, a_2, b_2, ...

    This is the layout of the Chinese SimCSE and of UNA. It equals `ntxent_2n` up to rounding, and has a separate name because
    both publications call it SimCSE, whose loss is `infonce_nn`.

    Prefer `ntxent_2n`, which is the same loss; this one is for reproducing those two publications in their own layout.

    Raises:
        BadData: fewer than two rows, or views of different shapes.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> round(ntxent_interleaved(pair, pair, temperature=1.0).item(), 4)  # log(e + 6) - 1
    1.1654
    """
    return cross_entropy(logits(a, b, temperature=temperature))


def logits(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, temperature: float) -> list[Logits]:
    """Cosines of each row of a_1, b_1, a_2, b_2, ... with all other rows, divided by the temperature."""
    import torch

    check_pair(a, b, "ntxent_interleaved")
    with full_precision(a):
        rows = torch.stack([unit_rows(a), unit_rows(b)], dim=1).flatten(0, 1)  # (2 batch, dim)
        itself = torch.eye(len(rows), dtype=torch.bool, device=a.device)
        values = (rows @ rows.T / temperature).masked_fill(itself, -torch.inf)
        # 1, 0, 3, 2, ...: XOR with 1 swaps the two rows of each pair.
        partner = torch.arange(len(rows), device=a.device) ^ 1
        both = ("a", "b")
        return [Logits(values, rows=both, candidates=both, positives=partner, alternating=True)]


METHOD = Method(
    ntxent_interleaved,
    logits=logits,
    title="NT-Xent, views alternating",
    source="Su Jianlin 2021, kexue.fm/archives/8348; Shu and Lampos 2024, UNA, Unsupervised hard Negative Augmentation",
    formula=r"\mathcal{L} = -\frac{1}{2N} \sum_{i=0}^{2N-1} \log "
    r"\frac{e^{\cos(z_i, z_{p(i)})/\tau}}{\sum_{k \neq i} e^{\cos(z_i, z_k)/\tau}},"
    r"\quad z = (a_1, b_1, a_2, b_2, \ldots),\; p(i) = i + 1 - 2\,(i \bmod 2)",
    tags={"direction": "lower is better", "negatives": "2N - 2"},
)
