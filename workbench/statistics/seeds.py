"""Spread over seeds: a result is the distribution over runs that differ only in their seed."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from workbench.core.errors import BadData


class OverSeeds(NamedTuple):
    """Mean, sample standard deviation (ddof 1), and the t interval of the mean; NaN with a single run."""

    n: int
    mean: float
    sd: float
    low: float
    high: float


def over_seeds(values: ArrayLike, *, level: float = 0.95) -> OverSeeds:
    """Mean over runs, with their standard deviation and the interval of the mean by Student's t.

    Raises:
        BadData: no value, or one that is not finite.

    >>> [round(number, 3) for number in over_seeds([1.0, 2.0, 3.0])]  # t of 2 degrees of freedom is 4.303
    [3, 2.0, 1.0, -0.484, 4.484]
    """
    runs = np.asarray(values, np.float64).ravel()
    if not len(runs) or not np.isfinite(runs).all():
        raise BadData("A spread over seeds needs at least one finite score.", got=str(runs.tolist())[:80])
    mean = float(runs.mean())
    if len(runs) == 1:
        return OverSeeds(1, mean, math.nan, math.nan, math.nan)
    from scipy.special import stdtrit  # the t quantile, without the slow import of scipy.stats

    sd = float(runs.std(ddof=1))
    half = float(stdtrit(len(runs) - 1, (1 + level) / 2)) * sd / math.sqrt(len(runs))
    return OverSeeds(len(runs), mean, sd, mean - half, mean + half)
