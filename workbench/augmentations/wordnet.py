"""WordNet: synonyms, antonyms, more general and more specific words. One is shipped; a folder with another can be named."""

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from workbench.augmentations.wordnet_files import COUNTED, PARTS, blocks_of, condensed, is_wordnet
from workbench.core.errors import MissingResource
from workbench.core.paths import shipped

NOUN, VERB, ADJECTIVE, ADVERB = PARTS
SHIPPED = ("assets", "wordnet", "wordnet.txt.gz")
"""Made by `python -m experiments.lexicon`."""
_KEPT = 200_000
"""Words whose answers are cached, for each kind of question."""
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    NOUN: (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    VERB: (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ADJECTIVE: (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    ADVERB: (),
}
"""Endings of regular forms, and what the listed word has in their place: the rules of morphy(7), and `ves`."""

Meaning = tuple[str, int]
"""What words of one part of speech share, WordNet's synset: the letter of the part, and a line of its meanings."""


class Lexicon:
    """WordNet's answers for single words, each sorted and without repeats; words of several parts contain spaces.

    Inflected forms are accepted (`dogs`, `ran`). Safe to share between threads: nothing is written after it is made.
    """

    def __init__(self, source: Path) -> None:
        """`source` is a folder with WordNet's files `data.noun`, `index.noun` and so on, or a file that was made from one.

        Raises:
            BadData: a file of the folder is not one of WordNet's.
        """
        text = condensed(source) if source.is_dir() else gzip.decompress(source.read_bytes()).decode("utf-8")
        blocks = blocks_of(text)
        self._meanings: dict[str, list[str]] = {}
        self._rows: dict[str, dict[str, str]] = {}
        self._irregular: dict[str, dict[str, str]] = {}
        for pos in PARTS:
            self._meanings[pos] = next(blocks)
            self._rows[pos] = dict(line.split(" ", 1) for line in next(blocks))
            self._irregular[pos] = dict(line.split(" ", 1) for line in next(blocks))
        remember: Callable[..., Any] = lru_cache(_KEPT)
        self._synonyms = remember(self._find_synonyms)
        self._plain = remember(self._find_plain)
        self._heads = remember(self._find_heads)
        self._antonym = remember(self._find_antonym)
        self._antonyms = remember(self._find_antonyms)
        self._above = remember(self._find_above)
        self._below = remember(self._find_below)
        self._base = remember(self._find_base)
        self._steps_down = cache(self._find_steps_down)

    def synonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """All words of all meanings of `word`, without its own forms; of one part of speech if `pos` is given."""
        return self._synonyms(word.lower(), pos)

    def plain_synonyms(self, word: str) -> tuple[str, ...]:
        """`synonyms` reduced to letters from a to z and spaces, as EDA uses them."""
        return self._plain(word.lower())

    def heads(self, word: str, pos: str) -> tuple[str, ...]:
        """The first word of each meaning, by which WordNet names it, without the forms of `word`."""
        return self._heads(word.lower(), pos)

    def antonym(self, word: str, pos: str = ADJECTIVE) -> str:
        """The first antonym of the first word of the most frequent meaning; empty if that word has none."""
        return self._antonym(word.lower(), pos)

    def antonyms(self, word: str, pos: str) -> tuple[str, ...]:
        """The antonyms of `word` in its most frequent meaning; if it has none, those of its synonyms in that meaning."""
        return self._antonyms(word.lower(), pos)

    def hypernyms(self, word: str, senses: int = 1) -> tuple[str, ...]:
        """More general words for a noun: one step up from its `senses` most frequent meanings."""
        return self._above(word.lower(), senses)

    def hyponyms(self, word: str, senses: int = 1) -> tuple[str, ...]:
        """More specific words for a noun: one step down from its `senses` most frequent meanings."""
        return self._below(word.lower(), senses)

    def base(self, word: str, pos: str) -> str:
        """The form in which WordNet lists `word` (`dog` for `dogs`); empty if it does not."""
        return self._base(word.lower(), pos)

    def mainly_noun(self, word: str) -> bool:
        """Whether WordNet's counts have `word` as a noun and never as an adjective: `piano`."""
        name = _joined(word.lower())
        rows = self._rows
        return COUNTED in rows[NOUN].get(name, "") and COUNTED not in rows[ADJECTIVE].get(name, COUNTED)

    def _forms(self, word: str, pos: str) -> list[str]:
        """The listed words that `word` can be a form of, itself first."""
        name = _joined(word)
        irregular = self._irregular[pos].get(name)
        if irregular is None:
            others = [name[: -len(end)] + new for end, new in _ENDINGS[pos] if name.endswith(end)]
        else:
            others = irregular.split(" ")
        return [form for form in dict.fromkeys([name, *others]) if form in self._rows[pos]]

    def _of(self, word: str, pos: str) -> list[Meaning]:
        """Its meanings, most frequent first."""
        rows = (row for form in self._forms(word, pos) for row in self._rows[pos][form].removesuffix(COUNTED).split())
        return [(pos, int(row)) for row in dict.fromkeys(rows)]

    def _names(self, meaning: Meaning) -> list[str]:
        pos, row = meaning
        return self._meanings[pos][row].partition("\t")[0].split(" ")

    def _links(self, meaning: Meaning) -> list[str]:
        pos, row = meaning
        return self._meanings[pos][row].partition("\t")[2].split()

    def _opposites(self, meaning: Meaning, places: Iterable[int]) -> Iterator[str]:
        """The antonyms of the words in these places of a meaning, counted from 1; word by word."""
        links = [link.split("!") for link in self._links(meaning) if "!" in link]
        for place in places:
            for _, target in (link for link in links if int(link[0]) == place):
                row, _, there = target.partition(".")
                yield self._names((meaning[0], int(row)))[int(there) - 1]

    def _find_synonyms(self, word: str, pos: str | None) -> tuple[str, ...]:
        parts = (pos,) if pos else tuple(PARTS)
        names = (name for part in parts for meaning in self._of(word, part) for name in self._names(meaning))
        return _sorted(names, word, *(self._find_base(word, part) for part in parts))

    def _find_plain(self, word: str) -> tuple[str, ...]:
        names = (name.lower().replace("-", " ") for name in self._find_synonyms(word, None))
        plain = {" ".join(re.sub("[^a-z ]", "", name).split()) for name in names}
        return tuple(sorted(plain - {word, ""}))

    def _find_heads(self, word: str, pos: str) -> tuple[str, ...]:
        return _sorted((self._names(meaning)[0] for meaning in self._of(word, pos)), word, self._find_base(word, pos))

    def _find_antonym(self, word: str, pos: str) -> str:
        for meaning in self._of(word, pos)[:1]:
            for opposite in self._opposites(meaning, [1]):
                return _spaced(opposite)
        return ""

    def _find_antonyms(self, word: str, pos: str) -> tuple[str, ...]:
        own = (word, self._find_base(word, pos))
        for meaning in self._of(word, pos)[:1]:
            names = self._names(meaning)
            of_word = [place for place, name in enumerate(names, 1) if _spaced(name).lower() in own]
            for places in (of_word, range(1, len(names) + 1)):
                if opposites := _sorted(self._opposites(meaning, places), word):
                    return opposites
        return ()

    def _find_above(self, word: str, senses: int) -> tuple[str, ...]:
        links = (link for meaning in self._of(word, NOUN)[:senses] for link in self._links(meaning) if "!" not in link)
        return _sorted((name for link in links for name in self._names((NOUN, int(link)))), word)

    def _find_below(self, word: str, senses: int) -> tuple[str, ...]:
        below = (row for _, above in self._of(word, NOUN)[:senses] for row in self._steps_down().get(above, ()))
        return _sorted((name for row in below for name in self._names((NOUN, row))), word)

    def _find_steps_down(self) -> dict[int, list[int]]:
        """For the line of a noun's meaning, the lines one step below it."""
        below: dict[int, list[int]] = {}
        for row, line in enumerate(self._meanings[NOUN]):
            for link in line.partition("\t")[2].split():
                if "!" not in link:
                    below.setdefault(int(link), []).append(row)
        return below

    def _find_base(self, word: str, pos: str) -> str:
        return _spaced(next(iter(self._forms(word, pos)), ""))


def missing() -> str:
    """Empty, or one line that says that the folder named for WordNet is none. Only checks for files.

    >>> missing() in ("", _ABSENCE)
    True
    """
    return "" if source().is_file() or is_wordnet(source()) else _ABSENCE


def source() -> Path:
    """The folder named in WORKBENCH_WORDNET; the file that is shipped if none is."""
    named = os.environ.get("WORKBENCH_WORDNET")
    return Path(named).expanduser() if named else shipped(*SHIPPED)


def reader() -> Lexicon:
    """The lexicon, read once: the shipped one in a third of a second, a folder in two seconds.

    Raises:
        MissingResource: the folder that is named for it has no WordNet.
    """
    if missing():
        raise MissingResource(
            "There is no WordNet in the folder that is named for it.", got=str(source()), way_out=_ABSENCE
        )
    return _lexicon(source())


def lexicon(corpus: Sequence[str]) -> Lexicon:
    """`reader` as the `prepare` of methods: the same for every corpus.

    Raises:
        MissingResource: the folder that is named for it has no WordNet.
    """
    return reader()


_ABSENCE = (
    "Needs WordNet: the folder named in WORKBENCH_WORDNET has no such files (data.noun, index.noun, noun.exc and so on). "
    "Name another, or unset it to use the WordNet that is shipped."
)


@cache
def _lexicon(path: Path) -> Lexicon:
    return Lexicon(path)


def _joined(word: str) -> str:
    return word.replace(" ", "_")


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _sorted(names: Iterable[str], *words: str) -> tuple[str, ...]:
    """Names as words, without `words`."""
    return tuple(sorted(name for name in set(map(_spaced, names)) if name.lower() not in words))
