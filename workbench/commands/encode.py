"""`python -m workbench encode`: texts to vectors."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line
from workbench.core.errors import BadData
from workbench.core.paths import check_writable
from workbench.core.writing import output_file
from workbench.verbs import encode

HELP = "Encode texts as vectors; without texts, standard input is read, one text per line."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    of_request(parser, encode.VERB)
    parser.add_argument(
        "--out", metavar="FILE.npy", help="Write the float32 array to a file instead of printing JSON lines."
    )


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print vectors as JSON lines, or write them as one .npy file."""
    import json

    import numpy

    none_left(extra)
    out = check_writable(asked.out) if asked.out else None
    texts = asked.texts or list(_lines(sys.stdin.buffer))
    with Line() as line:
        vectors = api.encode(texts, target=asked.target, precision=asked.precision, runs=asked.runs, follow=line)
    if out:
        with output_file(out) as file:
            numpy.save(file, vectors, allow_pickle=False)
        print(f"{vectors.shape[0]} x {vectors.shape[1]} float32 in {out}")
        return 0
    for row in vectors:
        print(json.dumps([round(float(number), 6) for number in row]))
    return 0


def _lines(source: BinaryIO) -> Iterator[str]:
    """The texts of the input, one per line.

    Raises:
        BadData: a line that is not UTF-8.
    """
    for number, raw in enumerate(source, 1):
        try:
            yield raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise BadData(
                f"The input is not UTF-8 text: line {number}.",
                rule="It has one text per line.",
                reason=str(error),
                way_out="Save it as UTF-8.",
            ) from None
