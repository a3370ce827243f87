"""CoSENT: put the cosines of scored pairs in the order of their scores."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._ranking import ranking
from workbench.losses._rows import check_pair, check_values, cosines, full_precision

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def cosent(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    gold: "Float[Tensor, ' batch']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on pairs in the wrong order.")] = 0.05,
) -> "Float[Tensor, '']":
    """log(1 + sum of e^((cos_k - cos_l) / temperature)) over all k, l where pair l has the higher score, in nats.

    Only the order of `gold` matters, so scores may have any range. The sum is not a mean: it grows with the batch. A
    batch whose scores are all equal has loss 0 and no gradient.

    Prefer it over `score_regression` when only the order of the scores can be trusted, or when a rank correlation is what
    is evaluated; prefer `score_regression` when the cosine itself should mean a score.

    Raises:
        BadData: fewer than two rows, shapes that differ, or a score that is not a number.

    >>> import torch
    >>> a, b = torch.eye(2), torch.tensor([[1.0, 0.0], [1.0, 0.0]])  # cosines 1 and 0
    >>> round(cosent(a, b, torch.tensor([0.0, 5.0]), temperature=1.0).item(), 4)  # log(1 + e)
    1.3133
    """
    check_pair(a, b, "cosent")
    check_values("cosent", "gold", gold, a)
    with full_precision(a):
        return ranking(cosines(a, b), gold, temperature)


METHOD = Method(
    cosent,
    title="CoSENT, order of scored pairs",
    source="Su Jianlin 2022, kexue.fm/archives/8847; Huang et al. 2024, CoSENT, IEEE/ACM TASLP 32",
    inputs=("gold",),
    formula=r"\mathcal{L} = \log\left(1 + \sum_{g_k < g_l} e^{(\cos(a_k, b_k) - \cos(a_l, b_l))/\tau}\right)",
    tags={
        "direction": "lower is better",
        "negatives": "pairs scored lower",
        "no_softmax": "orders pairs by their scores, and is not a softmax over candidates",
    },
)
