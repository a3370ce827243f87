"""`python -m workbench doctor`: check this installation."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import none_left
from workbench.commands._showing import format_flag, show

HELP = "Check packages, devices, weights, and the runs folder with its processes."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print one line per check; status 1 if one found a problem."""
    none_left(extra)
    table = api.doctor(runs=asked.runs)
    if asked.format == "table":
        for row in table.itertuples():
            way_out = f"{'' if row.finding.endswith('.') else '.'} {row.way_out}" if row.way_out else ""
            print(f"{row.state:<8} {row.check}: {row.finding}{way_out}")
    else:
        show(table, asked.format)
    return int((table["state"] == "problem").any())
