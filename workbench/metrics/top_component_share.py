"""Share of the top component: how much of the squared length lies along one direction."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.metrics._rows import singular_values


def top_component_share(
    vectors: NDArray[np.floating],
    *,
    centred: Annotated[bool, Knob(help="Subtract the mean vector first.")] = False,
) -> float:
    """First squared singular value over the sum of all: 1 is a line, 1/d a flat spectrum; lower is more isotropic.

    Uncentred, a narrow cone has a share near 1, because its mean direction is the first component.

    Prefer it over `effective_rank` and `participation_ratio` to see whether a single direction dominates: it says nothing
    about how the others share the rest.

    Raises:
        BadData: fewer than two rows, only zeros (or, when centred, all rows the same), or a number that is not finite.

    >>> top_component_share(np.diag([2.0, 1.0]))  # 4 / (4 + 1)
    0.8
    """
    return of_singular_values(singular_values(vectors, "top_component_share", centred=centred))


def of_singular_values(values: NDArray[np.float64]) -> float:
    """`top_component_share` of vectors with these singular values, largest first, which are not all zero."""
    powers = np.square(values)
    return float(powers[0] / powers.sum())


METHOD = Method(
    top_component_share,
    title="Share of the top component",
    source="Mu and Viswanath 2018, All-but-the-top, arXiv:1702.01417",
    formula=r"s_1^2 / \textstyle\sum_i s_i^2",
    tags={"direction": "lower is more isotropic", "inputs": "vectors"},
)
