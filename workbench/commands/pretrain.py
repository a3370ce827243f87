"""`python -m workbench pretrain`: a language model on text of one's own, followed."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands import _flags, _showing
from workbench.core import presets
from workbench.store.commands import origins

HELP = (
    "Train or continue a masked language model on text files, and follow it. Ctrl-C stops it and keeps its checkpoint."
)


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("--recipe", default=presets.PRETRAINING, help="An id: see recipe list.")
    one.add_argument("--backbone", default="", help="An embedded id, a Hub id, or a folder; else the recipe's own.")
    one.add_argument(
        "--corpus",
        nargs="+",
        required=True,
        metavar="FILE",
        help=".txt, .txt.xz or .txt.gz: one paragraph a line, an empty line between articles.",
    )
    one.add_argument(
        "--minutes",
        type=float,
        metavar="X",
        help="As many steps as a trial says that fit into this time, in place of --steps.",
    )
    one.add_argument("--name", default="", help="A label for people.")
    _flags.accepting(one)
    one.add_argument("--detach", action="store_true", help="Queue it and return.")
    _flags.of_a_run(one, _flags.PRETRAINING)
    one.epilog = "Any value has its full name: --probe.every 5."


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Submit and follow."""
    from workbench.data.references import joined
    from workbench.store import events

    wanted = {"recipe": asked.recipe, "backbone": asked.backbone, "name": asked.name, "runs": asked.runs}
    wanted |= {"accept": asked.accept}
    changed = _flags.changes(asked, extra)
    if asked.minutes is not None:
        with _showing.Line() as line:
            changed |= api.steps_for(asked.corpus, minutes=asked.minutes, follow=line, **wanted, **changed)
    config = api.settle(corpus=joined(asked.corpus), **wanted, **changed)
    print(origins(config), flush=True)
    _showing.say_cautions(config)
    if asked.detach:
        run = api.pretrain(asked.corpus, **wanted, detach=True, **changed)
        print(f"{run.id}\nqueued in {run.folder.parent}; follow it with: python -m workbench runs show {run.id}")
        return 0
    with _showing.Bar() as bar:
        run = api.pretrain(asked.corpus, **wanted, follow=bar, **changed)
    if run.state == events.STOPPED:
        print(f"Stopped at step {run.progress.step}; resume it with: python -m workbench runs resume {run.id}")
    _showing.show_masked(run)
    _showing.show_scores(run)
    model = f"; the model is in {run.folder / 'model'}" if run.state == events.DONE else ""
    print(f"Everything is in {run.folder}{model}")
    return 0
