"""Runs of neighbouring words, for the CLEAR methods and random crop."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
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
    """Starts of `count` stretches of `length` units that do not overlap, or of as many as fit, in the order they were drawn.

    A stretch starts only where `runs` is long enough, and where it leaves room for those still to come. With the same random
    state, a higher `count` adds stretches if there is ample room.

    >>> sorted(disjoint(2, 2, [4, 3, 2, 1], Random(0)))
    [0, 2]
    """
    starts: list[int] = []
    if not length:
        return starts
    # The free stretches between locked units and those already taken, as (start, end) in order.
    free = [(place, place + run) for place, run in enumerate(runs) if run and not (place and runs[place - 1])]
    room = sum((end - start) // length for start, end in free)
    wanted = min(count, room)
    for start in shuffled([place for place, run in enumerate(runs) if run >= length], rng):
        if len(starts) == wanted:
            break
        at = bisect_right(free, start, key=itemgetter(0)) - 1
        low, high = free[at]
        if start < low or start + length > high:
            continue
        left = room - (high - low) // length + (start - low) // length + (high - start - length) // length
        if len(starts) + 1 + left >= wanted:
            starts.append(start)
            free[at : at + 1] = [(low, start), (start + length, high)]
            room = left
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
