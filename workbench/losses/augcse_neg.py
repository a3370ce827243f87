"""AugCSE's case study: a text augmented so that its meaning changes serves as hard negative."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.device import sent
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._hard_negatives import hard_negative_logits
from workbench.losses._rows import check_values, check_views, full_precision

if TYPE_CHECKING:
    from jaxtyping import Bool, Float
    from torch import Tensor


def augcse_neg(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    changed: "Bool[Tensor, ' batch'] | None" = None,
    temperature: Annotated[float, Knob(0.001, 1.0, 0.001, "Lower is stricter on hard negatives.")] = 0.05,
    hard_negative_weight: Annotated[
        float, Knob(-10.0, 10.0, 0.1, "Log of how often a text's own augmentation counts; 0 is once.")
    ] = 0.0,
    both_directions: Annotated[
        bool, Knob(help="Also let each partner pick its text, as the authors' code does. Off: equation 1 of the paper.")
    ] = False,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking a text's second view among all second views and all augmented texts.

    `a` and `b` are two dropout views of a text, `negatives` are vectors of its augmented text. Where the augmentation changed
    nothing, the negative would be the text itself. Such rows are best removed from the corpus (`only_changed` of a view); if
    one gets here, its `changed` is False, and it is removed from the batch, also as a negative of other texts: the mean is
    over the remaining rows. With `both_directions` the result is the mean of this loss and of the reverse one, in which
    partner i picks text i among all texts, and negative i contributes its similarities to all texts as further candidates.

    Prefer it over `simcse_sup` when the negatives come from augmentations: rows that the augmentation left unchanged are
    removed here, where `simcse_sup` would push a text away from itself.

    Raises:
        BadData: views of different shapes, or no row that changed.

    >>> import torch
    >>> texts = torch.eye(4)
    >>> first_three = torch.tensor([True, True, True, False])
    >>> round(augcse_neg(texts, texts, -texts, changed=first_three, temperature=1.0).item(), 4)  # log(e + 2 + 1/e + 2) - 1
    0.9581
    """
    return cross_entropy(
        logits(
            a,
            b,
            negatives,
            changed=changed,
            temperature=temperature,
            hard_negative_weight=hard_negative_weight,
            both_directions=both_directions,
        )
    )


def logits(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    changed: "Bool[Tensor, ' batch'] | None" = None,
    temperature: float,
    hard_negative_weight: float,
    both_directions: bool,
) -> list[Logits]:
    """As in `simcse_sup`, for the texts that changed; if `both_directions`, the transposed blocks too."""
    import torch

    check_views("augcse_neg", a, b, negatives)
    kept = None
    if changed is not None:
        check_values("augcse_neg", "changed", changed, a)
        kept = sent(changed.nonzero()[:, 0], a.device)
        a, b, negatives = a[kept], b[kept], negatives[kept]
        if not len(a):
            raise BadData(
                "The augmentation of augcse_neg's negatives changed no text of a batch.",
                rule="Rows that it leaves as they are leave the batch, and without any there are no negatives.",
                way_out="Set only_changed for the view negatives: then such rows are removed before the first step.",
            )
    with full_precision(a):
        partners, hard = hard_negative_logits(
            a, b, negatives, temperature=temperature, hard_negative_weight=hard_negative_weight
        )
        found = [Logits(torch.cat([partners, hard], dim=1), rows=("a",), candidates=("b", "negatives"), kept=kept)]
        if both_directions:
            back = torch.cat([partners.T, hard.T], dim=1)
            found.append(Logits(back, rows=("b",), candidates=("a", "a"), against=("b", "negatives"), kept=kept))
        return found


METHOD = Method(
    augcse_neg,
    logits=logits,
    title="AugCSE, augmentation as negative",
    source="Tang, Kocyigit and Wijaya 2022, AugCSE, arXiv:2210.13749, equation 1",
    inputs=("negatives",),
    formula=r"\mathcal{L} = -\frac{1}{|C|} \sum_{i \in C} \log \frac{e^{\cos(h_i, h_i^+)/\tau}}"
    r"{\sum_{j \in C} \left( e^{\cos(h_i, h_j^+)/\tau} + e^{w [i = j]} e^{\cos(h_i, h_j^-)/\tau} \right)},"
    r"\quad C = \{ i : \mathrm{aug}(x_i) \neq x_i \}",
    tags={"direction": "lower is better", "negatives": "2N - 1"},
)
