"""Wilson's interval of a share: it stays within 0 to 1 and is useful for 0 of n as well."""

from statistics import NormalDist

from workbench.core.errors import BadData
from workbench.statistics.bootstrap import Interval


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The interval of the true share, given `successes` of `n` independent draws; 0 to 1 without draws.

    Raises:
        BadData: a negative number of successes, or more of them than draws.

    >>> low, high = wilson(8, 10, level=0.6826894921)  # z = 1: (.8 + .05 -+ sqrt(.016 + .0025)) / 1.1
    >>> round(low, 4), round(high, 4)
    (0.6491, 0.8964)
    """
    if not 0 <= successes <= n:
        raise BadData("A share needs from 0 to n successes.", got=f"{successes} of {n}")
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    middle = share + z * z / (2 * n)
    spread = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    low, high = (middle - spread) / scale, (middle + spread) / scale
    # The exact ends of the formula at 0 and n successes, without rounding errors.
    return Interval(0.0 if successes == 0 else low, 1.0 if successes == n else high)
