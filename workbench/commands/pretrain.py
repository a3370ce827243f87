"""`python -m workbench pretrain`: train or continue a masked language model on text files."""

import argparse
from collections.abc import Sequence
from functools import partial

from workbench import api
from workbench.commands import _dry_run, _flags, _showing
from workbench.commands._submitting import carry_out
from workbench.core import presets

HELP = (
    "Train or continue a masked language model on text files, and follow it. Ctrl-C stops it and keeps its checkpoint; "
    "stopped, also from elsewhere, the status is 130."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("--recipe", default=presets.PRETRAINING, help="An id: see recipe list.")
    parser.add_argument(
        "--backbone", default="", help="An embedded id, a Hub id, or a folder (default: that of the recipe)."
    )
    parser.add_argument(
        "--corpus",
        nargs="+",
        required=True,
        metavar="FILE",
        help=".txt, .txt.xz or .txt.gz: one paragraph a line, an empty line between articles.",
    )
    _flags.minutes_flag(parser)
    parser.add_argument("--name", default="", help="A label.")
    _flags.accept_flag(parser)
    _flags.on_flag(parser)
    parser.add_argument("--detach", action="store_true", help="Queue it and return.")
    _dry_run.dry_run_flag(parser)
    _flags.of_a_run(parser, _flags.PRETRAINING)
    parser.epilog = "Every value also has its full name, such as --probe.every 5."


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Submit a run and follow it; see `carry_out`."""
    from workbench.data.references import joined

    wanted = {"recipe": asked.recipe, "backbone": asked.backbone, "name": asked.name, "runs": asked.runs}
    wanted |= {"accept": asked.accept}
    changed = _flags.changes(asked, extra)
    if asked.minutes is not None:
        with _showing.Line() as line:
            changed |= api.steps_for(asked.corpus, minutes=asked.minutes, follow=line, **wanted, **changed)
    config = api.settle(corpus=joined(asked.corpus), **wanted, **changed)
    if asked.dry_run:
        _dry_run.rehearse(config, asked.runs, asked.format)
        return 0
    wanted |= {"on": asked.on or ""}
    return carry_out(asked, config, partial(api.pretrain, asked.corpus, **wanted, **changed))
