"""Scales of scores: which one a file uses, and how scores come onto that of their task."""

import numpy as np

from workbench.core.errors import BadData

SCALES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))


def usual_scale(scores: np.ndarray) -> tuple[tuple[float, float], str]:
    """The narrowest usual scale that holds all scores, and what a notice says of it.

    Only where none holds all it is the narrowest that holds 99 %, and where none does, from the lowest to the highest.

    >>> usual_scale(np.array([0.5, 4.5]))[0]
    (0.0, 5.0)
    """
    if not len(scores):
        return (0.0, 5.0), "The scale of the scores was taken to be 0 to 5."
    shares = {(low, high): float(np.mean((scores >= low) & (scores <= high))) for low, high in SCALES}
    nearly = next((scale for scale in SCALES if shares[scale] >= 0.99), None)
    scale = next((scale for scale in SCALES if shares[scale] == 1.0), nearly)
    scale = scale or (float(scores.min()), float(scores.max()))
    said = f"The scale of the scores was taken to be {scale[0]:g} to {scale[1]:g}."
    if nearly and nearly != scale:
        few = int(np.sum((scores < nearly[0]) | (scores > nearly[1])))
        said += f" All but {few:,} of {len(scores):,} lie in {nearly[0]:g} to {nearly[1]:g}."
    return scale, said


def onto(scores: np.ndarray, scale: tuple[float, float], name: str) -> tuple[np.ndarray, list[str]]:
    """Scores on the scale of their task, and what a notice says of it; those of 0 to 1 are brought back to it.

    Many copies of the benchmarks give gold / 5; one whose lowest score this would leave off the scale was given as
    0 to 1 by its lowest and highest. Ranks stay as they are either way.

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
            way_out="Bring them to that scale, or give the file as a pair file of its own.",
        )
    return scores, []
