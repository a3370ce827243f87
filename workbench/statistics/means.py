"""Bootstrap intervals of means."""

import numpy as np
from numpy.typing import ArrayLike

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import Interval, resampled


def mean_interval(values: ArrayLike, *, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> Interval:
    """Percentile interval of the mean over resampled values.

    Raises:
        BadData: no value, or one that is not finite.

    >>> mean_interval([2.0, 2.0, 2.0])  # the same in every resample
    Interval(low=2.0, high=2.0)
    """
    return mean_intervals(np.asarray(values, dtype=np.float64)[:, None], resamples=resamples, seed=seed, level=level)[0]


def mean_intervals(columns: ArrayLike, *, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> list[Interval]:
    """One interval for each column of a table (rows, columns); the rows are resampled together.

    Raises:
        BadData: no row, or a value that is not finite.
    """
    table = np.asarray(columns, dtype=np.float64)
    if not np.isfinite(table).all():
        raise BadData("A mean needs finite numbers.")
    means = np.concatenate([counts.T @ table / len(table) for counts in resampled(len(table), resamples, seed)])
    ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return [Interval(float(low), float(high)) for low, high in ends.T]
