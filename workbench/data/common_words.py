"""How much of their vocabulary a corpus and the sentences of a pair set have in common."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.seeds import numpy_rng

MOST_TEXTS = 50_000
"""A larger corpus is represented by this many of its texts, evenly spaced: more hardly change the shares of its words."""
LITTLE = 0.85
"""Below this part of what two halves of the pairs have in common, the corpus is of another kind of text.

Two halves of one source reach about 1. STS-B's training texts have .83 with `demo:dev` and 1.0 with STS-B's dev pairs, sentences
of Wikipedia .76 with the latter.
"""
_SPACELESS = r"[\u2e80-\u312f\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_WORD = re.compile(rf"{_SPACELESS}|(?:(?!{_SPACELESS})[^\W_])+")


@dataclass(frozen=True)
class CommonWords:
    """Parts of all words, by their frequency, that two collections of texts have in common; each 0 to 1."""

    corpus: float
    """Of the corpus and the pairs."""
    halves: float
    """Of two halves of the pairs, as a reference: what to expect of texts of one kind."""
    texts: int
    """How many texts of the corpus were read."""

    @property
    def little(self) -> bool:
        """Whether the corpus has clearly less in common with the pairs than they have among themselves."""
        return self.corpus < LITTLE * self.halves


def words(text: str) -> list[str]:
    """The words of a text, case-folded; Chinese and Japanese by character.

    >>> words("The cat's 2 toys"), words("猫が sat")
    (['the', 'cat', 's', '2', 'toys'], ['猫', 'が', 'sat'])
    """
    return _WORD.findall(text.casefold())


def common_share(first: Counter[str], second: Counter[str]) -> float:
    """The sum, over all words, of the smaller of the two relative frequencies: 1 for equal distributions, 0 for disjoint ones.

    >>> common_share(Counter(a=1, b=1), Counter(a=3, c=1))  # min(1/2, 3/4) + 0
    0.5
    """
    sizes = sum(first.values()), sum(second.values())
    if not all(sizes):
        return 0.0
    return float(sum(min(first[word] / sizes[0], second[word] / sizes[1]) for word in first.keys() & second.keys()))


def common_words(corpus: Sequence[str], first: Sequence[str], second: Sequence[str]) -> CommonWords:
    """What the texts of a corpus have in common with those of pairs, whose sides are `first` and `second`."""
    step = max(1, -(-len(corpus) // MOST_TEXTS))
    read = corpus[::step]
    order = numpy_rng(0, "common words").permutation(len(first)).tolist()
    middle = len(order) // 2
    halves = [
        _count(text for at in part for text in (first[at], second[at])) for part in (order[:middle], order[middle:])
    ]
    return CommonWords(common_share(_count(read), halves[0] + halves[1]), common_share(*halves), len(read))


def _count(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in words(text))
