"""`python -m workbench augment`: draws of an augmentation."""

import argparse
import sys
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import CORPUS, pairs_of
from workbench.commands._showing import Line, format_flag, show
from workbench.commands._texts import texts_of

HELP = "Seeded draws of one augmentation, or of a pipeline in one line."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "name", help="An id, whose settings are flags (--rate 0.2), or 'eda_swap(rate=0.2) + typo_noise@0.5'."
    )
    parser.add_argument("texts", nargs="+", metavar="TEXT", help="Or -: each line of standard input.")
    parser.add_argument("--seed", type=int, default=0, help="The seed of the draws (default: 0).")
    parser.add_argument("--draws", type=int, default=1, help="Variants of each text (default: 1).")
    parser.add_argument(
        "--protect", action="append", default=[], metavar="TERM", help="A term that may not be changed; once for each."
    )
    parser.add_argument(
        "--protect-pattern", default="", metavar="REGEX", help="Text that matches it may not be changed."
    )
    parser.add_argument(
        "--corpus", default="demo", help=f"The corpus that statistics are counted over (default: demo): {CORPUS}"
    )
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print one line per draw."""
    given = {name: getattr(asked, name) for name in ("seed", "draws", "protect", "protect_pattern", "corpus", "runs")}
    texts = texts_of(asked.texts)
    with Line() as line:
        table = api.augment(asked.name, texts, follow=line, **given, **pairs_of(extra))
    for caution in [*table.attrs["cautions"], *filter(None, [table.attrs["inside"]])]:
        print(caution, file=sys.stderr)
    if asked.format == "table":
        for row in table.itertuples():
            print(row.text if row.changed else f"{row.text}  (unchanged)")
        return 0
    show(table, asked.format)
    return 0
