"""`python -m workbench evaluate`: the tasks of a suite."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import pairs_of
from workbench.commands._showing import Line, format_flag, show
from workbench.core import presets
from workbench.evaluation import METHODS as SUITES
from workbench.verbs.evaluate import VERB as EVALUATE

if TYPE_CHECKING:
    from pandas import DataFrame

HELP = "The tasks of a suite that are present in a folder, or a table of your own."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("target", help="A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ...")
    parser.add_argument(
        "--suite",
        default=presets.SUITE,
        choices=list(SUITES),
        help="The suite; its settings are flags too, such as --folds 5. See `list suites`.",
    )
    parser.add_argument(
        "--data",
        metavar="PATH",
        required=True,
        help="The folder with its tasks; for suites with columns of their own also FILE or FILE#ROLE=COLUMN,...",
    )
    EVALUATE.fields["precision"].flag(parser, "precision", EVALUATE.defaults["precision"])
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the table, below it the mean and absent tasks, and notices to stderr; in JSON they are parts of the object."""
    settings = pairs_of(extra)
    with Line() as line:
        table = api.evaluate(
            target=asked.target,
            suite=asked.suite,
            data=asked.data,
            settings=settings,
            precision=asked.precision,
            runs=asked.runs,
            follow=line,
        )
    if asked.format == "json":
        import json

        from workbench.core.writing import plain

        print(json.dumps(plain({**table.attrs, "tasks": table.to_dict("records")}), indent=1))
        return 0
    if asked.format == "csv":
        show(table, asked.format)
        _print_notices(table)
        return 0
    shares = {column.name for column in SUITES[asked.suite].columns if column.share}
    ending = f"_{table.attrs['precision']}"  # of scores that are not in fp32
    shown = table.assign(**{name: 100 * table[name] for name in table if name.removesuffix(ending) in shares})
    show(shown.drop(columns="fitted_on"), asked.format)
    _print_notes(table, asked.suite)
    _print_notices(table)
    return 0


def _print_notices(table: "DataFrame") -> None:
    for notice in table.attrs["notices"]:
        print(notice, file=sys.stderr)


def _print_notes(table: "DataFrame", suite: str) -> None:
    """Print the lines below the table."""
    about = table.attrs
    if mean := about["mean"]:
        of = f" (of '{SUITES[suite].score}')" if SUITES[suite].aggregations else ""
        precision = "" if about["precision"] == "fp32" else f", {about['precision']}"
        print(f"{mean['label']}{precision}: {100 * mean['value']:.2f}{of}")
    if about["absent"]:
        print(f"absent: {', '.join(about['absent'])}")
    protocol = f"{about['precision']}, max_length {about['max_length']}"
    print(f"{SUITES[suite].measure.format_map(about)}, 95 % interval from low to high; {protocol}")
    if about["fitted_on"]:
        print(f"fitted on {about['fitted_on']}")
