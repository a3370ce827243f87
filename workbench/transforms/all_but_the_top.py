"""All-but-the-top: remove the mean and the few directions of largest variance."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def all_but_the_top(
    *,
    directions: Annotated[
        int,
        Knob(
            -1,
            100,
            1,
            "Directions removed; -1 removes a hundredth of the dimensions, rounded; 0 only centres.",
            special=(-1, "a hundredth of the dimensions"),
        ),
    ] = -1,
) -> "TransformerMixin":
    """A transformer that subtracts the mean and the part of each vector along the directions of largest variance.

    Vectors (n, dim) keep their dimensions and dtype. Made for word vectors, whose top directions encode word frequency.

    Prefer it over `whitening` to change a few directions only and leave the others as they are; over `centre` where single
    directions dominate after the mean is removed.

    >>> import numpy as np
    >>> corners = np.array([[3.0, 1.0], [3.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> all_but_the_top(directions=1).fit(corners).transform(corners).round(9).tolist()
    [[0.0, 1.0], [0.0, -1.0], [0.0, 1.0], [0.0, -1.0]]
    """
    from workbench.transforms._rotations import AllButTheTop

    return AllButTheTop(directions=directions)


METHOD = Method(
    all_but_the_top,
    title="All but the top directions",
    source="Mu and Viswanath 2018, All-but-the-top, arXiv:1702.01417",
    formula=r"x' = (x - \mu) - \sum_{i \le D} \left(u_i^{\top} (x - \mu)\right) u_i",
    tags={"fitted": "yes", "done": "top directions removed", "texts": "dimensions"},
)
