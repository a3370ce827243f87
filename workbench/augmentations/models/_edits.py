"""One text under word edits: which words may be replaced, where words may be inserted, and the context of a position."""

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Annotated, Literal

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import english, joined, like_case, locked, words
from workbench.augmentations.whole_words import is_letter, is_word
from workbench.core.method import Knob

Mode = Literal["insert", "substitute"]
ModeSetting = Annotated[Mode, Knob(help="Insert new words between the old ones, or substitute old ones.")]
Rate = Annotated[float, Knob(0.0, 1.0, 0.05, "Share of the words that are replaced or added.")]
Most = Annotated[int, Knob(1, 100, 1, "Words changed in a text at most, however long it is.")]

MODES: tuple[Mode, ...] = ("insert", "substitute")
# Thai, Lao, Tibetan, Burmese and Khmer: text between two spaces is a phrase, and a character is not a word.
_UNPARTED = re.compile(r"[\u0e00-\u109f\u1780-\u17ff]")
_NEAR = 128  # words of context on each side at most


class Edits:
    """A text as cells: odd cells hold the words, even ones what was inserted before each, the last one what was appended."""

    def __init__(self, text: str, mode: Mode) -> None:
        self.text = normalised(text)
        self.mode = mode
        units = words(self.text)
        self._cells = [""] * (2 * len(units) + 1)
        self._cells[1::2] = units
        self._spaced = " " in joined(["好", "好"], self.text)

    def __len__(self) -> int:
        """How many words the text had."""
        return len(self._cells) // 2

    @property
    def cut(self) -> bool:
        """Whether a word is a single character here: Chinese and Japanese without spaces."""
        return not self._spaced

    def core(self, cell: int) -> str:
        """The word at an odd cell without punctuation; empty if it is locked, not a word, or several unseparated words."""
        unit = self._cells[cell]
        core = _split(unit)[1]
        return core if is_word(core) and not locked(unit) and not _UNPARTED.search(core) else ""

    def words(self, known: Callable[[str], bool] = bool) -> list[int]:
        """The odd cells whose word may be edited and is known."""
        return [place for place in range(1, len(self._cells), 2) if (core := self.core(place)) and known(core)]

    def gaps(self) -> list[int]:
        """The even cells between two words; the one after the word if there is only one."""
        return list(range(2, len(self._cells) - 1, 2)) or ([2] if len(self._cells) == 3 else [])

    def around(self, cell: int) -> tuple[str, str]:
        """The text before and after a cell's word, with the punctuation at the word."""
        lead, _, tail = _split(self._cells[cell]) if cell % 2 else ("", "", "")
        gap = " " if self._spaced else ""
        before = joined([*filter(None, self._cells[max(0, cell - 2 * _NEAR) : cell])], self.text)
        after = joined([*filter(None, self._cells[cell + 1 : cell + 1 + 2 * _NEAR])], self.text)
        return (before + gap if before else "") + lead, tail + (gap + after if after else "")

    def beside(self, at: int) -> set[str]:
        """Case-folded words that must not be written at a cell: its word, or the neighbours of a gap."""
        cells = (at,) if at % 2 else (at - 1, at + 1)
        inserted = self._cells[at].split() if not at % 2 else []
        near = [_split(self._cells[cell])[1] for cell in cells if cell < len(self._cells)] + inserted
        return {core.casefold() for core in near}

    def put(self, cell: int, word: str) -> None:
        """Put `word` in place of a word, in the same case, or insert it at a gap."""
        if cell % 2:
            lead, core, tail = _split(self._cells[cell])
            small = core.islower() or (core == "I" and not self._begins(cell))
            self._cells[cell] = lead + (word if small else like_case(core, word)) + tail
        elif cell == len(self._cells) - 1:
            # After the only word, but before the punctuation that ends the text.
            lead, core, tail = _split(self._cells[1]) if not locked(self._cells[1]) else ("", self._cells[1], "")
            self._cells[1] = f"{lead}{core}{' ' if self._spaced else ''}{word}{tail}"
        else:
            self._cells[cell] = " ".join(filter(None, [self._cells[cell], word]))

    def _begins(self, cell: int) -> bool:
        """Whether a sentence begins at the word of an odd cell."""
        before = "".join(self._cells[:cell]).rstrip()
        return not before or before[-1] in ".!?…:"

    def result(self) -> str:
        """The text as it is now."""
        return normalised(joined([*filter(None, self._cells)], self.text))


def places(edits: Edits, rate: float, most: int, rng: Random) -> Iterator[int]:
    """Cells to edit in random order: `rate` of the words, at most `most`. A higher rate continues the edits of a lower one."""
    open_places = edits.words() if edits.mode == "substitute" else edits.gaps()
    count = min(edit_count(rate, len(edits)), most)
    for place, _ in zip(shuffled(open_places, rng), range(count), strict=False):
        yield place


def in_either_mode(edited: Callable[..., list[str]], texts: Sequence[str], rngs: Sequence[Random]) -> list[str]:
    """The results of `edited(texts, modes=, rngs=)` in one of the two modes, drawn evenly for each text; English texts only."""
    modes = [MODES[int(rng.random() * 2)] for rng in rngs]
    made = edited([text if english(text) else "" for text in texts], modes=modes, rngs=rngs)
    return [new or normalised(text) for new, text in zip(made, texts, strict=True)]


def chosen(weights: Sequence[float], rng: Random) -> int:
    """An index drawn in proportion to its weight."""
    left = rng.random() * sum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return place
    return max(range(len(weights)), key=weights.__getitem__)


def _split(unit: str) -> tuple[str, str, str]:
    """Punctuation before, the word, punctuation after."""
    start, end = 0, len(unit)
    while start < end and not _of_word(unit[start]):
        start += 1
    while end > start and not _of_word(unit[end - 1]):
        end -= 1
    return unit[:start], unit[start:end], unit[end:]


def _of_word(sign: str) -> bool:
    return is_letter(sign) or sign.isalnum()
