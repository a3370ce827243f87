"""Adversarial noise of a fixed length: every token moves one step that increases the loss."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def fgv(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    gradient: "Float[Tensor, 'batch tokens dim']",
    *,
    epsilon: Annotated[float, Knob(0.01, 5.0, 0.01, "Length of every token's step.")] = 1.0,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with a step of length `epsilon` added to each real token, along its gradient of a supervised loss.

    `gradient` is treated as a constant. Tokens with a zero gradient stay, and so does the mask. Nothing is random. ConSERT's
    slides add the plain gradient; its code divides by the norm, as here.

    Prefer it over `fgsm` to keep the direction of the gradient, and over random noise where labels give a supervised loss.

    >>> import torch
    >>> states, mask = torch.zeros(1, 1, 2), torch.ones(1, 1, dtype=torch.long)
    >>> fgv(states, mask, torch.tensor([[[3.0, 4.0]]]), epsilon=1.0, generator=torch.Generator())[0].tolist()
    [[[0.6000000238418579, 0.800000011920929]]]
    """
    import torch

    wide = gradient.detach().float()
    step = epsilon * wide / (torch.linalg.vector_norm(wide, dim=2, keepdim=True) + 1e-10)
    return torch.where(mask.bool()[:, :, None], states + step.to(states.dtype), states), mask


METHOD = Method(
    fgv,
    title="Adversarial noise, fixed length (FGV)",
    source="Miyato, Dai and Goodfellow 2017, arXiv:1605.07725; in ConSERT, Yan et al. 2021",
    inputs=("gradient",),
    tags={"class": "preserving", "role": "positive"},
    formula=r"x_t + \epsilon\, g_t / \lVert g_t \rVert_2",
)
