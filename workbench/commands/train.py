"""`python -m workbench train`: a run by a recipe, followed."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from workbench import api
from workbench.commands import _dry_run, _flags, _showing
from workbench.commands._submitting import carry_out
from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.scheduler import supervision
from workbench.store.names import runs_folder

HELP = (
    "Fine-tune a backbone by a recipe, and follow it. Ctrl-C stops the run and keeps its checkpoint; stopped, also from "
    "elsewhere, the status is 130."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("--recipe", default=presets.RECIPE, help="An id: see recipe list.")
    parser.add_argument(
        "--backbone",
        default="",
        help="An embedded id, a Hub id, or a model folder (default: that of the recipe, mostly mini-mlm).",
    )
    parser.add_argument("--corpus", default="demo", help=f"{_flags.CORPUS} (default: demo)")
    parser.add_argument(
        "--official",
        action="store_true",
        help="The published settings as far as the recipe has them, even where the backbone's card differs; epochs where they "
        "are known, unless --steps is given. The recipe's notes say what still differs.",
    )
    parser.add_argument(
        "--after",
        default="",
        metavar="RUN",
        help="Start from the best checkpoint of a finished run: a second stage.",
    )
    _flags.minutes_flag(parser)
    parser.add_argument("--name", default="", help="A label.")
    _flags.accept_flag(parser)
    _flags.on_flag(parser)
    parser.add_argument("--detach", action="store_true", help="Queue it and return.")
    _dry_run.dry_run_flag(parser)
    _flags.of_a_run(parser)
    parser.epilog = (
        "The loss of the recipe and its settings are flags too: --loss ID --temperature 0.1; see list losses. Every value "
        "also has its full name, such as --probe.every 5."
    )


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Submit a run and follow it; see `carry_out`."""
    wanted = {"backbone": asked.backbone, "corpus": asked.corpus, "official": asked.official, "name": asked.name}
    wanted |= {"accept": asked.accept}
    changed = _flags.changes(asked, extra) | ({"after": asked.after} if asked.after else {})
    if asked.minutes is not None:
        with _showing.Line() as line:
            of_the_trial = {**wanted, "recipe": asked.recipe, "runs": asked.runs, "follow": line}
            changed |= api.steps_for(minutes=asked.minutes, **of_the_trial, **changed)
    config = api.settle(asked.recipe, **wanted, runs=asked.runs, **changed)
    if asked.dry_run:
        _dry_run.rehearse(config, asked.runs, asked.format)
        return 0
    with suppress(WorkbenchError, OSError):  # it prepares a worker meanwhile; `submit` reports what is wrong
        supervision.supervisor(runs_folder(asked.runs)).ensure()
    wanted |= {"on": asked.on or "", "runs": asked.runs}
    return carry_out(asked, config, partial(api.train, asked.recipe, **wanted, **changed))
