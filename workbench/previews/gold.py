"""Pairs for people to rate: drawn evenly over similarity, and where encoders disagree."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.seeds import numpy_rng

if TYPE_CHECKING:
    from pandas import DataFrame

Floats = NDArray[np.float64]

PAIRS = 100
MOST_PAIRS = 1_000
TEXTS = 1_000
"""Texts whose pairs are looked at: half a million pairs."""
LONGEST = 400
"""Characters of a text that people are shown."""
BANDS = 10
MOST_USES = 2
"""Pairs that a text may be in; more only if there are not enough texts."""
EVEN, DISPUTED = "similarity", "disagreement"


class Candidates(NamedTuple):
    """Pairs of texts by their rows, their mean similarity, and how far the encoders are apart; both in 0..1."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    similarity: Floats
    disagreement: Floats


def sampled(texts: Sequence[str], seed: int) -> list[str]:
    """Distinct texts that are short enough to be read, at most `TEXTS`, drawn with `seed`.

    Raises:
        BadData: fewer than three of them.
    """
    usable = [text for text in dict.fromkeys(texts) if len(text) <= LONGEST]
    if len(usable) < 3:
        raise BadData(
            "There are too few texts to make pairs from.",
            rule=f"At least three different ones of at most {LONGEST} characters are needed.",
            got=str(len(usable)),
        )
    order = numpy_rng(seed, "gold.texts").permutation(len(usable))[:TEXTS]
    return [usable[row] for row in np.sort(order)]


def notices_of(texts: Sequence[str], asked: int, drawn: int) -> list[str]:
    """Why there are texts that nobody rates, and fewer pairs than asked for; empty if there is nothing to say.

    >>> notices_of(["a", "b", "c", "d" * 500], 100, 3)
    ['1 of 4 texts is longer than 400 characters and is left out.', '3 texts give 3 pairs.']
    """
    distinct = dict.fromkeys(texts)
    long = sum(len(text) > LONGEST for text in distinct)
    usable = min(len(distinct) - long, TEXTS)
    words = "is longer than {} characters and is" if long == 1 else "are longer than {} characters and are"
    left_out = f"{long:,} of {len(distinct):,} texts {words.format(LONGEST)} left out."
    return [left_out] * bool(long) + [f"{usable:,} texts give {drawn:,} pairs."] * (drawn < asked)


def candidates(vectors: Sequence[Floats]) -> Candidates:
    """All pairs of texts; `vectors` are unit rows of each encoder, aligned.

    Encoders fill different ranges of cosines, so each one's are spread over 0..1, from its median pair to its nearest one;
    `similarity` is the mean of that over encoders, `disagreement` the largest difference.
    """
    first, second = np.triu_indices(len(vectors[0]), k=1)
    spread = []
    for rows in vectors:
        cosines = (
            np.einsum("ij,ij->i", rows[first], rows[second]) if len(rows) <= 50 else (rows @ rows.T)[first, second]
        )
        low, high = float(np.median(cosines)), float(cosines.max())
        spread.append(np.clip((cosines - low) / (high - low), 0, 1) if high > low else np.zeros_like(cosines))
    table = np.array(spread, np.float64)
    return Candidates(first, second, table.mean(axis=0), table.max(axis=0) - table.min(axis=0))


def chosen(pairs: Candidates, count: int, *, disputed: float, seed: int) -> list[tuple[int, str]]:
    """The numbers of at most `count` candidates and why each was chosen, shuffled.

    A share `disputed` of them are those with the largest disagreement, the others are spread evenly over bands of similarity; a
    band that has too few leaves its places to the others. A text is in at most `MOST_USES` pairs while there are others.
    """
    rng = numpy_rng(seed, "gold.pairs")
    uses = np.zeros(int(pairs.second.max()) + 1, np.int64)
    taken: dict[int, str] = {}

    def take(row: int, why: str, most: int) -> bool:
        at = [pairs.first[row], pairs.second[row]]
        if row in taken or uses[at].max() >= most:
            return False
        uses[at] += 1
        taken[row] = why
        return True

    wanted = round(count * disputed) if pairs.disagreement.max() > 0 else 0
    for row in np.argsort(-pairs.disagreement, kind="stable").tolist():
        if len(taken) >= wanted or pairs.disagreement[row] <= 0:
            break
        take(row, DISPUTED, MOST_USES)
    band = np.minimum((pairs.similarity * BANDS).astype(np.int64), BANDS - 1)
    for most in (MOST_USES, count):
        waiting = [iter(rng.permutation(np.flatnonzero(band == number)).tolist()) for number in range(BANDS)]
        while waiting and len(taken) < count:
            left: list[Iterator[int]] = []
            for rows in reversed(waiting):  # the highest band first: it has the fewest
                if len(taken) < count and next((True for row in rows if take(row, EVEN, most)), False):
                    left.insert(0, rows)
            waiting = left
    order = rng.permutation(np.array(list(taken), np.int64)).tolist()
    return [(row, taken[row]) for row in order]


def table_of(texts: Sequence[str], pairs: Candidates, rows: Sequence[tuple[int, str]], seed: int) -> "DataFrame":
    """Columns sentence1, sentence2, chosen, similarity, disagreement. Which text comes first is drawn."""
    from pandas import DataFrame

    turned = numpy_rng(seed, "gold.sides").random(len(rows)) < 0.5
    lines = []
    for (row, why), turn in zip(rows, turned.tolist(), strict=True):
        sides = [texts[pairs.first[row]], texts[pairs.second[row]]]
        first, second = sides[::-1] if turn else sides
        lines.append((first, second, why, float(pairs.similarity[row]), float(pairs.disagreement[row])))
    return DataFrame(lines, columns=["sentence1", "sentence2", "chosen", "similarity", "disagreement"])
