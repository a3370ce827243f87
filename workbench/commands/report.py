"""`python -m workbench report TARGETS... --out FOLDER`: a report that can be handed in."""

import argparse
from collections.abc import Sequence

from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line
from workbench.verbs import VERBS

HELP = VERBS["report"].summary


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="Methods; the first is the baseline. Runs that differ in their seed are one.",
    )
    of_request(parser, VERBS["report"], without=("targets",))
    parser.add_argument(
        "--out", metavar="FOLDER", default="report", help="The new folder to write; a zip is put beside it."
    )


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Write the folder and print where it is."""
    from workbench import api

    none_left(extra)
    given = {name: getattr(asked, name) for name in VERBS["report"].fields if name != "targets"}
    with Line() as line:
        folder = api.report(asked.targets, asked.out, runs=asked.runs, follow=line, **given)
    print(f"{folder / 'report.html'}: open it in a browser, or hand it in. {folder.name}.zip has all files.")
    return 0
