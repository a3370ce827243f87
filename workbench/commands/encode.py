"""`python -m workbench encode`: texts to vectors."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench import api
from workbench.commands.flags import none_left
from workbench.commands.showing import Line

HELP = "Texts to vectors; without texts, one a line from the input."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("texts", nargs="*", metavar="TEXT")
    one.add_argument("--backbone", default="minilm-l3")
    one.add_argument("--precision", default="fp32", choices=("fp32", "bf16", "auto"))
    one.add_argument("--out", metavar="FILE.npy", help="Write the float32 array there instead of JSON lines here.")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Vectors as JSON lines, or as one .npy file."""
    import json

    import numpy

    none_left(extra)
    texts = asked.texts or [line.rstrip("\n") for line in sys.stdin]
    with Line() as line:
        vectors = api.encode(texts, backbone=asked.backbone, precision=asked.precision, runs=asked.runs, follow=line)
    if asked.out:
        with Path(asked.out).open("wb") as file:
            numpy.save(file, vectors, allow_pickle=False)
        print(f"{vectors.shape[0]} x {vectors.shape[1]} float32 in {asked.out}")
        return 0
    for row in vectors:
        print(json.dumps([round(float(number), 6) for number in row]))
    return 0
