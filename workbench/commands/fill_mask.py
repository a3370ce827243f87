"""`python -m workbench fill_mask`: what a masked language model would write."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands import showing
from workbench.commands.flags import none_left
from workbench.core.errors import BadSetting

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
    one.add_argument("--backbone", default="mini-mlm", help="A masked language model: embedded, folder or Hub id.")
    one.add_argument("--top", type=int, default=10, help="Words shown for each mask.")
    showing.format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """A table, the true words marked."""
    none_left(extra)
    if asked.words and len(asked.texts) > 1:
        raise BadSetting("--words are for one text.", got=f"{len(asked.texts)} texts")
    texts = asked.texts[0] if len(asked.texts) == 1 else asked.texts
    with showing.Line() as line:
        found = api.fill_mask(
            texts, words=asked.words, backbone=asked.backbone, top=asked.top, runs=asked.runs, follow=line
        )
    if asked.format == "table":
        found = found.assign(
            probability=[f"{100 * share:.2f} %" for share in found["probability"]],
            true=["the true one" if true else "" for true in found["true"]],
        )
    showing.show(found, asked.format)
    return 0
