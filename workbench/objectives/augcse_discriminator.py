"""AugCSE's discriminator: predicts from two vectors which augmentation made the second; the encoder learns to hide it."""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core.device import placed
from workbench.core.errors import BadSetting
from workbench.core.method import Knob, Method
from workbench.objectives._checks import check_width

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn
    from torch.autograd.function import FunctionCtx

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch

    class Passing(FunctionCtx):
        """What the backward pass keeps from the forward pass."""

        alpha: float


NONE = "none"


def augcse_discriminator(
    encoder: "Encoder",
    *,
    kinds: Annotated[str, Knob(help="Names of the augmentations, joined by spaces; empty: those of the view.")] = "",
    alpha: Annotated[
        float, Knob(-10.0, 10.0, 0.1, "How strongly the encoder works against it; below 0 both work together.")
    ] = 1.0,
    layers: Annotated[int, Knob(1, 6, 1, "Dense layers.")] = 2,
    width: Annotated[int, Knob(1, 16, 1, "Size of the hidden layers, in multiples of the vector's own.")] = 4,
    dropout: Annotated[float, Knob(0.0, 0.9, 0.05, "Rate before each dense layer.")] = 0.2,
    tanh: Annotated[bool, Knob(help="Logits go through tanh, as in the authors' code. Off: plain logits.")] = True,
) -> "nn.Module":
    """Mean binary cross-entropy, in nats, over all texts and classes: one class per augmentation and a last one for none.

    Its input is the vector of the original followed by that of the augmented text. A text that the augmentation left
    unchanged or made empty belongs to the last class. The gradient reaches the encoder multiplied by -alpha, so the encoder
    learns to make augmentations indistinguishable while the discriminator learns to tell them apart. With
    `tanh` the value is between ln(1 + 1/e) = 0.3133 and 1.3133. The weight of the term is the paper's lambda, .005. The sign
    is missing in the printed equation 2 of the paper.

    Prefer it over the loss `augcse_neg` when augmented texts should stay neutral, neither positives nor negatives: it only
    asks the encoder not to show which augmentation was used. Add it to a contrastive loss.

    Raises:
        BadSetting: there is no augmentation to tell apart.
    """
    import torch
    from torch import nn

    names = kinds.split()
    if not names:
        raise BadSetting(
            "augcse_discriminator has no augmentations to distinguish.", way_out="Augment its second view."
        )

    class Discriminator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            sizes = [2 * encoder.dim, *[width * encoder.dim] * (layers - 1), len(names) + 1]
            parts: list[nn.Module] = []
            for before, after in pairwise(sizes):
                parts += [nn.Dropout(dropout), nn.Linear(before, after), nn.Tanh()]
            self.layers = nn.Sequential(*(parts if tanh else parts[:-1]))

        def logits(self, a: "Tensor", augmented: "Tensor") -> "Tensor":
            found: Tensor = self.layers(torch.cat([a, augmented], dim=1))
            return found

        def classes(self, labels: list[str], texts: list[str]) -> np.ndarray:
            known = {name: number for number, name in enumerate(names)} | {NONE: len(names)}
            for label in labels:
                if label not in known:
                    raise BadSetting(
                        f"augcse_discriminator has no class for {label!r}.",
                        got=kinds,
                        way_out="Leave `kinds` empty, or name it there.",
                    )
            shown = [label if text.strip() else NONE for label, text in zip(labels, texts, strict=True)]
            return np.array([known[label] for label in shown])

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            a, augmented = vectors["a"], vectors["augmented"]
            check_width("augcse_discriminator", a, encoder.dim)
            wanted = placed(self.classes(batch.labels("augmented"), batch.texts("augmented")), a.device)
            logits = self.logits(reversed_gradient(a, alpha), reversed_gradient(augmented, alpha))
            exact = nn.functional.one_hot(wanted, len(names) + 1).to(logits.dtype)
            found = logits.argmax(dim=1)
            figures = {
                "accuracy": (found == wanted).float().mean(),
                "said_none": (found == len(names)).float().mean(),
            }
            return nn.functional.binary_cross_entropy_with_logits(logits, exact), figures

    return Discriminator()


def reversed_gradient(values: "Tensor", alpha: float) -> "Tensor":
    """`values`, unchanged; their gradient is multiplied by -alpha in the backward pass.

    >>> import torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> (3 * reversed_gradient(x, 0.5)).backward()
    >>> x.grad.item()
    -1.5
    """
    found: Tensor = _reversal().apply(values, alpha)
    return found


def _reversal() -> "type[torch.autograd.Function]":
    import torch

    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(ctx: "Passing", values: "Tensor", alpha: float) -> "Tensor":
            ctx.alpha = alpha
            return values.view_as(values)

        @staticmethod
        def backward(ctx: "Passing", given: "Tensor") -> "tuple[Tensor, None]":
            return -ctx.alpha * given, None

    return Reversal


METHOD = Method(
    augcse_discriminator,
    title="AugCSE's discriminator of augmentations",
    source="Tang, Kocyigit and Wijaya 2022, AugCSE, arXiv:2210.13749, equation 2; layers from the authors' code",
    inputs=("a", "augmented"),
    formula=r"\mathcal{L}_D = -\frac{1}{N(K+1)} \sum_{n,i} \left[ y_{ni} \log p_{ni} + (1 - y_{ni}) \log (1 - p_{ni}) \right],"
    r"\quad p = \sigma\left(D\left([z;\, z^{\mathrm{aug}}]\right)\right),\quad "
    r"\partial z \leftarrow -\alpha\, \partial z",
    tags={"kinds": "augmented", "gradient": "reversed"},
)
