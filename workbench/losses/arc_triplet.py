"""ArcCSE's order of information: a text is closer to a lightly masked copy of itself than to a more heavily masked one."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.device import sent
from workbench.core.method import Knob, Method
from workbench.losses._rows import check_values, check_views, cosines, full_precision

if TYPE_CHECKING:
    from jaxtyping import Bool, Float
    from torch import Tensor


def arc_triplet(
    a: "Float[Tensor, 'batch dim']",
    masked: "Float[Tensor, 'batch dim']",
    masked_more: "Float[Tensor, 'batch dim']",
    *,
    changed: "Bool[Tensor, ' batch'] | None" = None,
    margin: Annotated[
        float,
        Knob(
            0.0, 2.0, 0.01, "Cosine by which the lightly masked copy must be closer. The paper does not give its value."
        ),
    ] = 0.1,
) -> "Float[Tensor, '']":
    """Mean of max(0, cos(a, masked_more) - cos(a, masked) + margin) over the texts that could be masked twice.

    The three views show the same text under nested masks, all without dropout, so that they differ by the masks only. A row
    is compared only with itself, never with another text. A text of fewer than five words cannot be masked twice: `changed`
    is False there and the row is left out. Without `changed`, its three equal vectors would contribute no gradient, but
    would add `margin` to the mean. A batch in which no text could be masked has loss 0. With a margin of 0 the order alone
    is asked for, which a pretrained encoder mostly has already: then the term is 0 and changes nothing.

    Prefer it over `triplet` without labels: nested masks provide the order, where `triplet` needs a negative for each text.
    It orders the views of one text and pushes no texts apart, so add it to `arccon` or another contrastive loss.

    Raises:
        BadData: views of different shapes.

    >>> import torch
    >>> text = torch.tensor([[1.0, 0.0]])
    >>> near, far = torch.tensor([[0.8, 0.6]]), torch.tensor([[0.6, 0.8]])
    >>> round(arc_triplet(text, near, far, margin=0.5).item(), 4)  # 0.6 - 0.8 + 0.5
    0.3
    """
    check_views("arc_triplet", a, masked, masked_more)
    with full_precision(a):
        losses = (cosines(a, masked_more) - cosines(a, masked) + margin).relu()
        if changed is None:
            return losses.mean()
        check_values("arc_triplet", "changed", changed, a)
        counted = sent(changed, losses.device)
        return (losses * counted).sum() / counted.sum().clamp_min(1)


METHOD = Method(
    arc_triplet,
    title="ArcCSE triplet of nested masks",
    source="Zhang et al. 2022, A Contrastive Framework for Learning Sentence Representations from Pairwise and "
    "Triple-wise Perspective in Angular Space, ACL",
    inputs=("masked", "masked_more"),
    formula=r"\mathcal{L} = \frac{1}{N} \sum_{i=1}^{N} \max\left(0,\; "
    r"\cos(h_i, h_i^{\prime\prime}) - \cos(h_i, h_i^{\prime}) + m\right)",
    tags={
        "direction": "lower is better",
        "negatives": "0",
        "no_softmax": "compares each text only with its own views or negatives",
    },
)
