"""`python -m workbench encode`: texts to vectors."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line
from workbench.commands._texts import texts_of
from workbench.core.errors import BadSetting
from workbench.core.paths import check_writable
from workbench.core.writing import output_file
from workbench.verbs import encode

HELP = "Encode texts as vectors; without texts, or with -, standard input is read, one text per line."


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
    if out and out.suffix != ".npy":
        raise BadSetting(f"--out cannot be {out.name!r}.", rule="It is an array of NumPy, FILE.npy.")
    texts = texts_of(asked.texts or ["-"])
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
