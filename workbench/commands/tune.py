"""`python -m workbench tune`: an adaptive sweep from the command line."""

import argparse
import sys
from collections.abc import Sequence

from workbench import api
from workbench.commands import _flags
from workbench.commands._showing import format_flag, show
from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.sweeps.tuning import Tuning

HELP = "Search settings with optuna: each trial is a run, and those below the median of their probes are stopped."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command, and those of a run."""
    parser.add_argument("name", nargs="?", default="", help="An adaptive sweep, to show it instead.")
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="SETTING=RANGE",
        help="temperature=0.01..0.2 or pooling=cls,mean; several times for several settings.",
    )
    parser.add_argument(
        "--trials", type=int, default=20, help="Trials in all, also those of earlier calls (default: 20)."
    )
    parser.add_argument("--at-once", type=int, default=1, help="Trials at once (default: 1).")
    parser.add_argument("--sampler-seed", type=int, default=0, help="Seed of the proposals (default: 0).")
    parser.add_argument("--recipe", default=presets.RECIPE, help="An id: see recipe list.")
    parser.add_argument("--backbone", default="", help="An embedded id, a Hub id, or a folder.")
    parser.add_argument("--corpus", default="demo", help=f"{_flags.CORPUS} (default: demo)")
    parser.add_argument("--figures", default="", metavar="FOLDER", help="Write importance and slices there as SVG.")
    _flags.accept_flag(parser)
    _flags.on_flag(parser)
    format_flag(parser)
    _flags.of_a_run(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Search, or show a search. After an interrupt its runs go on, and the same command continues."""
    changes = _flags.changes(asked, extra)
    if asked.name:
        found = api.tuning(asked.name, runs=asked.runs)
    else:
        over = {}
        for text in asked.over:
            name, equals, values = text.partition("=")
            if not equals or not name.strip():
                raise BadSetting(f"--over {text!r} is not a range.", rule="It is SETTING=RANGE: temperature=0.01..0.2.")
            over[name.strip().replace("-", "_")] = values
        before = ""

        def follow(tuning: Tuning) -> None:
            nonlocal before
            states = tuning.trials["state"].value_counts()
            line = f"{tuning.id}: " + ", ".join(f"{count} {state}" for state, count in states.items())
            if line != before:
                print(line, file=sys.stderr, flush=True)
            before = line

        wanted = {"backbone": asked.backbone, "corpus": asked.corpus, "accept": asked.accept, "on": asked.on or ""}
        wanted |= {"trials": asked.trials, "at_once": asked.at_once, "sampler_seed": asked.sampler_seed, **changes}
        found = api.tune(asked.recipe, over, **wanted, runs=asked.runs, follow=follow)
    trials = found.trials.sort_values("value", ascending=False)
    if asked.format != "table":
        show(trials, asked.format)
    else:
        show(trials.assign(value=100 * trials["value"]), "table", settings=found.settings)
        about = f"{found.id}: Spearman × 100 of the probe"
        if not found.importance.empty:  # it takes a few complete trials
            show(found.importance, "table")
            about += "; importance is the share of its variance, by fANOVA"
        print(about)
    if asked.figures:
        from workbench.plots.tuning import importance, slices

        for drawn, name in ((importance(found.importance), "importance"), (slices(found.trials), "slices")):
            print(api.save_figure(drawn, f"{asked.figures}/{found.id}-{name}.svg", width="full"), file=sys.stderr)
    return 0
