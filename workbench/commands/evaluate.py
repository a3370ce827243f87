"""`python -m workbench evaluate`: the tasks of a suite."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import pairs_of
from workbench.commands._showing import LATEX, Line, format_flag, show, show_latex
from workbench.core import presets
from workbench.evaluation import METHODS as SUITES
from workbench.statistics.linked_pairs import of_rows
from workbench.verbs.evaluate import VERB as EVALUATE

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.report.blocks import Sheet

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
    format_flag(parser, latex="the row of a paper's table, a column for each task, with booktabs and intervals.")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the table, below it the mean and absent tasks, and notices to stderr; in JSON they are parts of the object."""
    settings = pairs_of(
        extra,
        rule="evaluate takes one target.",
        way_out="Evaluate each by itself; compare takes several, on one pair set.",
    )
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
    if asked.format == LATEX:
        show_latex([_sheet(table, asked.suite)])
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
    for rule in of_rows(table.to_dict("records"), named="task"):
        print(rule)
    if about["fitted_on"]:
        print(f"fitted on {about['fitted_on']}")


def _sheet(table: "DataFrame", name: str) -> "Sheet":
    """The scores as a paper prints them: a column for each task and one for their mean, below the row those of baselines."""
    from workbench.report.blocks import Cell, Sheet
    from workbench.report.numbers import points, span, without_folders

    suite, about = SUITES[name], table.attrs
    tasks = table.drop_duplicates("task")

    def of(column: str) -> list[float]:
        """The column, which has the precision in its name if that is not fp32."""
        return list(tasks[column if column in tasks else f"{column}_{about['precision']}"])

    target, mean = without_folders(about["target"]), about["mean"]
    scores = zip(of(suite.score), of("low"), of("high"), strict=True)
    row = [Cell(target), *(Cell(points(score), span(low, high)) for score, low, high in scores)]
    rows = [row, *([Cell(words), *map(Cell, map(points, of(column)))] for column, words in suite.baselines.items())]
    head = ["Method", *(suite.tasks.get(task, task) for task in tasks["task"])]
    caption = [f"{suite.measure.format_map(about)}, 95 % {suite.interval} intervals; {about['precision']}"]
    caption[0] += f", max_length {about['max_length']}" * (about["max_length"] is not None)
    if mean:
        head.append("Avg." if mean["label"] == "avg" else "Mean")
        caption += [] if mean["label"] == "avg" else [mean["label"]]
        rows = [[*row, Cell(points(mean["value"])) if row is rows[0] else Cell("")] for row in rows]
    if suite.by:
        caption.append(f"the first of the rows by {', '.join(suite.by)}")
    caption += suite.unofficial(table)
    caption += of_rows(table.to_dict("records"), named="task")
    caption += [f"fitted on {about['fitted_on']}"] if about["fitted_on"] else []
    caption += [f"{pairs}: {words}" for pairs, words in about["marks"].items()]
    return Sheet(name, f"{suite.title}: {'; '.join(caption)}.", tuple(head), tuple(map(tuple, rows)), table)
