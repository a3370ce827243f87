"""InfoNCE in SimCSE's form: find your own partner among the batch."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def infonce_nn(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking row i of `b` for row i of `a` by cosine.

    Each text has batch - 1 negatives, all from the other view. Rows are normalised here, so scaling any row by a
    positive factor does not change the loss. It is not symmetric: only rows of `a` pick a partner, as in the paper.

    This is the default. Prefer it over `ntxent_2n` to follow SimCSE, or when texts of the same view should not be negatives
    of each other; prefer `infonce_sym` when the views differ in kind, and `simcse_sup` when there are hard negatives.

    Raises:
        BadData: fewer than two rows, or views of different shapes.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> round(infonce_nn(pair, pair, temperature=1.0).item(), 4)  # log(e + 3) - 1
    0.7437
    """
    return cross_entropy(logits(a, b, temperature=temperature))


def logits(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, temperature: float) -> list[Logits]:
    """Cosines of each row of `a` with all rows of `b`, divided by the temperature."""
    check_pair(a, b, "infonce_nn")
    with full_precision(a):
        return [Logits(unit_rows(a) @ unit_rows(b).T / temperature, rows=("a",), candidates=("b",))]


METHOD = Method(
    infonce_nn,
    logits=logits,
    title="InfoNCE, own partner among N",
    source="Gao, Yao and Chen 2021, SimCSE, arXiv:2104.08821",
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} \log "
    r"\frac{e^{\cos(a_i, b_i)/\tau}}{\sum_{j=1}^{N} e^{\cos(a_i, b_j)/\tau}}",
    tags={"direction": "lower is better", "negatives": "N - 1"},
)
