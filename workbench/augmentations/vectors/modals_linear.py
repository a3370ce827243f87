"""MODALS linear difference: the difference between two texts of the batch is added."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor


def modals_linear(
    vectors: "Float[Tensor, 'batch dim']",
    *,
    magnitude: Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the difference that is added.")] = 0.5,
    generator: "Generator",
) -> "Float[Tensor, 'batch dim']":
    """Each vector x moved to x + magnitude * (y1 - y2), with y1 and y2 two different rows of the batch, drawn for each x.

    x itself may be one of them. They are treated as constants for gradients. A batch of one stays.

    Prefer it over `modals_gaussian` for steps that keep the correlations of the dimensions, since they are differences of real
    vectors.

    >>> import torch
    >>> moved = modals_linear(torch.tensor([[0.0], [2.0]]), magnitude=0.5, generator=torch.Generator().manual_seed(0))
    >>> sorted(abs(step) for step in (moved - torch.tensor([[0.0], [2.0]]))[:, 0].tolist())
    [1.0, 1.0]
    """
    import torch

    size = len(vectors)
    if size < 2:
        return vectors.clone()
    first = torch.randint(size, (size,), generator=generator, device=vectors.device)
    second = torch.randint(size - 1, (size,), generator=generator, device=vectors.device)
    second = second + (second >= first)
    pool = vectors.detach().float()
    return (vectors.float() + magnitude * (pool[first] - pool[second])).to(vectors.dtype)


METHOD = Method(
    modals_linear,
    title="MODALS linear difference",
    source="Cheung and Yeung 2021 (MODALS), https://openreview.net/forum?id=XjYgR6gbCEc",
    tags={"class": "possible", "role": "positive"},
    formula=r"x + \lambda (y_1 - y_2)",
)
