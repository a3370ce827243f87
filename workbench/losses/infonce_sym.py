"""Symmetric InfoNCE: each view picks its partner in the other one."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def infonce_sym(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
) -> "Float[Tensor, '']":
    """Mean of `infonce_nn` of (a, b) and of (b, a), in nats: swapping the views changes nothing.

    Prefer it over `infonce_nn` when the views come from different sources, such as a text and its translation or its
    augmented form, so that both learn to find each other; for two dropout views the two hardly differ.

    Raises:
        BadData: fewer than two rows, or views of different shapes.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> round(infonce_sym(pair, pair, temperature=1.0).item(), 4)  # log(e + 3) - 1
    0.7437
    """
    return cross_entropy(logits(a, b, temperature=temperature))


def logits(a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, temperature: float) -> list[Logits]:
    """Cosines of each row of `a` with all rows of `b`, divided by the temperature, and the transpose."""
    check_pair(a, b, "infonce_sym")
    with full_precision(a):
        values = unit_rows(a) @ unit_rows(b).T / temperature
        return [Logits(values, rows=("a",), candidates=("b",)), Logits(values.T, rows=("b",), candidates=("a",))]


METHOD = Method(
    infonce_sym,
    logits=logits,
    title="Symmetric InfoNCE",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749; in-batch form of Carlsson et al. 2021, Contrastive Tension",
    formula=r"\mathcal{L} = \tfrac{1}{2}\left(\mathrm{CE}(S) + \mathrm{CE}(S^{\top})\right),"
    r"\quad S_{ij} = \cos(a_i, b_j)/\tau,\; \mathrm{CE}(S) = "
    r"-\frac{1}{N} \sum_i \log \frac{e^{S_{ii}}}{\sum_j e^{S_{ij}}}",
    tags={"direction": "lower is better", "negatives": "N - 1"},
)
