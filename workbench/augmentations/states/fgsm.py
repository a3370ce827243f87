"""Adversarial noise of a fixed size in every dimension: only the signs of the gradient matter."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor


def fgsm(
    states: "Float[Tensor, 'batch tokens dim']",
    mask: "Int[Tensor, 'batch tokens']",
    gradient: "Float[Tensor, 'batch tokens dim']",
    *,
    epsilon: Annotated[float, Knob(0.001, 1.0, 0.001, "Size of the step in every dimension.")] = 0.01,
    generator: "Generator",
) -> "tuple[Float[Tensor, 'batch tokens dim'], Int[Tensor, 'batch tokens']]":
    """`states` with `epsilon` added to or subtracted from each number of a real token, by the sign of a supervised gradient.

    A token's step has length epsilon * sqrt(dim) where no entry of its gradient is zero; the mask stays. `gradient` is treated
    as a constant. Nothing is random.

    Prefer it over `fgv` to move every dimension by the same amount, however small its gradient. Both need a supervised loss
    and a further backward pass.

    >>> import torch
    >>> states, mask = torch.zeros(1, 1, 3), torch.ones(1, 1, dtype=torch.long)
    >>> fgsm(states, mask, torch.tensor([[[3.0, 0.0, -1e-9]]]), epsilon=0.5, generator=torch.Generator())[0].tolist()
    [[[0.5, 0.0, -0.5]]]
    """
    import torch

    step = epsilon * gradient.detach().sign()
    return torch.where(mask.bool()[:, :, None], states + step.to(states.dtype), states), mask


METHOD = Method(
    fgsm,
    title="Adversarial noise by signs (FGSM)",
    source="Goodfellow, Shlens and Szegedy 2015, arXiv:1412.6572",
    inputs=("gradient",),
    tags={"class": "preserving", "role": "positive"},
    formula=r"x_t + \epsilon\, \mathrm{sign}(g_t)",
)
