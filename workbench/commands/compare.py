"""`python -m workbench compare`: targets on one pair set."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import Line, format_flag, show

HELP = "Several targets on one scored pair set."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("targets", nargs="+", metavar="TARGET")
    one.add_argument("--pairs", default="demo:dev")
    format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line a target, and below what must be known about them."""
    none_left(extra)
    with Line() as line:
        table = api.compare(asked.targets, pairs=asked.pairs, runs=asked.runs, follow=line)
    if asked.format == "table":
        table = table.assign(**{name: 100 * table[name] for name in ("spearman", "low", "high")})
    show(table, asked.format)
    if asked.format == "table":
        for notice in table.attrs["notices"]:
            print(notice)
    return 0
