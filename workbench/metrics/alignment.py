"""Alignment: how close the two texts of a positive pair are."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics._rows import check_pair, check_vectors


def alignment(
    a: NDArray[np.floating],
    b: NDArray[np.floating],
    *,
    power: Annotated[float, Knob(1.0, 4.0, 0.5, "Exponent of the distance between the two texts of a pair.")] = 2.0,
) -> float:
    """Mean distance, to the power of `power`, between row i of `a` and row i of `b` after normalising; lower is better.

    In 0..4 for power 2, where it is the mean of 2 - 2 cosine. The caller decides which pairs are positive, and values are
    comparable only for the same choice: the workbench takes pairs with gold above four fifths of its highest score, on STS-B
    gold > 4, as SimCSE is recalled to do (not checked against its paper); the code of SCD takes >= 4.

    Prefer it over `uniformity` to see whether pairs of the same meaning are close; read both together, since a collapsed space
    has alignment 0.

    Raises:
        BadData: no pair, sets that are not row-aligned, or a number that is not finite.

    >>> alignment(np.array([[1.0, 0.0]]), np.array([[0.0, 3.0]]))
    2.0
    """
    check_pair(a, b, "alignment")
    first = unit_rows(check_vectors(a, "alignment", least=1).astype(np.float64))
    second = unit_rows(check_vectors(b, "alignment", least=1).astype(np.float64))
    squared = np.square(first - second).sum(axis=1)
    return float((squared ** (power / 2)).mean())


METHOD = Method(
    alignment,
    title="Alignment",
    source="Wang and Isola 2020, arXiv:2005.10242",
    formula=r"\ell_{\mathrm{align}} = \mathbb{E}_{(x, x^+)} \lVert f(x) - f(x^+) \rVert^{\alpha}",
    tags={"direction": "lower is better", "inputs": "pairs"},
)
