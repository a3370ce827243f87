"""Triplet margin: the negative must be farther away than the partner by a margin."""

from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.losses._rows import check_views, cosines, full_precision, wide
from workbench.losses._verified import Verified

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def triplet(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    negatives: "Float[Tensor, 'batch dim']",
    *,
    distance: Annotated[
        Literal["euclidean", "cosine"], Knob(help="euclidean: of the vectors as they are. cosine: 1 - cosine.")
    ] = "euclidean",
    margin: Annotated[
        float, Knob(0.0, 20.0, 0.05, "How much farther the negative must be: 5 is usual for euclidean, 0.1 for cosine.")
    ] = 5.0,
) -> "Float[Tensor, '']":
    """Mean of max(0, distance(a, b) - distance(a, negatives) + margin), row by row.

    The euclidean distance is of the vectors as they are, so its margin is in the units of the backbone's vectors. Other
    texts of the batch are not used. Where two rows coincide, their distance has gradient 0.

    Prefer it over `simcse_sup` when the other texts of a batch may be positives, or batches are tiny; otherwise
    `simcse_sup` learns from many more negatives for the same encoding cost.

    Raises:
        BadData: views of different shapes.
        BadSetting: a margin above 2 for the cosine distance, which no triplet can satisfy.

    >>> import torch
    >>> origin, near, far = (torch.tensor([[x, 0.0]]) for x in (0.0, 3.0, 7.0))
    >>> triplet(origin, near, far).item()  # 3 - 7 + 5
    1.0
    """
    import torch

    verify(distance=distance, margin=margin)
    check_views("triplet", a, b, negatives)
    with full_precision(a):
        if distance == "cosine":
            to_partner, to_negative = 1 - cosines(a, b), 1 - cosines(a, negatives)
        else:
            norm = torch.linalg.vector_norm
            to_partner = norm(wide(a) - wide(b), dim=1)
            to_negative = norm(wide(a) - wide(negatives), dim=1)
        return (to_partner - to_negative + margin).relu().mean()


def verify(*, distance: str, margin: float, **_: object) -> None:
    """Refuse a margin that no triplet can ever satisfy.

    Raises:
        BadSetting: the cosine distance with a margin above 2.
    """
    if distance == "cosine" and margin > 2:
        raise BadSetting(
            f"margin cannot be {margin:g} for the cosine distance.",
            rule="Cosine distances lie between 0 and 2.",
            way_out="AugCSE uses 0.1.",
        )


METHOD = Verified(
    triplet,
    title="Triplet margin",
    source="Reimers and Gurevych 2019, Sentence-BERT, arXiv:1908.10084",
    inputs=("negatives",),
    formula=r"\mathcal{L} = \frac{1}{N} \sum_{i=1}^{N} \max\left(0,\; D(a_i, b_i) - D(a_i, n_i) + m\right)",
    tags={
        "direction": "lower is better",
        "negatives": "1",
        "no_softmax": "compares each text only with its own views or negatives",
    },
    verify=verify,
)
