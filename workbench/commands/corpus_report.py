"""`python -m workbench corpus_report CORPUS`: what is wrong with the texts of a training, before it."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench import api
from workbench.commands._flags import CORPUS, none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.core.writing import plain
from workbench.data.dropped import counts_said
from workbench.verbs.corpus_report import VERB

if TYPE_CHECKING:
    from pandas import DataFrame

HELP = "Check a corpus before a fine-tune: token lengths, copies, false negatives, and evaluation sentences in it."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    usual = VERB.defaults["corpus"]
    parser.add_argument("corpus", nargs="?", default=usual, metavar="CORPUS", help=f"{CORPUS} (default: {usual})")
    of_request(parser, VERB, without=("corpus",))
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the figures, the warnings and the overlap with pair sets; as CSV the overlap, as JSON everything."""
    none_left(extra)
    given = {name: getattr(asked, name) for name in VERB.fields if name != "corpus"}
    with Line() as line:
        report = api.corpus_report(asked.corpus, runs=asked.runs, follow=line, **given)
    if asked.format == "json":
        print(json.dumps(plain(report), indent=1, ensure_ascii=False))
        return 0
    if asked.format == "csv":
        show(_overlap(report), asked.format)
        return 0
    for text in _lines(report):
        print(text)
    if report["overlap"]:
        show(_overlap(report), asked.format)
    return 0


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The figures, then how the corpus was read, then the warnings."""
    tokens, copies = report["tokens"], report["copies"]
    different = f"{report['distinct']:,} of them different"
    sampled = report["sampled"] < report["texts"]
    yield f"{report['name']}: {report['rows']:,} rows, {report['texts']:,} texts" + (
        f", {different}" if not sampled else ""
    )
    if sampled:
        yield f"The other figures are of {report['sampled']:,} texts drawn at random, {different}."
    cut = f"{100 * tokens['truncated']:.1f} % longer than {report['max_length']}"
    yield f"tokens: {tokens['mean']:.1f} a text, {cut}; {100 * tokens['unknown']:.2f} % unknown"
    yield f"copies: {copies['exact']['copies']:,} exact, {copies['near']['texts']:,} texts with a near one"
    yield f"false negatives: {copies['near']['false_negatives']:.2f} in a batch of {report['batch_size']}"
    yield from report["notices"]
    yield from counts_said(report["name"], report["dropped"])
    yield from (f"warning: {warning}" for warning in report["warnings"])


def _overlap(report: Mapping[str, Any]) -> "DataFrame":
    """One row for each pair set: how many of its sentences, pairs, and pairs with their gold score the corpus has, and the mark
    that its scores would carry.
    """
    import pandas

    from workbench.data.marks import of_overlap

    columns = ["name", "sentences", "common", "pairs", "pairs_with_both", "pairs_with_gold"]
    table = pandas.DataFrame(report["overlap"], columns=columns)
    return table.assign(mark=[of_overlap(row) for row in report["overlap"]])
