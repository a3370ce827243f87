"""Runs of neighbouring words, for the CLEAR methods and random crop."""

from collections.abc import Sequence
from random import Random

from workbench.augmentations.text._draws import shuffled
from workbench.augmentations.text._words import locked


def free_runs(units: Sequence[str]) -> list[int]:
    """For each unit, how many there are from it up to the next locked one.

    >>> free_runs(["a", "b", "\\ue000", "c"])
    [2, 1, 0, 1]
    """
    runs = [0]
    for unit in reversed(units):
        runs.append(0 if locked(unit) else runs[-1] + 1)
    return runs[:0:-1]


def disjoint(length: int, count: int, runs: Sequence[int], rng: Random) -> list[int]:
    """Starts of up to `count` stretches of `length` units that do not overlap, in the order they were drawn.

    A stretch starts only where `runs` is long enough. With the same random state, a higher `count` adds stretches.

    >>> sorted(disjoint(2, 2, [4, 3, 2, 1], Random(0)))
    [0, 2]
    """
    starts: list[int] = []
    if not length:
        return starts
    for start in shuffled([place for place, run in enumerate(runs) if run >= length], rng):
        if len(starts) == count:
            break
        if all(abs(start - other) >= length for other in starts):
            starts.append(start)
    return starts


def covered(units: Sequence[str], gone: set[int], symbol: str) -> list[str]:
    """`units` without those at the indices `gone`: each run of them becomes one `symbol`, or nothing if that is empty.

    >>> covered(["a", "b", "c", "d"], {0, 1, 3}, "[DEL]")
    ['[DEL]', 'c', '[DEL]']
    """
    left: list[str] = []
    for place, unit in enumerate(units):
        if place not in gone:
            left.append(unit)
        elif symbol and place - 1 not in gone:
            left.append(symbol)
    return left
