"""SCD: two dropout views repel each other, while their projections are made to agree and their dimensions to decorrelate."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method
from workbench.objectives._checks import check_rows, check_width

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def scd(
    encoder: "Encoder",
    *,
    alpha: Annotated[float, Knob(0.0, 10.0, 0.1, "Weight of the repulsion.")] = 1.0,
    beta: Annotated[float, Knob(0.0, 1.0, 0.0001, "Weight of the decorrelation.")] = 0.005225,
    off_diagonal: Annotated[float, Knob(0.0, 1.0, 0.001, "Weight, in it, of pairs of dimensions: lambda.")] = 0.012,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Divides the cosine.")] = 0.05,
    sizes: Annotated[str, Knob(help="Layers of the projector, joined by dashes.")] = "4096-4096-4096",
) -> "nn.Module":
    """alpha times the mean cosine of a text's two views, divided by the temperature, plus beta times the decorrelation.

    The sign is intended: the views, encoded with two dropout rates, push each other apart, and only the projections, whose
    cross-correlation should be the identity, hold them together. There are no negatives. The projector applies batch
    normalisation to each view separately.

    Prefer it over the loss `align_uniform` when no text should act as a negative at all, such as in batches of near copies;
    its result depends on batch normalisation, so batches should not be tiny.
    """
    from torch import nn

    from workbench.heads.projector import projector

    class Scd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.projector = projector(encoder.dim, sizes=sizes)

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            a, b = vectors["a"], vectors["b"]
            check_rows("scd", len(a))
            check_width("scd", a, encoder.dim)
            repulsion = nn.functional.cosine_similarity(a, b).mean() / temperature
            apart = decorrelation(self.projector(a), self.projector(b), off_diagonal=off_diagonal)
            return alpha * repulsion + beta * apart, {"repulsion": repulsion, "decorrelation": apart}

    return Scd()


def decorrelation(
    a: "Float[Tensor, 'batch dim']", b: "Float[Tensor, 'batch dim']", *, off_diagonal: float
) -> "Float[Tensor, '']":
    """Squared distance of the cross-correlation, (dim, dim), from the identity, off-diagonal entries times `off_diagonal`.

    >>> import torch
    >>> signs = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> decorrelation(signs, signs, off_diagonal=1.0).item()
    0.0
    """
    import torch

    correlation = a.T @ b / len(a)
    own = torch.diagonal(correlation)
    same = (own - 1).square().sum()
    return same + off_diagonal * (correlation.square().sum() - own.square().sum())


METHOD = Method(
    scd,
    title="SCD, self-contrastive decorrelation",
    source="Klein and Nabi 2022, SCD, https://aclanthology.org/2022.acl-short.44; signs and numbers from the authors' code",
    inputs=("a", "b"),
    tags={"normalised": "view"},
    formula=r"\mathcal{L} = \frac{\alpha}{N} \sum_i \frac{\cos(z_i, z'_i)}{\tau} + \beta \left[ \sum_k (C_{kk} - 1)^2 + "
    r"\lambda \sum_{k \neq l} C_{kl}^2 \right],\quad C = \frac{1}{N} P(z)^\top P(z')",
)
