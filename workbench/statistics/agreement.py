"""Agreement of people: of two judges beyond chance, and of each rater with the others, which is the ceiling for an encoder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

LEAST_PAIRS = 5
"""Pairs in common below which a correlation of two people is not computed."""


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


def with_the_others(ratings: "DataFrame") -> "DataFrame":
    """Each rater's Spearman with the mean of all others, on the pairs that both rated: rater, rated, n, rho, low, high.

    Columns of the input: rater, pair, score, one row per rater and pair. `rated` is how many pairs a rater has rated, `n` how
    many of them somebody else has; below `LEAST_PAIRS` the others are nan. `low` and `high` are the 95 % bootstrap interval.
    The mean of `rho` is how well one person predicts the others: a ceiling for what an encoder can be asked for, and a low one,
    since the mean of several people is less noisy than one.
    """
    from pandas import DataFrame

    from workbench.statistics.bootstrap import spearman_interval
    from workbench.statistics.correlation import spearman

    wide = ratings.pivot(index="pair", columns="rater", values="score")
    rows = []
    for rater in wide.columns:
        others = wide.drop(columns=rater).mean(axis=1)
        both = wide[rater].notna() & others.notna()
        row: dict[str, object] = {"rater": rater, "rated": int(wide[rater].notna().sum()), "n": int(both.sum())}
        if both.sum() >= LEAST_PAIRS and wide[rater][both].nunique() > 1 and others[both].nunique() > 1:
            mine, theirs = wide[rater][both].to_numpy(), others[both].to_numpy()
            low, high = spearman_interval(mine, theirs)
            row |= {"rho": spearman(mine, theirs), "low": low, "high": high}
        rows.append(row)
    return DataFrame(rows, columns=["rater", "rated", "n", "rho", "low", "high"])
