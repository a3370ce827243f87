"""What an augmentation changed in a text: added, removed, replaced and moved words, told apart by more than colour."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

from workbench.augmentations.text._words import CHARACTER, edges, marks

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcode

Kind = Literal["same", "added", "removed", "replaced_from", "replaced_to", "moved_from", "moved_to"]
_TYPOS = 2
"""Most letters by which two spellings of one word differ; a transposition counts as two."""
_OF_BEFORE = ("removed", "replaced_from", "moved_from")
_OF_AFTER = ("added", "replaced_to", "moved_to")


@dataclass(frozen=True)
class Piece:
    """A stretch of text with one kind of edit. Moved words appear twice: at their old and at their new place.

    A replaced stretch comes right before its replacement.
    """

    kind: Kind
    text: str


def pieces(before: str, after: str) -> list[Piece]:
    """The edits from `before` to `after`, word by word; within a misspelt word, letter by letter.

    >>> [(piece.kind, piece.text) for piece in pieces("a cat sat", "a big cat")]
    [('same', 'a '), ('added', 'big '), ('same', 'cat '), ('removed', 'sat')]
    >>> [(piece.kind, piece.text) for piece in pieces("a cat", "a dog")]
    [('same', 'a '), ('replaced_from', 'cat'), ('replaced_to', 'dog')]
    >>> [(piece.kind, piece.text) for piece in pieces("a cat on a mat", "a mat on a cat") if piece.kind == "moved_to"]
    [('moved_to', 'mat '), ('moved_to', 'cat')]
    """
    from rapidfuzz.distance import Levenshtein

    old, new = _words(before), _words(after)
    bare_old, bare_new = [word.strip() for word in old], [word.strip() for word in new]
    found: list[Piece] = []
    letters: set[int] = set()
    """Indices of pieces that are letters inside a word."""
    blocks = list(_blocks(Levenshtein.opcodes(bare_old, bare_new), old, new))
    gone = {word.strip() for same, left, _ in blocks if not same for word in left}
    come = {word.strip() for same, _, right in blocks if not same for word in right}
    for same, left, right in blocks:
        if same:
            found += _spaced(left, right)
        elif len(left) == len(right):
            for one, other in zip(left, right, strict=True):
                elsewhere = one.strip() in come or other.strip() in gone  # moved, however alike the two are
                if not elsewhere and _misspelt(one.strip(), other.strip()):
                    inside = _letters(one, other)
                    letters |= set(range(len(found), len(found) + len(inside)))
                    found += inside
                else:
                    found += [Piece("removed", one), Piece("added", other)]
        else:
            found += [Piece("removed", word) for word in left] + [Piece("added", word) for word in right]
    return _with_replacements(_joined(_with_moves(found, letters)))


def _blocks(steps: "Iterable[Opcode]", old: list[str], new: list[str]) -> Iterator[tuple[bool, list[str], list[str]]]:
    """Stretches that are equal and stretches that are not; adjacent edits are merged into one stretch."""
    for same, group in groupby(steps, key=lambda step: step.tag == "equal"):
        own = list(group)
        yield same, old[own[0].src_start : own[-1].src_end], new[own[0].dest_start : own[-1].dest_end]


def _words(text: str) -> list[str]:
    """Words with the space after them; Chinese and Japanese are split into characters."""
    return _word().findall(text) or ([text] if text else [])


@cache
def _word() -> re.Pattern[str]:
    # Chinese and Japanese have no spaces between words: each character stands for itself.
    return re.compile(rf"\s*(?:(?!\s){CHARACTER}{marks()}*|(?:(?!{CHARACTER})\S)+)\s*")


def _spaced(left: list[str], right: list[str]) -> list[Piece]:
    """Equal words with the spacing of the new text. That is no edit: texts are put in order before they are augmented."""
    return [Piece("same", _spacing(one, other)) for one, other in zip(left, right, strict=True)]


def _spacing(old: str, new: str) -> str:
    """Of two words that differ in the white space around them at most, the one that says how they are set."""
    return old if new.strip() == new else new


def _misspelt(old: str, new: str) -> bool:
    """Whether two words are spellings of the same word, so that their letters are worth comparing."""
    from rapidfuzz.distance import Indel, Levenshtein

    old, new = old.casefold(), new.casefold()
    return Levenshtein.distance(old, new) <= _TYPOS and Indel.normalized_similarity(old, new) >= 0.5


def _letters(before: str, after: str) -> list[Piece]:
    """The edits inside a misspelt word. A letter with its marks is one; the white space around the word is no edit."""
    from rapidfuzz.distance import Levenshtein

    around = _spacing(before, after)
    old, new = _characters(before.strip()), _characters(after.strip())
    found = [Piece("same", around[: len(around) - len(around.lstrip())])]
    for step in Levenshtein.opcodes(old, new):
        left, right = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        if step.tag == "equal":
            found.append(Piece("same", right))
        else:
            found += [Piece("removed", left)] if left else []
            found += [Piece("added", right)] if right else []
    return [*found, Piece("same", _tail(around))]


def _characters(text: str) -> list[str]:
    """The characters of a text, each with its marks.

    >>> len(_characters("cafe\u0301"))
    4
    """
    starts = sorted({*edges(text)[0]})
    return [text[start:end] for start, end in pairwise(starts)]


def _with_moves(edits: list[Piece], letters: set[int]) -> list[Piece]:
    """Mark a word that was removed in one place and added in another as moved. Single letters are two typos instead."""

    def bare(piece: Piece) -> str:
        return piece.text.strip()

    words = [piece for place, piece in enumerate(edits) if place not in letters]
    removed = Counter(bare(piece) for piece in words if piece.kind == "removed")
    added = Counter(bare(piece) for piece in words if piece.kind == "added")
    both = {"removed": removed & added, "added": removed & added}
    moved: dict[str, Kind] = {"removed": "moved_from", "added": "moved_to"}
    result = []
    for place, piece in enumerate(edits):
        left = both.get(piece.kind)
        if left is not None and place not in letters and left[bare(piece)] > 0:
            left[bare(piece)] -= 1
            result.append(Piece(moved[piece.kind], piece.text))
        else:
            result.append(piece)
    return result


def _joined(edits: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    for piece in edits:
        if result and result[-1].kind == piece.kind:
            result[-1] = Piece(piece.kind, result[-1].text + piece.text)
        elif piece.text:
            result.append(piece)
    return result


def _with_replacements(edits: list[Piece]) -> list[Piece]:
    """Turn a removal next to an addition into a replacement."""
    result: list[Piece] = []
    for piece in edits:
        if result and {result[-1].kind, piece.kind} == {"removed", "added"}:
            old, new = (result[-1], piece) if piece.kind == "added" else (piece, result[-1])
            result[-1:] = [Piece("replaced_from", old.text), Piece("replaced_to", new.text)]
        else:
            result.append(piece)
    return result


_UNBROKEN = 16
"""Most characters of a mark that stays on one line, so that its sign and its word are not parted."""
_TAGS = {"added": "ins", "removed": "del", "moved_to": "mark"}
_TITLES = {"added": "added", "removed": "removed", "moved_to": "moved here"}


def edits_html(before: str, after: str) -> str:
    """The edits as escaped HTML. Moved words are shown at their new place."""
    if before == after:
        return f'<span class="same">{escape(after)}</span>'
    parts = []
    for piece in pieces(before, after):
        inner = escape(piece.text)
        if piece.kind == "replaced_from":
            parts.append(f'<span class="swap" title="replaced"><del>{inner.strip()}</del>')
        elif piece.kind == "replaced_to":
            parts.append(f"<ins>{inner.strip()}</ins></span>{_tail(inner)}")
        elif piece.kind in _TAGS and inner.strip():
            tag, start = _TAGS[piece.kind], inner[: len(inner) - len(inner.lstrip())]
            long = ' class="long"' if len(piece.text) > _UNBROKEN else ""
            parts.append(f'{start}<{tag} title="{_TITLES[piece.kind]}"{long}>{inner.strip()}</{tag}>{_tail(inner)}')
        elif piece.kind in _TAGS:
            parts.append(f'<{_TAGS[piece.kind]} title="{_TITLES[piece.kind]}">{inner}</{_TAGS[piece.kind]}>')
        elif piece.kind == "same":
            parts.append(inner)
    return "".join(parts)


def _tail(inner: str) -> str:
    """The trailing space of a stretch, which belongs outside its mark."""
    return inner[len(inner.rstrip()) :]


def legend_html() -> str:
    """The legend of the marks."""
    return (
        '<p class="edits quiet"><ins>added</ins> <del>removed</del> '
        '<span class="swap"><del>replaced</del><ins>by this</ins></span> <mark>moved here</mark></p>'
    )
