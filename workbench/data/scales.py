"""Scales of scores: infers the scale of a file, and converts scores to the scale of their task."""

from collections.abc import Sequence

import numpy as np

from workbench.core.errors import BadData
from workbench.data.cells import votes

SCALES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))
ENOUGH = 50
"""Scores whose highest is 4 that are taken for a scale of 0 to 4, as BIOSSES' is: fewer may lack a 5 by chance."""


def usual_scale(scores: np.ndarray) -> tuple[tuple[float, float], str]:
    """The narrowest scale of `SCALES` that contains all scores, as (low, high), and a notice about it.

    If none contains all scores, it is the narrowest that contains 99 %; if none does, the range of the scores. `ENOUGH`
    scores of 0 to 5 of which the highest is 4, given more than once, are on a scale of 0 to 4.

    >>> usual_scale(np.array([0.5, 4.5]))[0]
    (0.0, 5.0)
    """
    if not len(scores):
        return (0.0, 5.0), "The scale of the scores is assumed to be 0 to 5."
    shares = {(low, high): float(np.mean((scores >= low) & (scores <= high))) for low, high in SCALES}
    nearly = next((scale for scale in SCALES if shares[scale] >= 0.99), None)
    scale = next((scale for scale in SCALES if shares[scale] == 1.0), nearly)
    scale = scale or (float(scores.min()), float(scores.max()))
    if scale == nearly == (0.0, 5.0) and len(scores) >= ENOUGH and scores.max() == 4 and np.sum(scores == 4) > 1:
        scale = nearly = (0.0, 4.0)
    notice = f"The scale of the scores is assumed to be {scale[0]:g} to {scale[1]:g}."
    if nearly and nearly != scale:
        few = int(np.sum((scores < nearly[0]) | (scores > nearly[1])))
        notice += f" All but {few:,} of {len(scores):,} are between {nearly[0]:g} and {nearly[1]:g}."
    return scale, notice


def of_votes(cells: Sequence[str], name: str) -> tuple[list[str], int, list[str]]:
    """Scores that are votes as numbers of those for, the number of raters, and a notice. Where the second number is the same in
    all cells, as in the Twitter URL corpus, it is that of the raters; where the sum is, as in PIT-2015, it is of those against.
    The cells as they are, 0 and no notice, if they are no votes.

    >>> of_votes(["(3, 2)", "(0, 5)"], "a.tsv")[:2], of_votes(["(4, 6)", "(1, 6)"], "a.tsv")[:2], of_votes(["3"], "a.tsv")
    ((['3', '0'], 5), (['4', '1'], 6), (['3'], 0, []))
    """
    there = {cell: both for cell in cells if (both := votes(cell))}
    of_all = {second for _, second in there.values()}
    sums = {first + second for first, second in there.values()}
    among = len(of_all) == 1 and all(first <= second for first, second in there.values())
    raters = next(iter(of_all if among else sums), 0) if among or len(sums) == 1 else 0
    if not raters:
        return list(cells), 0, []
    example, (first, _) = next(iter(there.items()))
    notice = f"{name}: scores are votes; {example} was read as {first} of {raters}."
    return [str(there[cell][0]) if cell in there else cell for cell in cells], raters, [notice]


def without_score(scores: np.ndarray) -> np.ndarray:
    """Where -1 marks a row without a score, as in test splits whose scores are not published: it is the only negative
    number, and the others are not all from 0 to 1.

    >>> without_score(np.array([-1.0, 4.5])).tolist(), without_score(np.array([-1.0, 0.5])).tolist()
    ([True, False], [False, False])
    """
    marked = scores == -1
    others = scores[~marked & np.isfinite(scores)]
    if marked.any() and not np.any(others < 0) and (not len(others) or others.max() > 1):
        return np.asarray(marked)
    return np.zeros(len(scores), bool)


def onto(scores: np.ndarray, scale: tuple[float, float], name: str) -> tuple[np.ndarray, list[str]]:
    """Scores of shape [pairs] on the `scale` of their task, and a notice if scores of 0 to 1 were converted to it.

    Many copies of the benchmarks contain gold / high, which is multiplied by high. If that would put the lowest score
    below the scale, scores of 0 to 1 are stretched from low to high instead. Neither changes the ranks.

    >>> onto(np.array([0.2, 0.5, 1.0]), (1, 5), "sickr:test")[0].tolist()
    [1.0, 2.5, 5.0]

    Raises:
        BadData: more than half of the scores are off the scale.
    """
    low, high = scale
    if len(scores) and high > 1 and scores.min() >= 0 and scores.max() <= 1:
        fractions = bool(np.any((scores > 0) & (scores < 1)))
        if fractions or (low > 0 and scores.min() < low):
            if np.all(scores * high >= low):
                return np.round(scores * high, 6), [f"{name}: scores of 0 to 1 were multiplied by {high:g}."]
            moved = np.round(low + scores * (high - low), 6)
            return moved, [f"{name}: scores of 0 to 1 were spread over {low:g} to {high:g}."]
    off = int(np.sum((scores < low) | (scores > high)))
    if off > 0.5 * len(scores):
        raise BadData(
            f"{name} is not on the scale of its task.",
            rule=f"Its scores go from {low:g} to {high:g}.",
            got=f"{off:,} of {len(scores):,} scores off it, from {scores.min():g} to {scores.max():g}",
            way_out="Convert them to that scale, or use the file as an ordinary pair file.",
        )
    return scores, []
