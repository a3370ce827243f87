"""`python -m workbench lesson`: the lesson as one file."""

import argparse
from collections.abc import Sequence

from workbench.commands._flags import none_left
from workbench.core.paths import check_writable
from workbench.core.writing import write_text

HELP = "Write the lesson as one HTML file that works in any browser, without Python, server or network."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("--html", metavar="FILE", default="lesson.html", help="Where to (default: lesson.html).")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Write the file."""
    from workbench.lesson.document import document

    none_left(extra)
    path = check_writable(asked.html)
    write_text(path, document())
    print(f"{path}: open it in a browser, or hand it out; `{path.name}?step=mean` opens a step.")
    return 0
