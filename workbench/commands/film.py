"""`python -m workbench film RUN`: the film of a run, as a table of its frames or as one file."""

import argparse
from collections.abc import Sequence

from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.core.paths import check_writable
from workbench.core.writing import write_text
from workbench.verbs import VERBS

HELP = VERBS["film"].summary


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    of_request(parser, VERBS["film"])
    parser.add_argument(
        "--html",
        metavar="FILE",
        default="",
        help="Write it as one HTML file that works in any browser, without Python, server or network.",
    )
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print one row per frame, or write the file."""
    from workbench import api
    from workbench.film.document import document

    none_left(extra)
    path = check_writable(asked.html) if asked.html else None
    with Line() as line:
        film = api.film(asked.run, runs=asked.runs, follow=line)
    if path is None:
        show(film.frames, asked.format)
        return 0
    write_text(path, document(film))
    print(f"{path}: open it in a browser, or hand it out.")
    return 0
