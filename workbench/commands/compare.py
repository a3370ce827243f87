"""`python -m workbench compare`: targets on one pair set."""

import argparse
import sys
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import Line, format_flag, show
from workbench.metrics.uniformity import EXACT
from workbench.verbs._fields import EncodedList, Pairs

HELP = "Several targets on one scored pair set."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("targets", nargs="+", metavar="TARGET", help=EncodedList().help)
    parser.add_argument("--pairs", default="demo:dev", help=f"{Pairs().help} (default: demo:dev)")
    parser.add_argument("--exact", action="store_true", help=EXACT)
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print one line per target, and notices to stderr."""
    none_left(extra)
    with Line() as line:
        table = api.compare(asked.targets, pairs=asked.pairs, exact=asked.exact, runs=asked.runs, follow=line)
    if asked.format == "table":
        table = table.assign(**{name: 100 * table[name] for name in ("spearman", "low", "high")})
    show(table, asked.format)
    for notice in table.attrs["notices"]:
        print(notice, file=sys.stderr)
    return 0
