"""Supervised SimCSE: find the entailment, with the contradictions of all texts among the candidates."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._hard_negatives import hard_negative_logits
from workbench.losses._rows import check_views, full_precision

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def simcse_sup(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.001, 1.0, 0.001, "Lower is stricter on hard negatives.")] = 0.05,
    hard_negative_weight: Annotated[
        float, Knob(-10.0, 10.0, 0.1, "Log of how often a text's own hard negative counts; 0 is once.")
    ] = 0.0,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking row i of `b` for row i of `a` among all of `b` and `negatives`.

    For natural language inference `a` is the premise, `b` an entailment, `negatives` a contradiction. Each text has
    2 x batch - 1 negatives. The weight is a logarithm, as in the authors' code, and applies only to a row's own hard
    negative. A batch of one row is allowed: it has its own negative.

    Prefer it over `infonce_nn` when each text has a hard negative, such as a contradiction; prefer it over `triplet` to use
    the rest of the batch as negatives too.

    Raises:
        BadData: views of different shapes.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> round(simcse_sup(pair, pair, -pair, temperature=1.0).item(), 4)  # log(e + 3 + 1/e + 3) - 1
    1.2068
    """
    return cross_entropy(logits(a, b, negatives, temperature=temperature, hard_negative_weight=hard_negative_weight))


def logits(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    temperature: float,
    hard_negative_weight: float,
) -> list[Logits]:
    """Cosines of each row of `a` with all rows of `b` and of `negatives`, as `hard_negative_logits` weighs them."""
    import torch

    check_views("simcse_sup", a, b, negatives)
    with full_precision(a):
        partners, hard = hard_negative_logits(
            a, b, negatives, temperature=temperature, hard_negative_weight=hard_negative_weight
        )
        return [Logits(torch.cat([partners, hard], dim=1), rows=("a",), candidates=("b", "negatives"))]


METHOD = Method(
    simcse_sup,
    logits=logits,
    title="Supervised SimCSE, hard negatives",
    source="Gao, Yao and Chen 2021, SimCSE, arXiv:2104.08821",
    inputs=("negatives",),
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{e^{\cos(a_i, b_i)/\tau}}"
    r"{\sum_{j=1}^{N} \left( e^{\cos(a_i, b_j)/\tau} + e^{w [i = j]} e^{\cos(a_i, n_j)/\tau} \right)}",
    tags={"direction": "lower is better", "negatives": "2N - 1"},
)
