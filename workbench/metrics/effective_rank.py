"""Effective rank: how many directions the spectrum uses."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.metrics._rows import singular_values


def effective_rank(
    vectors: NDArray[np.floating],
    *,
    centred: Annotated[bool, Knob(help="Subtract the mean vector first.")] = False,
) -> float:
    """Exponential of the entropy of the singular values' shares: 1 is a line, d is a flat spectrum.

    Prefer it over `participation_ratio` to let weak directions count more: it weighs singular values, not their squares.

    Raises:
        BadData: fewer than two rows, only zeros (or, when centred, all rows the same), or a number that is not finite.

    >>> round(effective_rank(np.eye(5)), 6)
    5.0
    """
    return of_singular_values(singular_values(vectors, "effective_rank", centred=centred))


def of_singular_values(values: NDArray[np.float64]) -> float:
    """`effective_rank` of vectors with these singular values, which are not all zero."""
    share = values[values > 0] / values.sum()
    return float(np.exp(-(share * np.log(share)).sum()))


METHOD = Method(
    effective_rank,
    title="Effective rank",
    source="Roy and Vetterli 2007, The effective rank: a measure of effective dimensionality",
    formula=r"e^{-\sum_i p_i \ln p_i},\quad p_i = s_i / \textstyle\sum_j s_j",
    tags={"direction": "higher uses more directions", "inputs": "vectors"},
)
