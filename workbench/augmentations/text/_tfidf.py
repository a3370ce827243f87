"""TF-IDF over a corpus, and UNA's replacement of words by others of about the same weight.

Equations 2 to 5 of Shu and Lampos 2024 (UNA), with guarantees that the published code lacks: every replacement differs
from the token it replaces, equal scores do not prevent replacements, and unknown words have a score too.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, reduce
from itertools import accumulate, islice
from math import isfinite, log, log1p
from operator import add, neg
from random import Random
from typing import Annotated, Literal

import numpy as np

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._terms import Terms, blocks
from workbench.augmentations.text._words import _LOCKED, CHARACTER, FLAG, joined, locked, marks
from workbench.core.collecting import rarely_collected
from workbench.core.method import Knob

Beta = Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words replaced, on average; up to .5 it is close to that.")]
Radius = Annotated[int, Knob(1, 100_000, 100, "Ranks on each side of a word from which its replacement is drawn.")]
RadiusShare = Annotated[float, Knob(0.0, 0.5, 0.005, "The radius as a share of the vocabulary; 0 uses radius instead.")]
Select = Annotated[
    Literal["tfidf", "random"], Knob(help="Which words are replaced: by their scores, or any (ablation).")
]
Replace = Annotated[
    Literal["tfidf", "random"], Knob(help="What replaces them: words of a similar rank, or any word (ablation).")
]

WIDE = 0.1
"""Share of the vocabulary in the window above which users get a warning."""
_BATCH = 8192
"""Documents taken at once from a corpus that comes as a stream."""
_ASCII = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+|[.,](?<=\d.)[0-9][a-z0-9]*)*|\S")
_SENTENCE_END = re.compile(
    r"(?<=\w\w[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\Wa-z_])|(?<=[。！？])|[\r\n]+",
)


@cache
def _pattern() -> re.Pattern[str]:
    """Words with inner apostrophes and hyphens, numbers with inner points and commas, and every other character by itself.

    Each character of a script without spaces is a token, and so is each lock. Combining marks (accents, vowel signs, joiners
    of emoji) stay with what they combine with, and so do the two letters of a flag.
    """
    letter, mark = rf"[^\W_{CHARACTER[1:-1]}]", marks()
    return re.compile(
        rf"{letter}+(?:{mark}+{letter}*|['’‐‑-]{letter}+|(?<=\d)[.,](?=\d){letter}+)*"
        rf"|{_LOCKED}|(?!\s){CHARACTER}{mark}*|(?:{FLAG}|\S){mark}*(?:(?<=\u200d)\S{mark}*)*"
    )


def tokens(text: str) -> list[str]:
    """The tokens of `text` in lower case, for corpora and sentences alike.

    NLTK's word tokenizer, which the published code uses, differs in about 2 tokens of 100, so in every fifth sentence of
    Wikipedia: it splits women's in two and don't into do n't, and keeps U.S. and an ellipsis whole.

    >>> tokens("Don't pay 1,000.50, pay x-45c!")
    ["don't", 'pay', '1,000.50', ',', 'pay', 'x-45c', '!']
    """
    lower = text.lower()
    # Both give the same tokens; most English text takes the ASCII pattern, in a third of the time.
    return (_ASCII if lower.isascii() else _pattern()).findall(lower)


def words_of(text: str) -> list[str]:
    """Words and numbers in lower case, without punctuation; in scripts without spaces, each character.

    >>> words_of("Don't pay 1,000 dollars!")
    ["don't", 'pay', '1,000', 'dollars']
    """
    return [token for token in tokens(text) if any(map(str.isalnum, token))]


class Statistics:
    """Counted once over a corpus: for each term, how rare it is and its largest TF-IDF in any document."""

    def __init__(
        self,
        documents: int,
        terms: list[str],
        rarities: "array[float]",
        weights: "array[float]",
        known: Terms | None = None,
    ) -> None:
        """`terms` by falling weight, ties by name; `rarities` is ln(documents / documents with the term), row by row.

        `known` are the pieces of the texts that were counted, by the ranks of their terms.
        """
        self.documents, self.terms, self.rarities, self.weights = documents, terms, rarities, weights
        self.ranks = {term: rank for rank, term in enumerate(terms)}
        self.sums = array("d", accumulate(weights, initial=0.0))
        """The sum of the weights before each rank."""
        self.names = np.array([*terms, ""], object)[:-1]
        """The terms as an array."""
        self.known = known or Terms(tokens)

    @cached_property
    def grid(self) -> np.ndarray:
        """How many of `sums` do not exceed each of so many equal steps up to the last sum, 4 for a term."""
        steps = np.linspace(0.0, self.sums[-1], 4 * len(self.terms) + 1)
        return np.searchsorted(np.frombuffer(self.sums), steps, side="right").astype(np.int32)

    def scores(self, sentence: Sequence[str]) -> list[float]:
        """Equation 2 for each token of a sentence: ln(1 + its share of the tokens) times its rarity.

        A term that occurs in no document counts as if it occurred in one.
        """
        ranks, rarities, size = self.ranks, self.rarities, len(sentence)
        unknown = log(self.documents) if self.documents else 0.0
        counts = Counter(sentence)
        found = {}
        for term, count in counts.items():
            rank = ranks.get(term)
            found[term] = log1p(count / size) * (unknown if rank is None else rarities[rank])
        return [found[term] for term in sentence]

    def near(self, term: str, score: float, radius: int, chance: float) -> str:
        """Another term within `radius` ranks, with probability proportional to its weight; `term` if there is none.

        `chance`, from 0 to 1, picks it. A term that occurs in no document gets the rank of its score in the sentence.
        """
        weights, sums, size = self.weights, self.sums, len(self.terms)
        rank = self.ranks.get(term)
        if rank is None:
            place = bisect_left(weights, -score, key=neg)
            low, high = max(0, place - radius), min(size, place + radius)
            if low == high:
                return term
            left, itself = 0.0, 0.0
        else:
            low, high = max(0, rank - radius), min(size, rank + radius + 1)
            if high - low == 1:
                return term
            left, itself = sums[rank] - sums[low], weights[rank]
        if weights[low + (low == rank)] <= 0:  # weights fall, so all others in the window are 0 too
            found = low + int(chance * (high - low - (rank is not None)))
            return self.terms[found + (rank is not None and found >= rank)]
        mass = chance * (sums[high] - sums[low] - itself)
        if mass >= left:
            mass += itself
        found = bisect_right(sums, sums[low] + mass, low + 1, high) - 1
        if found == rank:  # by rounding
            found += 1 if rank + 1 < high else -1
        return self.terms[found]

    def anyone(self, term: str, chance: float) -> str:
        """Another term, all equally likely; `term` if there is none."""
        rank = self.ranks.get(term)
        others = len(self.terms) - (rank is not None)
        if not others:
            return term
        found = int(chance * others)
        return self.terms[found + (rank is not None and found >= rank)]


def prepare(
    corpus: Iterable[str],
    *,
    document: Annotated[
        Literal["record", "sentence"],
        Knob(help="What counts as a document for word counts: each text as it comes, or each of its sentences."),
    ] = "record",
) -> Statistics:
    """Counts of every term of `corpus`, in one pass that keeps only the vocabulary in memory.

    For a corpus of one sentence per line, as in the paper, both kinds of document give the same. Sentences are split where a
    capital follows a full stop, so some abbreviations split them too. Locks do not count as terms.

    >>> prepare(["a a b", "b c"]).terms  # ln 2 * ln(1 + 2/3), ln 2 * ln(1 + 1/2), 0
    ['a', 'c', 'b']
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new term gets the next number
    documents, holding, largest, known = 0, np.zeros(0, np.int64), np.zeros(0), Terms(tokens)
    every = iter(corpus if document == "record" else _sentences(corpus))
    with rarely_collected():
        while batch := list(islice(every, _BATCH)):
            for rows in blocks(batch):
                occurrences, sizes = known.read(batch[rows.start : rows.stop], numbers.__getitem__, learn=True)
                documents += int(np.count_nonzero(sizes))
                # Sorted by document and term, each term of a document is a stretch as long as the term is frequent in it.
                stretches = np.sort((np.repeat(np.arange(len(sizes)), sizes) << 32) | occurrences)
                starts = np.flatnonzero(np.diff(stretches, prepend=-1))
                counts = np.diff(starts, append=len(stretches))
                which, within = stretches[starts] & 0xFFFF_FFFF, stretches[starts] >> 32
                new = len(numbers) - len(holding)
                holding, largest = np.pad(holding, (0, new)), np.pad(largest, (0, new))
                np.add.at(holding, which, 1)
                np.maximum.at(largest, which, counts / sizes[within])
    terms = sorted(term for term in numbers if not locked(term))
    order = np.fromiter(map(numbers.__getitem__, terms), np.int64, len(terms))
    # Terms in equally many documents share their idf: few distinct logarithms.
    distinct, kind = np.unique(holding[order], return_inverse=True)
    rarities = np.array([log(documents / count) for count in distinct.tolist()])[kind] if terms else np.zeros(0)
    weights = rarities * np.fromiter(map(log1p, largest[order].tolist()), float, len(terms))
    falling = np.argsort(-weights, kind="stable")  # ties stay by name
    ranks = np.full(len(numbers), -1)
    ranks[order[falling]] = np.arange(len(terms))
    known.renumber(ranks)
    return Statistics(
        documents,
        [terms[row] for row in falling.tolist()],
        array("d", rarities[falling].tobytes()),
        array("d", weights[falling].tobytes()),
        known,
    )


def _sentences(corpus: Iterable[str]) -> Iterator[str]:
    for record in corpus:
        yield from _SENTENCE_END.split(record)


def radius_of(statistics: Statistics, radius: int, radius_share: float) -> int:
    """The radius in ranks: `radius_share` of the vocabulary, at least 1, or `radius` where that is 0."""
    return max(1, round(radius_share * len(statistics.terms))) if radius_share > 0 else radius


def window_share(statistics: Statistics, radius: int, radius_share: float = 0.0) -> float:
    """Share of the vocabulary, 0 to 1, from which a replacement is drawn: above .1 rank hardly restricts it any more.

    >>> round(window_share(prepare(["one two three four five six"]), 1), 2)  # 3 of 6
    0.5
    """
    size = len(statistics.terms)
    return min(1.0, (2 * radius_of(statistics, radius, radius_share) + 1) / size) if size else 1.0


def caution(statistics: Statistics, *, radius: int, radius_share: float, **_: object) -> str:
    """One line if the window is more than a tenth of the vocabulary; else empty."""
    share = window_share(statistics, radius, radius_share)
    if share <= WIDE:
        return ""
    return (
        f"Replacements come from {100 * share:.0f} % of the {len(statistics.terms):,} words of the corpus; above "
        f"{100 * WIDE:.0f} % they are hardly of similar weight. Set radius_share, such as 0.02."
    )


def chances(scores: Sequence[float], beta: float, *, weakest: bool = False) -> list[float]:
    """Equations 3 to 5: for each token, the probability that it is replaced. Empty if all scores are equal.

    It grows with the distance above the lowest score (`weakest`: below the highest), averages `beta` before it is capped
    at 1, and is 1 for the first of the tokens with the largest distance.

    >>> chances([3.0, 0.0, 1.0, 0.0], 0.25)  # a quarter of [3, 0, 1, 0] over their mean, and 1 for the first
    [1.0, 0.0, 0.25, 0.0]
    """
    if not scores:
        return []
    edge = max(scores) if weakest else min(scores)
    gaps = [edge - score for score in scores] if weakest else [score - edge for score in scores]
    mean = reduce(add, gaps) / len(gaps)  # in order, as `replaced_each` adds them; `sum` compensates in newer Pythons
    if not (mean > 0 and isfinite(mean)):
        return []
    found = [min(beta * gap / mean, 1.0) for gap in gaps]
    found[gaps.index(max(gaps))] = 1.0
    return found


def replaced(
    statistics: Statistics,
    text: str,
    beta: float,
    reach: int,
    select: str,
    replace: str,
    *,
    weakest: bool,
    rng: Random,
) -> str:
    """`text` in lower case, its tokens joined by one space, some of them replaced; only normalised if none could be.

    Each replacement comes from at most `reach` ranks away. With `weakest` tokens with a low score are replaced, else those
    with a high one.
    """
    clean = normalised(text)
    sentence = tokens(clean)
    free = range(len(sentence)) if clean.isascii() else [k for k, token in enumerate(sentence) if not locked(token)]
    if not free:
        return clean
    # Drawn for every token whatever the settings, so that a higher beta adds replacements and changes none.
    sure = int(rng.random() * len(free))
    draws = [(rng.random(), rng.random()) for _ in free]
    all_scores = statistics.scores(sentence)
    scores = [all_scores[k] for k in free]
    odds = [beta] * len(free) if select == "random" else chances(scores, beta, weakest=weakest)
    if select == "random" or not odds:
        odds = odds or [0.0] * len(free)
        odds[sure] = 1.0
    result = list(sentence)
    for k, score, chance, (first, second) in zip(free, scores, odds, draws, strict=True):
        if first < chance:
            term = sentence[k]
            result[k] = (
                statistics.anyone(term, second) if replace == "random" else statistics.near(term, score, reach, second)
            )
    return joined(result, clean) if result != sentence else clean
