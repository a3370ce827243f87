"""Text files as a stream of articles: one paragraph a line, an empty line between articles; plain, .xz or .gz."""

import codecs
import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path

from workbench.core.errors import BadData

LONGEST = 1_000_000
"""Most characters in a line: anything longer is not a paragraph."""
WITHOUT_BREAK = 2_000
"""After this many lines without an empty one, each line counts as a separate article, until the next empty line."""
LONGEST_ARTICLE = 4_000_000
"""After this many characters the same applies, however few the lines."""
_MOST = 4 * LONGEST + 2
"""Most bytes of a line with its line end: more bytes are more than LONGEST characters in any script."""


def articles(paths: Sequence[Path]) -> Iterator[list[str]]:
    """The paragraphs of each article, in the order of the files. Memory use does not grow with the files.

    Raises:
        BadData: a missing file, a file that is not text, a damaged archive, or a line that is too long.
    """
    for path in paths:
        gathered: list[str] = []
        characters, single = 0, False
        for line in lines(path):
            if line:
                gathered.append(line)
                characters += len(line)
            else:
                if gathered:
                    yield gathered
                gathered, characters, single = [], 0, False
            if single or len(gathered) >= WITHOUT_BREAK or characters >= LONGEST_ARTICLE:
                single = True
                yield from ([one] for one in gathered)
                gathered = []
        if gathered:
            yield gathered


def lines(path: Path) -> Iterator[str]:
    """The lines of one file, stripped.

    Raises:
        BadData: see `articles`.
    """
    number = 0
    try:
        with _opened(path) as file:
            while raw := file.readline(_MOST):
                number += 1
                if number == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise BadData(f"{path.name} is UTF-16 text.", way_out="Save it as UTF-8.")
                if b"\0" in raw:
                    raise BadData(
                        f"{path.name} is not text: line {number} holds a zero byte.",
                        rule="The corpus is UTF-8, one paragraph a line, an empty line between articles.",
                        way_out="Save it as UTF-8 text.",
                    )
                endless = len(raw) == _MOST and not raw.endswith(b"\n")  # it may be cut within a character
                line = "" if endless else raw.removeprefix(codecs.BOM_UTF8 if number == 1 else b"").decode().strip()
                if endless or len(line) > LONGEST:
                    raise BadData(
                        f"Line {number} of {path.name} is longer than {LONGEST:,} characters.",
                        rule="One paragraph a line, an empty line between articles.",
                        way_out="Break the text into lines.",
                    )
                yield line
    except UnicodeDecodeError as error:
        raise BadData(
            f"{path.name} is not UTF-8 text: line {number}.", reason=str(error), way_out="Save it as UTF-8."
        ) from None
    except (lzma.LZMAError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadData(
            f"{path.name} cannot be unpacked after line {number}.", reason=str(error), way_out="Fetch it again."
        ) from None
    except OSError as error:
        raise BadData(f"{path} cannot be read.", reason=error.strerror or str(error)) from None


def _opened(path: Path) -> BufferedIOBase:
    ending = path.suffix.lower()
    if ending == ".xz":
        return lzma.open(path, "rb")
    return gzip.open(path, "rb") if ending == ".gz" else path.open("rb")
