"""`python -m workbench compare_methods TARGETS...`: what a test says of methods, over seeds and pairs."""

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import LATEX, Line, format_flag, show_latex
from workbench.commands._verbs import VerbCommand
from workbench.store.names import runs_place
from workbench.targets.methods import methods_of
from workbench.targets.target import parse
from workbench.verbs.compare_methods import VERB, ComparedMethods

if TYPE_CHECKING:
    from workbench.core.records import Row
    from workbench.report.blocks import Sheet
    from workbench.report.material import Material

HELP = VERB.summary


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    of_request(parser, VERB)
    format_flag(parser, latex="the tables of a report for a paper, with booktabs; the first target is the baseline.")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the tables, and with `--format latex` those of a report, with notices to stderr."""
    if asked.format != LATEX:
        return VerbCommand(VERB).answer(asked, extra)
    none_left(extra)
    with Line() as line:
        compared = api.compare_methods(
            asked.targets, pairs=asked.pairs, by=asked.by, slices=asked.slices, runs=asked.runs, follow=line
        )
    show_latex(_sheets(compared, asked))
    for notice in compared.notices:
        print(notice, file=sys.stderr)
    return 0


def _sheets(compared: ComparedMethods, asked: argparse.Namespace) -> "Iterator[Sheet]":
    """The methods against the baseline, every two of them, and the groups of pairs, as far as there are any."""
    from workbench.report.blocks import Sheet
    from workbench.report.groups import groups
    from workbench.report.verdicts import every_two, methods

    material = _material(compared, asked)
    for section in (methods(material), every_two(material), groups(material)):
        sheets = [block for block in section.blocks if isinstance(block, Sheet)] if section else []
        yield from sheets[:1]


def _material(compared: ComparedMethods, asked: argparse.Namespace) -> "Material":
    """The comparison as a report takes it."""
    import pandas

    from workbench.data.marks import SHARE
    from workbench.report.material import Asked, Training
    from workbench.scoring.train_test_overlap import OverlapColumns
    from workbench.verbs.report import of_comparison

    def seen(row: "Row") -> OverlapColumns:
        if pandas.isna(row["seen_of"]):
            return {}
        common, sentences = int(row["sentences_seen"]), int(row["seen_of"])
        return {
            "sentences_seen": common,
            "seen_of": sentences,
            "transductive": common >= SHARE * sentences,
            "gold_seen": int(row["gold_seen"]),
        }

    folder = runs_place(asked.runs)
    grouped = methods_of([parse(target, folder) for target in asked.targets])
    targets = {target.text: target for method in grouped for target in method.targets}
    trainings = [
        Training(
            row["method"],
            targets[row["target"]],
            None if pandas.isna(row["seed"]) else int(row["seed"]),
            row["spearman"],
            {"n": compared.n, "reference": asked.pairs},
            seen(row),
            row["fitted_on"],
        )
        for row in compared.trainings.to_dict("records")
    ]
    command = shlex.join(["python", "-m", "workbench", "compare_methods", *asked.targets, "--pairs", asked.pairs])
    return of_comparison(compared, Asked("", asked.pairs, grouped[0].name, False, command), grouped, trainings)
