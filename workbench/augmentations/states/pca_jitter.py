"""PCA jitter: a whole sentence moves along the directions in which its tokens differ."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def pca_jitter(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    *,
    scale: Annotated[
        float, Knob(0.0, 0.1, 0.005, "Standard deviation of the factor that is drawn for each sentence.")
    ] = 0.01,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with sigma * alpha * sum_k l_k e_k added to all real tokens of a sentence; one normal alpha per sentence.

    e_k and l_k are the eigenvectors and eigenvalues of the covariance of the sentence's centred tokens divided by sigma, the
    root mean square of the centred tokens: the shift therefore grows with the states and not with their square. It is treated
    as a constant for gradients. A sentence with a single token, or whose tokens are all the same, stays. The paper's code adds
    the sum of that vector's entries to every number and divides by the Frobenius norm; here the vector itself is added.

    Eigenvectors are computed from the (tokens x tokens) products, which are smaller than the (dim x dim) covariance. Their
    arbitrary sign is chosen so that the first of the tokens with the largest weight has a positive one.

    Prefer it over `embedding_dropout` and the cutoffs to shift a sentence without setting any number to zero; it costs an
    eigendecomposition per sentence.

    >>> import torch
    >>> states = torch.tensor([[[2.0, 5.0], [0.0, 5.0]]])  # they differ in the first dimension: e = (1, 0), l = 2
    >>> moved, mask = pca_jitter(states, torch.ones(1, 2, dtype=torch.long), generator=torch.Generator().manual_seed(0))
    >>> shift = moved - states
    >>> bool(shift[0, 0, 0] != 0), shift[0, :, 1].tolist()
    (True, [0.0, 0.0])
    """
    import torch

    with torch.no_grad(), torch.autocast(states.device.type, enabled=False):
        real = mask.bool()
        alpha = scale * torch.randn(len(states), generator=generator, device=states.device)
        lengths = real.sum(dim=1).clamp_min(1)
        wide = states.float().masked_fill(~real[:, :, None], 0.0)
        centred = wide - wide.sum(dim=1, keepdim=True) / lengths[:, None, None]
        centred = centred.masked_fill(~real[:, :, None], 0.0)
        sigma = (centred.square().sum(dim=(1, 2)) / (lengths * states.shape[2])).sqrt()
        # Rounding errors of tokens that are all the same are not a direction.
        alike = sigma <= 1e-6 * wide.abs().amax(dim=(1, 2))
        rows = centred / sigma.masked_fill(alike, 1.0)[:, None, None]
        values, left = torch.linalg.eigh(rows @ rows.transpose(1, 2) / lengths[:, None, None])
        weight = left.abs()
        first = (weight >= 0.999 * weight.amax(dim=1, keepdim=True)).int().argmax(dim=1, keepdim=True)
        left = left * left.gather(1, first).sign()
        # e_k = rows^T u_k / sqrt(tokens * l_k), so l_k e_k needs no division by an eigenvalue that may be 0.
        mixed = (left * values.clamp_min(0.0).sqrt()[:, None, :]).sum(dim=2)
        direction = (rows * mixed[:, :, None]).sum(dim=1) / lengths.sqrt()[:, None]
        shift = ((alpha * sigma).masked_fill(alike, 0.0)[:, None] * direction)[:, None, :] * real[:, :, None]
    return torch.where(real[:, :, None], states + shift.to(states.dtype), states), mask


METHOD = Method(
    pca_jitter,
    title="PCA jitter",
    source="Ye, Kim and Oh 2021 (EfficientCL), https://aclanthology.org/2021.emnlp-main.138",
    tags={"class": "preserving", "role": "positive"},
    formula=r"x_t + \sigma \alpha \sum_k \lambda_k e_k,\quad \alpha \sim \mathcal{N}(0, s^2)",
)
