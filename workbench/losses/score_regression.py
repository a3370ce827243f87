"""SBERT's regression: the cosine of a scored pair should equal its rescaled score."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._rows import check_values, check_views, cosines, full_precision

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def score_regression(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    gold: "Float[Tensor, ' batch']",
    *,
    highest: Annotated[float, Knob(0.01, 1000.0, 0.5, "The score of pairs that mean the same: 5 in STS sets.")] = 5.0,
) -> "Float[Tensor, '']":
    """Mean squared difference between a pair's cosine and its score divided by `highest`.

    Scores range from 0 to `highest`; unlike in `cosent`, the range matters. Each pair is independent of the rest of its batch.

    Prefer it over `cosent` when a cosine should be read as a score, on a scale that is the same for all pairs; it also
    works on pairs one at a time.

    Raises:
        BadData: shapes that differ, or a score that is not a number.

    >>> import torch
    >>> a, b = torch.eye(2), torch.tensor([[1.0, 0.0], [1.0, 0.0]])  # cosines 1 and 0
    >>> round(score_regression(a, b, torch.tensor([4.0, 1.0])).item(), 2)  # (.2 * .2 + .2 * .2) / 2
    0.04
    """
    check_views("score_regression", a, b)
    check_values("score_regression", "gold", gold, a)
    with full_precision(a):
        return (cosines(a, b) - gold.detach() / highest).square().mean()


METHOD = Method(
    score_regression,
    title="Cosine as score, regression",
    source="Reimers and Gurevych 2019, Sentence-BERT, EMNLP, regression objective",
    inputs=("gold",),
    formula=r"\mathcal{L} = \frac{1}{N} \sum_{i=1}^{N} \left( \cos(a_i, b_i) - g_i / g_{\max} \right)^2",
    tags={
        "direction": "lower is better",
        "negatives": "0",
        "no_softmax": "fits each pair's cosine to its score, and is not a softmax over candidates",
    },
)
