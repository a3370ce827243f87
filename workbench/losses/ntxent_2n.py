"""NT-Xent: find your own partner among both views of all texts."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def ntxent_2n(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking the partner of each of the 2 x batch rows of both views.

    A row is never compared with itself, so it has 2 x batch - 2 negatives. The mean is over all rows: ConSERT's published
    code returns the sum over the two views instead, which is twice this value.

    Prefer it over `infonce_nn` for small batches, since each row has about twice the negatives without more encoding, or to
    follow SimCLR and ConSERT.

    Raises:
        BadData: fewer than two rows, or views of different shapes.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> round(ntxent_2n(pair, pair, temperature=1.0).item(), 4)  # log(e + 6) - 1
    1.1654
    """
    return cross_entropy(logits(a, b, temperature=temperature))


def logits(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, temperature: float) -> list[Logits]:
    """Cosines of each row of both views with all other rows of both, divided by the temperature."""
    import torch

    check_pair(a, b, "ntxent_2n")
    with full_precision(a):
        rows = torch.cat([unit_rows(a), unit_rows(b)])  # (2 batch, dim)
        itself = torch.eye(len(rows), dtype=torch.bool, device=a.device)
        values = (rows @ rows.T / temperature).masked_fill(itself, -torch.inf)
        partner = torch.arange(len(rows), device=a.device).roll(len(a))
        return [Logits(values, rows=("a", "b"), candidates=("a", "b"), positives=partner)]


METHOD = Method(
    ntxent_2n,
    logits=logits,
    title="NT-Xent over both views",
    source="Chen et al. 2020, SimCLR, arXiv:2002.05709; Yan et al. 2021, ConSERT, arXiv:2105.11741",
    formula=r"\mathcal{L} = -\frac{1}{2N} \sum_{i=1}^{2N} \log "
    r"\frac{e^{\cos(z_i, z_{p(i)})/\tau}}{\sum_{k \neq i} e^{\cos(z_i, z_k)/\tau}},"
    r"\quad z = [a; b],\; p(i) = i + N \bmod 2N",
    tags={"direction": "lower is better", "negatives": "2N - 2"},
)
