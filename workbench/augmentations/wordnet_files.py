"""WordNet's own files, condensed to what the lexicon answers from: words of meanings, steps up, opposites, base forms."""

import re
from collections.abc import Iterator
from pathlib import Path

from workbench.core.errors import BadData

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Parts of speech, by the letter and by the ending of the files."""
COUNTED = "*"
"""After the meanings of a word that was met in the texts that WordNet's authors tagged."""
_MARK = re.compile(r"\((a|p|ip)\)$")
"""Where an adjective may stand: `afloat(p)` only after its noun."""


def is_wordnet(folder: Path) -> bool:
    """Whether `folder` has WordNet's files: `data`, `index` and `exc` of every part of speech."""
    names = (name for part in PARTS.values() for name in (f"data.{part}", f"index.{part}", f"{part}.exc"))
    return all((folder / name).is_file() for name in names)


def condensed(folder: Path) -> str:
    """The files of `folder` as one text: for each part of speech a block of meanings, one of words and one of irregular forms.

    An empty line stands between blocks, and lines count from 0 within their block.

    - A meaning: its words, `_` within them; then, after a tab, the lines of the meanings one step above it, if it is a noun's,
      and its opposites. `2!17.1` says that its second word is the opposite of the first word of line 17.
    - A word in small letters, and the lines of its meanings, most frequent first. A `*` after them says that it
      was counted in at least one of them in the texts that WordNet's authors tagged.
    - An irregular form, and the words that it is a form of.

    Raises:
        BadData: a file is not one of WordNet's.
    """
    try:
        blocks = [
            block
            for part in PARTS.values()
            for block in (_meanings(folder, part), _words(folder, part), _irregular(folder, part))
        ]
        return "\n\n".join("\n".join(block) for block in blocks)
    except (ValueError, LookupError) as error:
        raise BadData(
            f"{folder} cannot be read as WordNet.",
            rule="Its files have the layout of wndb(5), as in Debian's wordnet-base.",
            got=f"{type(error).__name__}: {error}",
            way_out="Name another folder in WORKBENCH_WORDNET, or unset it to use the WordNet that is shipped.",
        ) from None


def blocks_of(text: str) -> Iterator[list[str]]:
    """The lines of each block of what `condensed` made."""
    return (block.split("\n") if block else [] for block in text.split("\n\n"))


def _meanings(folder: Path, part: str) -> Iterator[str]:
    """Layout of a line, after wndb(5): offset, file, type, number of words (hex), then word and lex id for each, number of
    pointers, then sign, offset, type and places (two hex digits of this meaning, two of the other) for each."""
    rows = _rows(folder, part)
    for line in _lines(folder / f"data.{part}"):
        fields = line.partition(" | ")[0].split()
        end = 4 + 2 * int(fields[3], 16)
        words = [_MARK.sub("", word) for word in fields[4:end:2]]
        pointers = fields[end + 1 : end + 1 + 4 * int(fields[end])]
        above, opposites = [], []
        for sign, offset, places in zip(pointers[::4], pointers[1::4], pointers[3::4], strict=True):
            if sign == "@" and part == "noun":
                above.append(str(rows[offset]))
            elif sign == "!":  # always between words of one part of speech
                opposites.append(f"{int(places[:2], 16)}!{rows[offset]}.{int(places[2:], 16)}")
        links = " ".join([*above, *opposites])
        yield " ".join(words) + (f"\t{links}" if links else "")


def _words(folder: Path, part: str) -> Iterator[str]:
    """Layout of a line: word, type, number of meanings, number of kinds of pointers, these, number of meanings again, number
    of those that were counted, the meanings' offsets."""
    rows = _rows(folder, part)
    for line in _lines(folder / f"index.{part}"):
        fields = line.split()
        counted = 5 + int(fields[3])
        offsets = fields[counted + 1 : counted + 1 + int(fields[2])]
        yield " ".join([fields[0], *(str(rows[offset]) for offset in offsets)]) + COUNTED * (int(fields[counted]) > 0)


def _irregular(folder: Path, part: str) -> Iterator[str]:
    for line in _lines(folder / f"{part}.exc"):
        yield " ".join(line.split())


def _rows(folder: Path, part: str) -> dict[str, int]:
    """Lines by offset."""
    return {line[:8]: row for row, line in enumerate(_lines(folder / f"data.{part}"))}


def _lines(path: Path) -> list[str]:
    """The lines of a file without those of the licence, which begin with a space."""
    return [line for line in path.read_text("utf-8").split("\n") if line.strip() and line[0] != " "]
