"""`python -m workbench fill_mask`: what a masked language model would write."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands import _showing
from workbench.commands._flags import none_left, of_request
from workbench.core.errors import BadSetting
from workbench.verbs import fill_mask

HELP = "What a masked language model writes at each [MASK] of the texts, with probabilities."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("texts", nargs="+", metavar="TEXT", help="With [MASK] in the place of each word to fill in.")
    one.add_argument(
        "--words",
        nargs="+",
        default=[],
        metavar="WORD",
        help="What the masks cover, in order: each is shown with its rank. For one text.",
    )
    of_request(one, fill_mask.VERB, without=("texts", "words"))
    _showing.format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """A table, the true words marked."""
    none_left(extra)
    if asked.words and len(asked.texts) > 1:
        raise BadSetting("--words are for one text.", got=f"{len(asked.texts)} texts")
    words = [asked.words] if asked.words else []
    with _showing.Line() as line:
        found = api.fill_mask(
            asked.texts, words=words, target=asked.target, top=asked.top, runs=asked.runs, follow=line
        )
    if asked.format == "table":
        found = found.assign(
            probability=[f"{100 * share:.2f} %" for share in found["probability"]],
            true=["the true one" if true else "" for true in found["true"]],
        )
    _showing.show(found, asked.format)
    return 0
