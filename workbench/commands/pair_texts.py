"""`python -m workbench pair_texts PAIRS`: the distinct sentences of a pair set, one on each line."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.verbs.pair_texts import VERB

HELP = "The distinct sentences of a pair set, one on each line, such as for encode - or project -."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    usual = VERB.defaults["pairs"]
    parser.add_argument(
        "pairs",
        nargs="?",
        default=usual,
        metavar="PAIRS",
        help=f"{VERB.fields['pairs'].help} (default: {usual})",
    )
    of_request(parser, VERB, without=("pairs",))
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the sentences; a line break within one is printed as a space, and kept in CSV and JSON."""
    none_left(extra)
    with Line() as line:
        sentences = api.pair_texts(asked.pairs, rows=asked.rows, most=asked.most, runs=asked.runs, follow=line)
    if asked.format == "json":
        print(json.dumps(asdict(sentences), indent=1, ensure_ascii=False))
    elif asked.format == "csv":
        import pandas

        show(pandas.DataFrame({"text": sentences.texts}), asked.format)
    else:
        for text in sentences.texts:
            print(" ".join(text.split("\n")))
    return 0
