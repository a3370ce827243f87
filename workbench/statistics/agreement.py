"""Agreement of two judges beyond chance."""

from collections.abc import Sequence


def kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two judges on the same items, in -1..1: 1 is full agreement, 0 no more than by chance.

    None where it is undefined: without items, or if both judges always gave the same single verdict.

    >>> kappa(["same", "same", "changed", "changed"], ["same", "same", "changed", "same"])  # (.75 - .5) / (1 - .5)
    0.5
    """
    if len(set(first) | set(second)) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(list(first), list(second)))
