"""MODALS Gaussian noise: in each dimension in proportion to the spread of the batch."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor


def modals_gaussian(
    vectors: "Float[Tensor, 'batch dim']",
    *,
    magnitude: Annotated[float, Knob(0.0, 1.0, 0.05, "Noise as a share of each dimension's spread.")] = 0.5,
    generator: "Generator",
) -> "Float[Tensor, 'batch dim']":
    """Each vector x moved to x + magnitude * sigma * noise, with standard normal noise in every dimension.

    sigma is the standard deviation of each dimension over the batch, with divisor batch and not batch - 1, so a batch of one
    stays. It is treated as a constant for gradients.

    Prefer it over `modals_linear` for noise that is independent in every dimension and not tied to other texts.

    >>> import torch
    >>> vectors = torch.tensor([[1.0, 7.0], [3.0, 7.0]])  # no spread in the second dimension
    >>> modals_gaussian(vectors, generator=torch.Generator().manual_seed(0))[:, 1].tolist()
    [7.0, 7.0]
    """
    import torch

    wide = vectors.float()
    noise = torch.randn(vectors.shape, generator=generator, device=vectors.device)
    centred = wide.detach() - wide.detach().mean(dim=0)
    sigma = centred.square().mean(dim=0).sqrt()
    return (wide + magnitude * sigma * noise).to(vectors.dtype)


METHOD = Method(
    modals_gaussian,
    title="MODALS Gaussian noise",
    source="Cheung and Yeung 2021 (MODALS), https://openreview.net/forum?id=XjYgR6gbCEc",
    tags={"class": "preserving", "role": "positive"},
    formula=r"x + \lambda\, \sigma \odot \epsilon,\quad \epsilon \sim \mathcal{N}(0, I)",
)
