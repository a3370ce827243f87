"""`python -m workbench doctor`: what is amiss."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import format_flag, show

HELP = "What this machine and runs folder can do, and what is amiss."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line a check; 1 if something is a problem."""
    none_left(extra)
    table = api.doctor(runs=asked.runs)
    if asked.format == "table":
        for row in table.itertuples():
            print(f"{row.state:<8} {row.check}: {row.finding}{'. ' + row.way_out if row.way_out else ''}")
    else:
        show(table, asked.format)
    return int((table["state"] == "problem").any())
