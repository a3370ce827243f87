"""The smallest difference that a comparison could have found, and what it would take to find a smaller one.

Both follow from standard errors alone. A power computed from the difference that was observed says nothing that its p does not
say (Hoenig and Heisey 2001).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.errors import BadSetting
from workbench.statistics.pairs_and_seeds import Parts, freedom_of, largest_variance

POWER, ALPHA = 0.8, 0.05
MOST_SEEDS, MOST_PAIRS = 1000, 10_000_000
NORMAL = 1000.0
"""With more degrees of freedom the two distributions are the same to three digits."""
HALVINGS = 40


@dataclass(frozen=True)
class Needed:
    """What a comparison needs to find a difference: more of one, with the other as it was. None: no number is enough."""

    pairs: int | None
    seeds: int | None
    """On either side; at least 2, since one has no spread."""


def smallest_detectable(
    error: float, freedom: float = math.inf, *, power: float = POWER, alpha: float = ALPHA
) -> float:
    """The true difference that a two-sided test at `alpha` finds with that power, given its standard error: by the noncentral t
    distribution where the error is estimated from few seeds.

    >>> round(smallest_detectable(1.0), 3)  # 1.960 + 0.842
    2.802
    """
    from scipy.special import nctdtr, stdtrit

    if not 0 < alpha < power < 1:
        raise BadSetting(
            "A power is above the level of its test, and both are between 0 and 1.", got=f"{power}, {alpha}"
        )
    limit = float(stdtrit(freedom, 1 - alpha / 2))
    low, high = 0.0, limit + float(stdtrit(freedom, power))
    if math.isinf(freedom) or freedom > NORMAL:
        return high * error
    while 1 - nctdtr(freedom, high, limit) < power:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if 1 - nctdtr(freedom, middle, limit) >= power else (middle, high)
    return high * error


def needed(parts: Parts, pairs: int, difference: float, *, alpha: float = ALPHA) -> Needed:
    """Pairs, with the seeds on either side as they were, and seeds, with `pairs` as there were, that would find `difference` by a
    test at `alpha`.

    The variance over pairs is inversely proportional to their number, and that over seeds, taken at its upper limit, to theirs.
    With one seed on either side nothing is known of the spread over seeds: no number of seeds can then be named, and the number
    of pairs holds for these trainings only.

    Raises:
        BadSetting: a difference that is not above 0.
    """
    if not difference > 0:
        raise BadSetting("A difference to be found is above 0.", got=f"{difference:g}")

    limits = [largest_variance(1.0, freedom) for _, freedom in parts.of_seeds]

    def enough(of_pairs: float, of_seeds: tuple[tuple[float, int], ...]) -> bool:
        error = math.sqrt(
            of_pairs + sum(limit * variance for limit, (variance, _) in zip(limits, of_seeds, strict=True))
        )
        freedom = freedom_of(of_pairs, of_seeds)
        return smallest_detectable(error, freedom, alpha=alpha) <= difference

    def with_pairs(count: int) -> bool:
        return enough(parts.of_pairs * pairs / count, parts.of_seeds)

    def with_seeds(count: int) -> bool:
        return enough(
            parts.of_pairs,
            tuple((variance * (freedom + 1) / count, count - 1) for variance, freedom in parts.of_seeds),
        )

    return Needed(
        _least(with_pairs, 2, MOST_PAIRS),
        _least(with_seeds, 2, MOST_SEEDS) if parts.of_seeds else None,
    )


def _least(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """The smallest count from `least` on that is enough, by doubling and then bisection; None if `most` is not."""
    low, high = least, least
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
