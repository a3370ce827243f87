"""How far two judges agree beyond what chance would give."""

from collections.abc import Sequence


def kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two judges on the same things: 1 is always agreeing, 0 no more than by chance.

    None where it is not defined: on nothing, or where both used one and the same word throughout.

    >>> kappa(["same", "same", "changed", "changed"], ["same", "same", "changed", "same"])  # (.75 - .5) / (1 - .5)
    0.5
    """
    if len(set(first) | set(second)) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(list(first), list(second)))
