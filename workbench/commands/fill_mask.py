"""`python -m workbench fill_mask`: the predictions of a masked language model."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands import _showing
from workbench.commands._flags import none_left, of_request
from workbench.commands._texts import texts_of
from workbench.core.errors import BadSetting
from workbench.verbs import fill_mask

HELP = "Predict the word at each [MASK] of the texts, with probabilities."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "texts",
        nargs="+",
        metavar="TEXT",
        help="With [MASK] in place of each word to predict; - for the lines of standard input.",
    )
    parser.add_argument(
        "--words",
        nargs="+",
        default=[],
        metavar="WORD",
        help="The true words behind the masks, in order; each is shown with its rank. For one text.",
    )
    of_request(parser, fill_mask.VERB, without=("texts", "words"))
    _showing.format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print the predictions, the true words marked."""
    none_left(extra)
    texts = texts_of(asked.texts)
    if asked.words and len(texts) > 1:
        raise BadSetting("--words are for one text.", got=f"{len(texts)} texts")
    words = [asked.words] if asked.words else []
    with _showing.Line() as line:
        table = api.fill_mask(texts, words=words, target=asked.target, top=asked.top, runs=asked.runs, follow=line)
    if asked.format == "table":
        table = table.assign(
            probability=[f"{100 * share:.2f} %" for share in table["probability"]],
            true=["the true word" if true else "" for true in table["true"]],
        )
    _showing.show(table, asked.format)
    return 0
