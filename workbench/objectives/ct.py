"""Contrastive Tension: two encoders with the same initial weights learn to agree on equal texts and disagree on others."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from workbench.core.device import placed
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.losses._rows import unit_rows
from workbench.models.computing import states_of
from workbench.objectives._checks import check_rows

if TYPE_CHECKING:
    from torch import Generator, Tensor, nn

    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def ct(
    encoder: "Encoder",
    *,
    form: Annotated[
        Literal["pairs", "in_batch"], Knob(help="pairs: the paper's. in_batch: all texts of the batch are negatives.")
    ] = "pairs",
    negatives: Annotated[int, Knob(1, 63, 1, "Pairs of two texts for each pair of a text with itself.")] = 7,
    keep: Annotated[
        Literal["better", "second"],
        Knob(
            help="better: whichever encoder the selection prefers, as the authors do. second: as sentence-transformers."
        ),
    ] = "better",
    total: Annotated[bool, Knob(help="Sum over the pairs, as in sentence-transformers. Off: the mean.")] = False,
) -> "nn.Module":
    """Mean of softplus(-z) over pairs of a text with itself and softplus(z) over pairs of two texts, z a dot product; in nats.

    z is the dot product of the vectors of two encoders, which start with the same weights and share none. Metric curves
    show the second encoder; the model kept as the best is whichever of the two the run's selection prefers, as in the
    official code, or always the second, as in sentence-transformers. Every row of the batch is the first text of one pair:
    every (negatives + 1)th is paired with itself, the others with a text drawn at random from the batch, which is drawn
    again if it is equal. The dropout of the first encoder is off; that of the second is a setting of the view, which the
    recipe turns off too.

    `in_batch` is the variant of sentence-transformers: symmetric cross-entropy over cosines, with a trained scale that
    starts at 20. A head on one of the encoders would make them differ from the first step, so none is allowed.

    Prefer it over the loss `infonce_nn` to reproduce Contrastive Tension; it trains two encoders, so it takes twice the
    memory of the weights. `in_batch` uses all texts of a batch as negatives where the original form draws a few.

    Raises:
        BadData: a batch with fewer than two different texts.
    """
    import copy
    import math

    import torch
    from torch import nn

    class Tension(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.twin = copy.deepcopy(encoder.backbone).requires_grad_(True)
            if form == "in_batch":
                self.log_scale = nn.Parameter(torch.tensor(math.log(20.0)))

        def rivals(self) -> "dict[str, Backbone]":
            return {"first": self.twin} if keep == "better" else {}

        def first(self, batch: "Batch") -> "Tensor":
            self.twin.eval()
            own = copy.copy(encoder)  # pooling by the pre-trained pooler or by static vectors has weights too
            own.backbone = self.twin
            every = encoder.reads(batch.pooling) != "last"

            def encode(ids: "Tensor", mask: "Tensor") -> "Tensor":
                with batch.precise():
                    hidden = states_of(self.twin, ids, mask, every_layer=every)
                    vectors: Tensor = own.pool(tuple(layer.float() for layer in hidden), ids, mask, batch.pooling)
                return vectors.float()

            found: Tensor = batch.apart(encode, *batch.tokens("a"))
            return found

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            second, first, texts = vectors["a"], self.first(batch), batch.texts("a")
            check_rows("ct", len(texts))
            if form == "in_batch":
                logits = unit_rows(first) @ unit_rows(second).T * self.log_scale.exp()
                own = torch.arange(len(texts), device=logits.device)
                loss = nn.functional.cross_entropy
                return (loss(logits, own) + loss(logits.T, own)) / 2, {"scale": self.log_scale.exp()}
            others = partners(texts, negatives, batch.generator)
            same = placed(others == np.arange(len(others)), first.device)
            z = (first * second[placed(others, first.device)]).sum(dim=1)
            each = nn.functional.binary_cross_entropy_with_logits(z, same.to(z.dtype), reduction="none")
            return each.sum() if total else each.mean(), {"right": ((z > 0) == same).float().mean()}

    return Tension()


def partners(texts: list[str], negatives: int, generator: "Generator") -> np.ndarray:
    """The index of the second text for each row: its own for every (negatives + 1)th row, else that of a different text.

    Raises:
        BadData: all texts are equal.
    """
    import torch

    if len(set(texts)) < 2:
        raise BadData(
            "ct got a batch of equal texts.", rule="A negative pair has two.", way_out="Raise the batch size."
        )
    if generator.device.type != "cpu":  # each draw would wait for the GPU
        generator = torch.Generator().manual_seed(generator.initial_seed())
    found = []
    for row, text in enumerate(texts):
        other = row
        while row % (negatives + 1) and texts[other] == text:
            other = int(torch.randint(len(texts), (), generator=generator))
        found.append(other)
    return np.array(found)


METHOD = Method(
    ct,
    title="Contrastive Tension",
    source="Carlsson et al. 2021, Semantic Re-tuning with Contrastive Tension, ICLR; binary cross-entropy as in their code",
    inputs=("a",),
    tags={"head": "none", "negatives": "N - 1 at most"},
    formula=r"\mathcal{L} = \frac{1}{N} \sum_i \begin{cases} \log(1 + e^{-z_i}) & s_i = s'_i \\ "
    r"\log(1 + e^{z_i}) & s_i \neq s'_i \end{cases},\quad z_i = f_1(s_i)^\top f_2(s'_i)",
)
