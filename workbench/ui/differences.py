"""What an augmentation did to a text: what was added, removed and moved, by sign and line as well as colour."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from workbench.ui.words import html

Kind = Literal["same", "added", "removed", "moved_from", "moved_to"]


@dataclass(frozen=True)
class Piece:
    """A stretch of text with one fate. Moved words appear twice: where they were and where they went."""

    kind: Kind
    text: str


def pieces(before: str, after: str) -> list[Piece]:
    """`before` and `after` as one line of edits, word by word; inside a word that was altered, letter by letter.

    >>> [(piece.kind, piece.text) for piece in pieces("a cat sat", "a big cat")]
    [('same', 'a '), ('added', 'big '), ('same', 'cat '), ('removed', 'sat')]
    """
    from rapidfuzz.distance import Indel, Levenshtein

    old, new = _words(before), _words(after)
    bare_old, bare_new = [word.strip() for word in old], [word.strip() for word in new]
    found: list[Piece] = []
    for step in Levenshtein.opcodes(bare_old, bare_new):
        left, right = old[step.src_start : step.src_end], new[step.dest_start : step.dest_end]
        if step.tag == "equal":
            found += _spaced(left, right)
        elif step.tag == "replace" and len(left) == len(right):
            for one, other in zip(left, right, strict=True):
                alike = Indel.normalized_similarity(one.strip(), other.strip())
                found += _letters(one, other) if alike >= 0.5 else [Piece("removed", one), Piece("added", other)]
        else:
            found += [Piece("removed", "".join(left))] if left else []
            found += [Piece("added", "".join(right))] if right else []
    return _joined(_with_moves(found))


def _words(text: str) -> list[str]:
    """Words with the space after them; a text without spaces (Chinese) is cut into characters."""
    words: list[str] = re.findall(r"\s*\S+\s*$|\s*\S+\s+", text)
    if len(words) <= 1 and not text.isascii() and len(text) > 8:
        return list(text)
    if words:
        tail = len(text) - sum(map(len, words))
        return words if not tail else [*words, text[-tail:]]
    return [text] if text else []


def _spaced(left: list[str], right: list[str]) -> list[Piece]:
    """Equal words whose spacing may differ: the later spacing is shown, since that is the new text's."""
    found = []
    for one, other in zip(left, right, strict=True):
        if one == other or one.strip() == one or other.strip() == other:
            found.append(Piece("same", other if len(other) > len(one) else one))
        else:
            found += _letters(one, other)
    return found


def _letters(before: str, after: str) -> list[Piece]:
    from rapidfuzz.distance import Levenshtein

    found = []
    for step in Levenshtein.opcodes(before, after):
        left, right = before[step.src_start : step.src_end], after[step.dest_start : step.dest_end]
        if step.tag == "equal":
            found.append(Piece("same", right))
        else:
            found += [Piece("removed", left)] if left else []
            found += [Piece("added", right)] if right else []
    return found


def _with_moves(found: list[Piece]) -> list[Piece]:
    """A word removed in one place and added in another has moved."""

    def bare(piece: Piece) -> str:
        return " ".join(piece.text.split())

    split = [single for piece in found for single in _singles(piece)]
    removed = Counter(bare(piece) for piece in split if piece.kind == "removed")
    added = Counter(bare(piece) for piece in split if piece.kind == "added")
    both = {"removed": removed & added, "added": removed & added}
    moved: dict[str, Kind] = {"removed": "moved_from", "added": "moved_to"}
    result = []
    for piece in split:
        left = both.get(piece.kind)
        # A single letter that vanishes here and appears there is two typos, not a move.
        if left is not None and len(bare(piece)) > 1 and left[bare(piece)] > 0:
            left[bare(piece)] -= 1
            result.append(Piece(moved[piece.kind], piece.text))
        else:
            result.append(piece)
    return result


def _singles(piece: Piece) -> list[Piece]:
    if piece.kind == "same":
        return [piece]
    return [Piece(piece.kind, word) for word in _words(piece.text)] or [piece]


def _joined(found: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    for piece in found:
        if result and result[-1].kind == piece.kind:
            result[-1] = Piece(piece.kind, result[-1].text + piece.text)
        elif piece.text:
            result.append(piece)
    return result


_TAGS = {"added": "ins", "removed": "del", "moved_to": "mark"}
_SAID = {"added": "added", "removed": "removed", "moved_to": "moved here"}


def edits_html(before: str, after: str) -> str:
    """The edits as HTML; both texts escaped. Moved words are shown where they went."""
    if before == after:
        return f'<span class="same">{html(after)}</span>'
    parts = []
    for piece in pieces(before, after):
        if piece.kind == "moved_from":
            continue
        tag = _TAGS.get(piece.kind)
        inner = html(piece.text)
        parts.append(f'<{tag} title="{_SAID[piece.kind]}">{inner}</{tag}>' if tag else inner)
    return "".join(parts)


def pair_html(first: str, second: str) -> tuple[str, str]:
    """Two sentences as HTML, each with what the other does not have underlined."""
    found = pieces(first, second)
    sides = []
    for own in (("removed", "moved_from"), ("added", "moved_to")):
        parts = [
            html(piece.text) if piece.kind == "same" else f"<u>{html(piece.text)}</u>"
            for piece in found
            if piece.kind == "same" or piece.kind in own
        ]
        sides.append("".join(parts))
    return sides[0], sides[1]


def legend_html() -> str:
    """What the marks mean."""
    return '<p class="edits quiet"><ins>added</ins> <del>removed</del> <mark>moved here</mark></p>'
