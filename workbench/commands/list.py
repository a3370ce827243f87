"""`python -m workbench list`: the methods of one kind."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import format_flag, show

HELP = "List the methods of one kind."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "kind", help="losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites, ..."
    )
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print ids and titles, or in CSV and JSON everything."""
    none_left(extra)
    table = api.list_methods(asked.kind)
    show(table[["id", "title"]] if asked.format == "table" else table, asked.format)
    return 0
