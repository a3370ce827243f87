"""ArcCon: the partner must be closer than the negatives by an angular margin."""

import math
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, full_precision, unit_rows
from workbench.losses._verified import Verified

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

SMALLEST_SQUARED_SINE = 1e-7


def arccon(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.05,
    margin_deg: Annotated[float, Knob(0.0, 60.0, 0.5, "Degrees added to the angle between partners.")] = 10.0,
    beyond_pi: Annotated[
        Literal["none", "hard", "easy"],
        Knob(
            help="If angle plus margin exceeds 180 degrees: the cosine as printed (none), a linear continuation (hard), "
            "or a margin only for partners nearer than 90 degrees (easy)."
        ),
    ] = "none",
) -> "Float[Tensor, '']":
    """`infonce_nn` in which the angle between partners counts as `margin_deg` degrees wider than it is, in nats.

    Past 180 degrees the printed formula rewards partners for moving apart: `hard` continues from there as
    cos - m sin m, with m in radians, and `easy` applies no margin to partners beyond 90 degrees. Gradients stay finite
    where partners coincide, because the sine is clamped to at least 3e-4.

    Prefer it over `infonce_nn` to keep a gradient on partners that are already close: the margin asks them to be closer
    than the negatives by an angle. With a margin of 0 the two losses are equal.

    Raises:
        BadData: fewer than two rows, or views of different shapes.
        BadSetting: a margin that can only be meant in radians.

    >>> import torch
    >>> pair = torch.eye(2)
    >>> round(arccon(pair, pair, temperature=1.0, margin_deg=0.0).item(), 4)  # log(1 + exp(-1))
    0.3133
    >>> round(arccon(pair, pair, temperature=1.0, margin_deg=60.0).item(), 3)  # log(1 + exp(-1/2))
    0.474
    """
    return cross_entropy(logits(a, b, temperature=temperature, margin_deg=margin_deg, beyond_pi=beyond_pi))


def logits(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    *,
    temperature: float,
    margin_deg: float,
    beyond_pi: str,
) -> list[Logits]:
    """As in `infonce_nn`, with the margin applied to the cosine of each row's partner."""
    import torch

    verify(margin_deg=margin_deg)
    check_pair(a, b, "arccon")
    margin = math.radians(margin_deg)
    with full_precision(a):
        similarities = unit_rows(a) @ unit_rows(b).T
        cosine = similarities.diagonal()
        # cos(angle + margin) without arccos, whose slope is infinite for coinciding partners; the slope of the root at 0
        # is infinite too, hence the lower bound.
        sine = (1 - cosine.square()).clamp_min(SMALLEST_SQUARED_SINE).sqrt()
        target = cosine * math.cos(margin) - sine * math.sin(margin)
        if beyond_pi == "hard":
            target = torch.where(cosine < -math.cos(margin), cosine - margin * math.sin(margin), target)
        elif beyond_pi == "easy":
            target = torch.where(cosine > 0, target, cosine)
        own = torch.eye(len(a), dtype=torch.bool, device=a.device)
        values = torch.where(own, target[:, None], similarities) / temperature
        return [Logits(values, rows=("a",), candidates=("b",))]


def verify(*, margin_deg: float, **_: object) -> None:
    """Refuse a margin that must have been given in radians.

    Raises:
        BadSetting: 0 < margin_deg < 0.5.
    """
    if 0 < margin_deg < 0.5:
        raise BadSetting(
            f"margin_deg cannot be {margin_deg:g}: did you pass radians?",
            rule="It is in degrees: 0, or 0.5 and more.",
            way_out=f"{margin_deg:g} radians are {math.degrees(margin_deg):g} degrees.",
        )


METHOD = Verified(
    arccon,
    logits=logits,
    title="ArcCon, angular margin",
    source="Zhang et al. 2022, A Contrastive Framework for Learning Sentence Representations from Pairwise and "
    "Triple-wise Perspective in Angular Space, ACL",
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{e^{\cos(\theta_{ii} + m)/\tau}}"
    r"{e^{\cos(\theta_{ii} + m)/\tau} + \sum_{j \neq i} e^{\cos(\theta_{ij})/\tau}}",
    tags={"direction": "lower is better", "negatives": "N - 1"},
    verify=verify,
)
