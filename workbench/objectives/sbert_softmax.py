"""SBERT's training on labelled pairs: a linear layer predicts the label from both vectors and their difference."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.objectives._checks import check_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def sbert_softmax(
    encoder: "Encoder",
    *,
    classes: Annotated[int, Knob(2, 100, 1, "Labels; in NLI contradiction 0, entailment 1, neutral 2.")] = 3,
    product: Annotated[bool, Knob(help="Also give the product of the vectors, element by element.")] = False,
    maximum: Annotated[bool, Knob(help="Also give the squared larger element, as in ConSERT's code.")] = False,
) -> "nn.Module":
    """Mean cross-entropy, in nats, of predicting a pair's label from [u; v; |u - v|] with one linear layer.

    ConSERT's paper describes these three blocks; all of its published scripts add `maximum` as a fourth.

    Prefer it over the loss `simcse_sup` when pairs have classes that do not form triplets, such as neutral; where each text
    has an entailment and a contradiction, `simcse_sup` compares vectors as they will be used, by cosine.

    Raises:
        BadData: a label is not among the classes; raised before the first step.
    """
    import torch
    from torch import nn

    class Softmax(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear((3 + product + maximum) * encoder.dim, classes)

        def check(self, numbers: "Mapping[str, numpy.ndarray]") -> None:
            low, high = numbers["label"].min(), numbers["label"].max()
            if low < 0 or high >= classes:
                raise BadData(
                    f"sbert_softmax has {classes} labels, numbered from 0.",
                    got=f"{low:g} to {high:g}",
                    way_out="Set `classes` to the number of labels in the corpus.",
                )

        def features(self, u: "Tensor", v: "Tensor") -> "Tensor":
            blocks = [u, v, (u - v).abs()]
            blocks += [u * v] * product + [torch.maximum(u, v).square()] * maximum
            return torch.cat(blocks, dim=1)

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            check_width("sbert_softmax", vectors["a"], encoder.dim)
            labels: Tensor = batch.numbers["label"].long()
            logits = self.linear(self.features(vectors["a"], vectors["b"]))
            right = (logits.argmax(dim=1) == labels).float().mean()
            return nn.functional.cross_entropy(logits, labels), {"accuracy": right}

    return Softmax()


METHOD = Method(
    sbert_softmax,
    title="SBERT, softmax over labels of pairs",
    source="Reimers and Gurevych 2019, Sentence-BERT, EMNLP; numbering of labels from sentence-transformers",
    inputs=("a", "b"),
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_i \log \mathrm{softmax}\left(W [u_i;\, v_i;\, |u_i - v_i|] + b\right)_{y_i}",
    tags={"numbers": "label"},
)
