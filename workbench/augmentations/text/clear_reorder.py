"""CLEAR's reordering: pairs of short runs of words change places."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised
from workbench.augmentations.text._spans import disjoint
from workbench.augmentations.text._words import joined, words
from workbench.core.method import Knob, Method


def clear_reorder(
    text: str,
    *,
    pairs: Annotated[int, Knob(1, 20, 1, "Pairs of runs that change places.")] = 5,
    rate: Annotated[float, Knob(0.0, 0.5, 0.01, "Share of the words in each run; at least one unless 0.")] = 0.05,
    rng: Random,
) -> str:
    """`text` with pairs of runs of words swapped, all of one length and none twice: the same words in another order.

    If there is no room for all the runs, there are fewer pairs. Runs have at least one word: of a text of ten words, five pairs
    of 5 % move all.
    The default number and length of the runs are recalled from the paper, not checked against it.

    Prefer it over `eda_swap` when words should keep some of their neighbours, and over `augcse_random_swap` when they
    may move far.

    >>> clear_reorder("one two three", pairs=1, rng=Random(1))
    'three two one'
    """
    units = words(text)
    length = edit_count(rate, len(units))
    starts = disjoint(length, 2 * pairs, range(len(units), 0, -1), rng)
    for one, other in zip(starts[::2], starts[1::2], strict=False):
        here, there = slice(one, one + length), slice(other, other + length)
        units[here], units[there] = units[there], units[here]
    return joined(units, text) if len(starts) > 1 else normalised(text)


METHOD = Method(
    clear_reorder,
    title="Swap runs of words",
    source="Wu et al. 2020, CLEAR, arXiv:2012.15466",
    tags={"class": "possible", "role": "positive", "language": "any"},
)
