"""Alignment plus uniformity: partners close, all texts spread out, each with an explicit weight."""

import math
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._rows import check_pair, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def align_uniform(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    alignment_weight: Annotated[float, Knob(0.0, 10.0, 0.1, "How much closeness of partners counts.")] = 1.0,
    uniformity_weight: Annotated[float, Knob(0.0, 10.0, 0.1, "How much even spreading counts.")] = 1.0,
    power: Annotated[float, Knob(1.0, 4.0, 0.5, "Exponent of the distance between partners.")] = 2.0,
    scale: Annotated[float, Knob(0.5, 10.0, 0.5, "Sharpness of the kernel: higher looks at nearer texts only.")] = 2.0,
) -> "Float[Tensor, '']":
    """Weighted sum of the mean distance between partners and the log mean Gaussian kernel within each view.

    Vectors are normalised first. With default settings alignment is between 0 and 4 and uniformity between -8 and 0, like the
    metrics of the same names; uniformity is the mean of those of `a` and `b`, over unordered pairs of different rows.

    Prefer it over the cross-entropies when the two properties should be weighted, or monitored, separately; it has no
    temperature and no hard negatives.

    Raises:
        BadData: fewer than two rows, or views of different shapes.

    >>> import torch
    >>> poles = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    >>> align_uniform(poles, poles).item()  # 0 + log(exp(-2 * 2**2))
    -8.0
    """
    import torch

    check_pair(a, b, "align_uniform")
    with full_precision(a):
        a, b = unit_rows(a), unit_rows(b)
        alignment = torch.linalg.vector_norm(a - b, dim=1).pow(power).mean()
        uniformity = (_log_mean_kernel(a, scale) + _log_mean_kernel(b, scale)) / 2
        return alignment_weight * alignment + uniformity_weight * uniformity


def _log_mean_kernel(rows: "Float[Tensor, 'batch dim']", scale: float) -> "Float[Tensor, '']":
    """Log of the mean over i < j of exp(-scale ||row_i - row_j||^2)."""
    import torch

    first, second = torch.triu_indices(len(rows), len(rows), offset=1, device=rows.device)
    # From the Gram matrix: the differences of all pairs would take batch^2 x dim numbers. Norms are computed rather than
    # assumed to be 1, because a zero row stays zero.
    gram = rows @ rows.T
    lengths = gram.diagonal()
    squared = (lengths[first] + lengths[second] - 2 * gram[first, second]).clamp_min(0)
    return torch.logsumexp(-scale * squared, dim=0) - math.log(len(first))


METHOD = Method(
    align_uniform,
    title="Alignment + uniformity",
    source="Wang and Isola 2020, arXiv:2005.10242",
    formula=r"\mathcal{L} = w_a \frac{1}{N} \sum_i \lVert \hat a_i - \hat b_i \rVert^{\alpha} + "
    r"w_u \tfrac{1}{2}\left(U(\hat a) + U(\hat b)\right),"
    r"\quad U(x) = \log \frac{2}{N(N-1)} \sum_{i<j} e^{-t \lVert x_i - x_j \rVert^2}",
    tags={
        "direction": "lower is better",
        "negatives": "N - 1",
        "no_softmax": "weighs distances, and is not a softmax over candidates",
    },
)
