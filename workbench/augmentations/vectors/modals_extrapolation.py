"""MODALS extrapolation: each vector moves away from the mean."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor


def modals_extrapolation(
    vectors: "Float[Tensor, 'batch dim']",
    *,
    magnitude: Annotated[float, Knob(0.0, 1.0, 0.05, "Step as a share of the distance from the mean.")] = 0.5,
    generator: "Generator",
) -> "Float[Tensor, 'batch dim']":
    """Each vector x moved to x + magnitude * (x - mean of the batch). A batch of one stays. Nothing is random.

    The mean is treated as a constant for gradients.

    Prefer it over the other MODALS methods for a deterministic change: every vector keeps its direction from the mean and is
    1 + magnitude times as far from it.

    >>> import torch
    >>> modals_extrapolation(torch.tensor([[0.0], [2.0]]), magnitude=0.5, generator=torch.Generator()).tolist()
    [[-0.5], [2.5]]
    """
    wide = vectors.float()
    return (wide + magnitude * (wide - wide.detach().mean(dim=0))).to(vectors.dtype)


METHOD = Method(
    modals_extrapolation,
    title="MODALS extrapolation",
    source="Cheung and Yeung 2021 (MODALS), https://openreview.net/forum?id=XjYgR6gbCEc",
    tags={"class": "preserving", "role": "positive"},
    formula=r"x + \lambda (x - \mu)",
)
