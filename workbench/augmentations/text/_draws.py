"""Random choices that a higher rate adds to and does not replace."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def normalised(text: str) -> str:
    """`text` with each run of white space as one space and none at either end: what augmentations start from."""
    # White space other than a space cannot be printed.
    if "  " not in text and text.isprintable():
        return text.strip(" ")
    return " ".join(text.split())


def edit_count(rate: float, places: int) -> int:
    """How many of `places` are edited at `rate`: rounded down, but at least one unless rate or places are 0."""
    return max(1, int(rate * places + 1e-9)) if rate > 0 and places else 0  # .3 * 10 is below 3 in floating point


def shuffled(items: Sequence[Item], rng: Random) -> Iterator[Item]:
    """Items in random order, one at a time: the first n do not depend on how many are taken."""
    rest = list(items)
    for done in range(len(rest)):
        chosen = done + int(rng.random() * (len(rest) - done))
        rest[done], rest[chosen] = rest[chosen], rest[done]
        yield rest[done]


def window(length: int, places: int, rng: Random) -> int:
    """Start of a run of `length` among `places`, uniform; with the same random state a longer run contains a shorter one."""
    return int(rng.random() * (places - length + 1))
