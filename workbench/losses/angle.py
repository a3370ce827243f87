"""AnglE: CoSENT on an angle between complex vectors, whose gradient does not vanish where the cosine's does."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.losses._ranking import ranking
from workbench.losses._rows import check_pair, check_values, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def angle(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    gold: "Float[Tensor, ' batch']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on pairs in the wrong order.")] = 0.05,
) -> "Float[Tensor, '']":
    """`cosent` with |sum of real and imaginary parts of a / b, rescaled by the ratio of norms| instead of the cosine, in nats.

    The first half of a vector is its real part, the second half its imaginary part. The similarity follows the authors' code
    and is not an angle in the usual sense: it is 1 for equal vectors, like the cosine, and at most the square root of 2.

    Prefer it over `cosent` when many cosines lie near 1 or -1, where the gradient of a cosine vanishes; prefer `cosent` to
    train the plain cosine, which is also what is evaluated.

    Raises:
        BadData: fewer than two rows, shapes that differ, a score that is not a number, or an odd number of dimensions.

    >>> import torch
    >>> a, b = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0], [-0.6, 0.8]])  # 1 and |-0.6 - 0.8|
    >>> round(angle(a, b, torch.tensor([5.0, 0.0]), temperature=1.0).item(), 4)  # log(1 + exp(1.4 - 1))
    0.913
    """
    check_pair(a, b, "angle")
    check_values("angle", "gold", gold, a)
    if a.shape[1] % 2:
        raise BadData(
            "angle got vectors of an odd number of dimensions.",
            rule="One half is the real, the other the imaginary part.",
            got=f"{a.shape[1]}",
        )
    with full_precision(a):
        real_a, imaginary_a = unit_rows(a).chunk(2, dim=1)
        real_b, imaginary_b = unit_rows(b).chunk(2, dim=1)
        # a / b = a conj(b) / |b|^2; with unit rows the rescaling by norms is already done.
        real = (real_a * real_b + imaginary_a * imaginary_b).sum(dim=1)
        imaginary = (imaginary_a * real_b - real_a * imaginary_b).sum(dim=1)
        return ranking((real + imaginary).abs(), gold, temperature)


METHOD = Method(
    angle,
    title="AnglE, order by complex angle",
    source="Li and Li 2023, AnglE-optimized Text Embeddings, arXiv:2309.12871",
    inputs=("gold",),
    formula=r"\mathcal{L} = \log\left(1 + \sum_{g_k < g_l} e^{(s_k - s_l)/\tau}\right), \quad "
    r"s = \left| \sum_d (\mathrm{Re} + \mathrm{Im}) \frac{a_d\, \bar b_d}{\lVert a \rVert\, \lVert b \rVert} \right|",
    tags={
        "direction": "lower is better",
        "negatives": "pairs scored lower",
        "no_softmax": "orders pairs by their scores, and is not a softmax over candidates",
    },
)
