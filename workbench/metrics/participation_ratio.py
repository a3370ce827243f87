"""Participation ratio: how many directions share the variance."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.metrics._rows import singular_values


def participation_ratio(
    vectors: NDArray[np.floating],
    *,
    centred: Annotated[bool, Knob(help="Subtract the mean vector first.")] = False,
) -> float:
    """Square of the sum of the squared singular values over the sum of their squares: 1 is a line, d a flat spectrum.

    Prefer it over `effective_rank` to count the directions that hold most of the variance: weak ones hardly change it.

    Raises:
        BadData: fewer than two rows, only zeros (or, when centred, all rows the same), or a number that is not finite.

    >>> round(participation_ratio(np.diag([2.0, 1.0])), 2)  # (4 + 1)^2 / (16 + 1)
    1.47
    """
    return of_singular_values(singular_values(vectors, "participation_ratio", centred=centred))


def of_singular_values(values: NDArray[np.float64]) -> float:
    """`participation_ratio` of vectors with these singular values, which are not all zero."""
    powers = np.square(values)
    return float(powers.sum() ** 2 / np.square(powers).sum())


METHOD = Method(
    participation_ratio,
    title="Participation ratio",
    source="Gao et al. 2017, A theory of multineuronal dimensionality, doi:10.1101/214262",
    formula=r"\frac{\left(\sum_i \lambda_i\right)^2}{\sum_i \lambda_i^2},\quad \lambda_i = s_i^2",
    tags={"direction": "higher uses more directions", "inputs": "vectors"},
)
