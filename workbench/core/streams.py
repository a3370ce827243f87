"""Many random streams at once: the numbers that `random.Random` of each seed would give, bit for bit, by columns of arrays."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_FEW = 1000
"""Below so many streams, one generator after the other is faster."""
_AT_ONCE = 8192
_WORDS, _SHIFT = 624, 397  # of the Mersenne Twister's state


def uniforms(seeds: Sequence[int], counts: "np.ndarray") -> "np.ndarray":
    """From each stream as many numbers in [0, 1) as `counts` says, one stream after the other.

    Seeds are whole numbers of at most 64 bits. The numbers of a stream depend on its seed only.

    >>> import numpy as np
    >>> uniforms([5, 7], np.array([1, 2])).tolist() == [Random(5).random(), *[draw() for draw in [Random(7).random] * 2]]
    True
    """
    import numpy as np

    if len(seeds) < _FEW:
        numbers = chain.from_iterable(map(_drawn, seeds, counts.tolist()))
        return np.fromiter(numbers, float, int(counts.sum()))
    parts = range(0, len(seeds), _AT_ONCE)
    return np.concatenate([_columns(seeds[at : at + _AT_ONCE], counts[at : at + _AT_ONCE]) for at in parts])


def _drawn(seed: int, count: int) -> Iterator[float]:
    draw = Random(seed).random
    return (draw() for _ in range(count))


def _columns(seeds: Sequence[int], counts: "np.ndarray") -> "np.ndarray":
    """`uniforms` by arrays, a column of each for a stream; streams of more than half a state's numbers are drawn singly."""
    import numpy as np

    starts = np.cumsum(counts) - counts
    numbers = np.empty(int(counts.sum()))
    single = (counts > _WORDS // 2).tolist()
    for row in [row for row, alone in enumerate(single) if alone]:
        count = int(counts[row])
        numbers[starts[row] : starts[row] + count] = np.fromiter(_drawn(seeds[row], count), float, count)
    needed = np.where(single, 0, counts)
    # Longest first, so that those which need the next number are always the first columns.
    order = np.argsort(-needed, kind="stable")[: np.count_nonzero(needed)]
    if not len(order):
        return numbers
    state = _states(np.array(seeds, np.uint64)[order])
    places = starts[order]
    columns = np.searchsorted(-needed[order], -np.arange(needed.max()), side="left")  # how many streams need number k
    for k, width in enumerate(columns.tolist()):
        high, low = (_tempered(state, word, width) for word in (2 * k, 2 * k + 1))
        # 27 and 26 bits of two words, as in Python's genrand_res53
        numbers[places[:width] + k] = ((high >> 5) * 67108864.0 + (low >> 6)) * (1 / 9007199254740992)
    return numbers


def _tempered(state: "np.ndarray", word: int, width: int) -> "np.ndarray":
    """The next word of each of the first `width` streams; `state` is renewed in place, word by word."""
    import numpy as np

    row, upper, lower = state[word, :width], np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
    mixed = (row & upper) | (state[(word + 1) % _WORDS, :width] & lower)
    new = state[(word + _SHIFT) % _WORDS, :width] ^ (mixed >> 1)
    new ^= (mixed & 1) * np.uint32(0x9908B0DF)
    row[:] = new
    new ^= new >> 11
    new ^= (new << 7) & np.uint32(0x9D2C5680)
    new ^= (new << 15) & np.uint32(0xEFC60000)
    new ^= new >> 18
    return new


@cache
def _first_state() -> list[int]:
    """The state that every seed is mixed into: init_genrand(19650218)."""
    words = [19650218]
    for k in range(1, _WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + k) & 0xFFFFFFFF)
    return words


def _states(seeds: "np.ndarray") -> "np.ndarray":
    """The states of the generators by word and stream: init_by_array of each seed's two halves, or of one if the other is 0."""
    import numpy as np

    halves = (seeds & np.uint64(0xFFFFFFFF)).astype(np.uint32), (seeds >> np.uint64(32)).astype(np.uint32)
    state = np.empty((_WORDS, len(seeds)), np.uint32)
    # Of a key of one word, that word is added every time, and of one of two, its second with 1 at every other step.
    added = halves[0], np.where(halves[1] > 0, halves[1] + np.uint32(1), halves[0])
    first = _first_state()
    work = np.empty(len(seeds), np.uint32)
    state[0] = first[0]
    k = 1
    for step in range(_WORDS):
        if k == _WORDS:
            state[0] = state[_WORDS - 1]
            k = 1
        _mixed(state[k - 1], 1664525, work)
        work ^= state[k] if step >= _WORDS - 1 else np.uint32(first[k])
        np.add(work, added[step % 2], out=state[k])
        k += 1
    for _ in range(_WORDS - 1):
        if k == _WORDS:
            state[0] = state[_WORDS - 1]
            k = 1
        _mixed(state[k - 1], 1566083941, work)
        work ^= state[k]
        np.subtract(work, np.uint32(k), out=state[k])
        k += 1
    state[0] = 0x80000000
    return state


def _mixed(row: "np.ndarray", factor: int, out: "np.ndarray") -> None:
    import numpy as np

    np.right_shift(row, 30, out=out)
    out ^= row
    out *= np.uint32(factor)
