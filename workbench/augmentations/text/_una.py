"""UNA's replacements for many texts at once: the same words, from the same random numbers, as `_tfidf.replaced` for each."""

from collections.abc import Sequence
from itertools import pairwise
from math import log, log1p

import numpy as np

from workbench.augmentations.text import _tfidf as tfidf
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._terms import blocks
from workbench.augmentations.text._words import joined, locked
from workbench.core.streams import uniforms

_STEPS = 3
"""From a guess of the place of a sum; searched for after that."""


def replaced_each(
    statistics: tfidf.Statistics,
    texts: Sequence[str],
    *,
    beta: float,
    radius: int,
    radius_share: float,
    select: str,
    replace: str,
    weakest: bool,
    seeds: Sequence[int],
) -> list[str]:
    """Each text with some of its tokens replaced, as `replaced` does with the random stream of its seed."""
    reach = tfidf.radius_of(statistics, radius, radius_share)
    made: list[str] = []
    for rows in blocks(texts):
        part = slice(rows.start, rows.stop)
        made += _block(statistics, texts[part], beta, reach, select, replace, weakest, seeds[part])
    return made


def _block(
    statistics: tfidf.Statistics,
    texts: Sequence[str],
    beta: float,
    reach: int,
    select: str,
    replace: str,
    weakest: bool,
    seeds: Sequence[int],
) -> list[str]:
    size = len(statistics.terms)
    strange: dict[str, int] = {}  # tokens that occur in no document, numbered after the terms
    ranks = statistics.ranks

    def number(token: str) -> int:
        rank = ranks.get(token)
        return size + strange.setdefault(token, len(strange)) if rank is None else rank

    numbers, sizes = statistics.known.read(texts, number)
    names = list(strange)
    within = np.repeat(np.arange(len(texts)), sizes)
    rows, places, counts = within, np.arange(len(numbers)), sizes
    if kept := [size + number for number, name in enumerate(names) if locked(name)]:
        places = np.flatnonzero(~np.isin(numbers, kept))
        rows = within[places]
        counts = np.bincount(rows, minlength=len(texts))
    draws = uniforms(seeds, np.where(counts > 0, 1 + 2 * counts, 0))
    some = counts > 0
    starts = np.cumsum(counts) - counts
    # The first number of each stream, then a pair for each token.
    first = np.cumsum(np.where(some, 1 + 2 * counts, 0)) - (1 + 2 * counts)
    sure = starts + (draws[np.where(some, first, 0)] * counts).astype(np.int64) if len(draws) else starts
    pair = (first + 1 - 2 * starts)[rows] + 2 * np.arange(len(rows))
    scores = _scores(statistics, numbers, sizes, within)
    if kept:
        scores = scores[places]
    odds = _odds(scores, rows, counts, starts, sure, beta, select, weakest)
    chosen = np.flatnonzero(draws[pair] < odds)
    chance = draws[pair[chosen] + 1]
    old = numbers[places[chosen]].astype(np.int64)
    new = (
        _anyone(statistics, old, chance)
        if replace == "random"
        else _near(statistics, old, scores[chosen], reach, chance)
    )
    differ = new != old
    numbers[places[chosen]] = new
    changed = np.zeros(len(texts), bool)
    changed[rows[chosen[differ]]] = True
    words = statistics.names[np.minimum(numbers, size - 1)] if size else np.full(len(numbers), "", object)
    beyond = np.flatnonzero(numbers >= size)
    words[beyond] = [names[number] for number in (numbers[beyond] - size).tolist()]
    units, bounds = words.tolist(), np.concatenate(([0], np.cumsum(sizes))).tolist()
    return [
        (" ".join(units[start:end]) if text.isascii() else joined(units[start:end], normalised(text)))
        if differs
        else normalised(text)
        for text, differs, (start, end) in zip(texts, changed.tolist(), pairwise(bounds), strict=True)
    ]


def _scores(statistics: tfidf.Statistics, numbers: np.ndarray, sizes: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Equation 2 for each token."""
    rarities = np.frombuffer(statistics.rarities)
    unknown = log(statistics.documents) if statistics.documents else 0.0
    # Sorted by text, token and position: a stretch is as long as its token is frequent in its text.
    bits = len(numbers).bit_length()
    if len(sizes) << (31 + bits) < 1 << 63:
        keys = np.sort((((within << 31) | numbers) << bits) | np.arange(len(numbers)))
        order, same = keys & ((1 << bits) - 1), keys >> bits
    else:  # that many texts are short
        order = np.lexsort((numbers, within))
        same = (within[order] << 31) | numbers[order]
    lengths = np.diff(np.flatnonzero(np.diff(same, prepend=-1)), append=len(same))
    shares = np.array([log1p(1 / size) if size else 0.0 for size in sizes.tolist()])[within]
    several = order[np.repeat(lengths > 1, lengths)]
    counts = np.repeat(lengths, np.where(lengths > 1, lengths, 0))
    of = zip(counts.tolist(), sizes[within[several]].tolist(), strict=True)
    shares[several] = [log1p(count / size) for count, size in of]
    size = len(rarities)
    rare = np.where(numbers < size, rarities[np.minimum(numbers, size - 1)], unknown) if size else unknown
    return shares * rare


def _odds(
    scores: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    sure: np.ndarray,
    beta: float,
    select: str,
    weakest: bool,
) -> np.ndarray:
    """Equations 3 to 5 for each token that may be replaced, text by text."""
    some = np.flatnonzero(counts)
    if not len(some):
        return scores
    certain, odds = sure[some], np.full(len(scores), beta)
    if select != "random":
        edges = np.zeros(len(counts))
        edges[some] = (np.maximum if weakest else np.minimum).reduceat(scores, starts[some])
        gaps = edges[rows] - scores if weakest else scores - edges[rows]
        means = np.bincount(rows, gaps, len(counts)) / np.maximum(counts, 1)  # added in order
        differ = (means > 0) & np.isfinite(means)
        odds = np.where(differ[rows], np.minimum(beta * gaps / np.where(differ, means, 1)[rows], 1.0), 0.0)
        most = np.maximum.reduceat(gaps, starts[some])
        tops = np.flatnonzero(gaps == np.repeat(most, counts[some]))
        top = tops[np.flatnonzero(np.diff(rows[tops], prepend=-1))]  # the first of each text
        certain = np.where(differ[some], top, certain)
    odds[certain] = 1.0
    return odds


def _near(
    statistics: tfidf.Statistics, old: np.ndarray, scores: np.ndarray, radius: int, chances: np.ndarray
) -> np.ndarray:
    """`Statistics.near` for each token."""
    weights, sums, size = np.frombuffer(statistics.weights), np.frombuffer(statistics.sums), len(statistics.terms)
    if not size:
        return old
    known = old < size
    rank = np.where(known, old, 0)
    place = np.where(known, rank, np.searchsorted(-weights, -scores, side="left")) if not known.all() else rank
    low, high = np.maximum(place - radius, 0), np.minimum(place + radius + known, size)
    alone = known & (high - low == 1)
    left = np.where(known, sums[rank] - sums[low], 0.0)
    itself = np.where(known, weights[rank], 0.0)
    flat = weights[np.minimum(low + (known & (low == rank)), size - 1)] <= 0
    mass = chances * (sums[high] - sums[low] - itself)
    mass += np.where(mass >= left, itself, 0.0)
    found = np.clip(_right_of(sums, statistics.grid, sums[low] + mass), low + 1, high) - 1
    again = known & (found == rank)  # by rounding
    found += np.where(again, np.where(rank + 1 < high, 1, -1), 0)
    equal = low + (chances * (high - low - known)).astype(np.int64)
    equal += known & (equal >= rank)
    return np.where(alone, old, np.where(flat, equal, found))


def _right_of(sums: np.ndarray, grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """`np.searchsorted(sums, values, side="right")`, from a guess: `grid` has the answers for equal steps up to the last sum."""
    if not sums[-1] > 0:
        return np.searchsorted(sums, values, side="right")
    steps = (values / sums[-1] * (len(grid) - 1)).astype(np.int64)
    guess = grid[np.clip(steps, 0, len(grid) - 1)].astype(np.int64)
    above = np.concatenate((sums, [np.inf]))
    for _ in range(_STEPS):
        guess += above[guess] <= values
    wrong = np.flatnonzero((above[guess] <= values) | (above[guess - 1] > values) & (guess > 0))
    guess[wrong] = np.searchsorted(sums, values[wrong], side="right")
    return guess


def _anyone(statistics: tfidf.Statistics, old: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """`Statistics.anyone` for each token."""
    size = len(statistics.terms)
    known = old < size
    others = size - known
    found = (chances * others).astype(np.int64)
    return np.where(others > 0, found + (known & (found >= old)), old)
