"""`python -m workbench sweep`: grids and tournaments from the command line."""

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands import _flags
from workbench.commands._showing import FORMATS, LATEX, again, show, show_latex
from workbench.core import presets
from workbench.core.config import Value
from workbench.core.errors import BadSetting
from workbench.data.references import named_by
from workbench.preflight import acknowledgements
from workbench.store.events import DONE
from workbench.sweeps import NEGATIVE, POSITIVE, Plan, values_of
from workbench.sweeps.results import CHECKPOINTS, MEASURES, measure_of, pair_sets

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.report.blocks import Sheet

HELP = "Runs over one or two settings, or a tournament of augmentations, and their results."

_EVERY_SECONDS = 2.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command, and those of a run."""
    parser.add_argument("what", choices=("grid", "tournament", "list", "show", "stop", "delete"))
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="tournament: augmentations; show, stop, delete: a sweep, by its id, a unique beginning of it, or its title. "
        "stop: its waiting runs are removed from the queue and its running ones are stopped, also where another sweep "
        "shares them; none is deleted, and the same grid or tournament again resumes them. delete: the sweep, but not its runs.",
    )
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="SETTING=VALUES",
        help="grid: temperature=0.03,0.05 or augment_b='none | eda_swap(rate=0.2)'; twice for two settings.",
    )
    parser.add_argument("--seeds", type=int, default=1, help="Seeds per setting, counted up from --seed (default: 1).")
    parser.add_argument(
        "--roles",
        nargs="+",
        default=[POSITIVE, NEGATIVE],
        choices=(POSITIVE, NEGATIVE),
        help="tournament: what each augmentation makes (default: both).",
    )
    parser.add_argument("--recipe", default=presets.RECIPE, help="An id: see recipe list.")
    parser.add_argument(
        "--backbone", default="", help="An embedded id, a Hub id, or a folder (default: that of the recipe)."
    )
    parser.add_argument("--corpus", default="demo", help=f"{_flags.CORPUS} (default: demo)")
    parser.add_argument("--official", action="store_true", help="The published settings, see train --help.")
    parser.add_argument("--name", default="", help="A label.")
    _flags.accept_flag(parser)
    _flags.on_flag(parser)
    parser.add_argument("--dry", action="store_true", help="Print how many runs it would be, without queueing any.")
    parser.add_argument("--detach", action="store_true", help="Queue them and return.")
    parser.add_argument(
        "--measure", default="spearman", choices=tuple(MEASURES), help="What is shown (default: spearman)."
    )
    parser.add_argument("--pairs", default="", help="A pair set that the runs were scored on (default: the first).")
    parser.add_argument(
        "--checkpoint",
        default="best",
        choices=CHECKPOINTS,
        help="best: the step a run chose, or else its last (default: best).",
    )
    words = "csv and json: one row per run. latex: the table of show for a paper, with booktabs."
    parser.add_argument("--format", choices=(*FORMATS, LATEX), default="table", help=words)
    _flags.of_a_run(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`sweep grid|tournament|list|show|stop|delete`. After an interrupt while waiting, the runs go on."""
    changes = _flags.changes(asked, extra)
    if asked.what == "list":
        import pandas

        _flags.none_left(asked.names)
        rows = []
        for sweep in api.sweeps(runs=asked.runs):
            states = sweep.states
            done = f"{states.get('done', 0)} of {len(sweep.cells)}"
            rows.append({"id": sweep.id, "title": sweep.title, "done": done, "missing": states.get("missing", 0)})
        show(pandas.DataFrame(rows, columns=["id", "title", "done", "missing"]), asked.format)
        return 0
    if asked.what in _OF_ONE:
        if len(asked.names) != 1:
            raise BadSetting(f"sweep {asked.what} needs one sweep.", way_out="See: sweep list.")
        return _OF_ONE[asked.what](asked, asked.names[0])
    wanted = {"seeds": asked.seeds, "backbone": asked.backbone, "corpus": asked.corpus, "official": asked.official}
    wanted |= {"name": asked.name, "recipe": asked.recipe, "runs": asked.runs, "accept": asked.accept, **changes}
    wanted["on"] = asked.on or ""
    if asked.what == "grid":
        if asked.names:
            raise BadSetting(f"{asked.names[0]!r} does not belong to a flag.", way_out="Write --over SETTING=VALUES.")
        over = _axes(asked.over)
        plan = api.plan_grid(over=over, **wanted)
    else:
        wanted["roles"] = asked.roles
        plan = api.plan_tournament(asked.names, **wanted)
    print(_cost(plan), file=sys.stderr, flush=True)
    if asked.dry:
        for name, text in acknowledgements.lacking_of(plan.configs.values()).items():
            print(f"must be accepted: {name}: {text}", file=sys.stderr)
        return 0
    made = api.grid(over=over, **wanted) if asked.what == "grid" else api.tournament(asked.names, **wanted)
    print(made.id, flush=True, file=sys.stdout if asked.format == "table" else sys.stderr)
    if asked.detach:
        return 0 if asked.format in ("table", LATEX) else _show(asked, made.id)
    status = _follow(asked, made.id)
    print(f"{made.id} can be shown again with: {again(asked.runs, 'sweep', 'show', made.id)}", file=sys.stderr)
    return status


def _stop(asked: argparse.Namespace, name: str) -> int:
    stopped = api.stop_sweep(name, runs=asked.runs)
    for run in stopped:
        print(f"{run.id} is {run.state}.")
    if not stopped:
        print(f"No run of {name} is waiting or running.")
    return 0


def _delete(asked: argparse.Namespace, name: str) -> int:
    sweep = api.sweep(name, runs=asked.runs)
    api.delete_sweep(sweep.id, runs=asked.runs)
    print(f"{sweep.id} is deleted; its runs are kept.")
    return 0


def _axes(words: Sequence[str]) -> dict[str, list[Value]]:
    axes: dict[str, list[Value]] = {}
    for text in words:
        name, equals, values = text.partition("=")
        if not equals or not name.strip():
            raise BadSetting(
                f"--over {text!r} is not an axis.", rule="It is SETTING=VALUES, such as temperature=0.03,0.05."
            )
        axes[name.strip().replace("-", "_")] = values_of(values)
    return axes


def _cost(plan: Plan) -> str:
    """The number of runs, and their time and size as far as earlier runs tell."""
    missing = len(plan.missing)
    parts = [f"{len(plan.configs)} run{'s' * (len(plan.configs) != 1)}, {missing} still to run"]
    if missing and plan.seconds is not None:
        parts.append(f"about {plan.seconds / 60:.0f} min one after the other")
    if missing and plan.size_bytes is not None:
        parts.append(f"about {plan.size_bytes / 1e9:.1f} GB")
    unknown = missing and plan.seconds is None
    return ", ".join(parts) + ("; no similar run has finished here yet" if unknown else "")


def _follow(asked: argparse.Namespace, name: str) -> int:
    before = ""
    while True:
        states = api.sweep(name, runs=asked.runs).states
        line = ", ".join(f"{count} {state}" for state, count in states.items())
        if line != before:
            print(line, file=sys.stderr, flush=True)
            before = line
        if not api.sweep(name, runs=asked.runs).live:
            return _show(asked, name)
        api.runs(asked.runs)  # starts a supervisor, should the last one have ended
        time.sleep(_EVERY_SECONDS)


def _failures(sweep: api.Sweep, runs: str | None) -> None:
    """Print why runs ended with an error: each reason once, with the way to a run that it ended."""
    for reason, failed in sweep.failures.items():
        several = "1 run" if len(failed) == 1 else f"{len(failed)} runs"
        print(
            f"{several} ended with an error. {reason} See: {again(runs, 'runs', 'show', failed[0].id)}", file=sys.stderr
        )


def _corpora(sweep: api.Sweep) -> None:
    """Print how the corpora of its runs were read, each notice once."""
    for notice in dict.fromkeys(notice for run in sweep.runs.values() for notice in run.corpus_notices):
        print(f"corpus: {notice}", file=sys.stderr)


def _check_measured(sweep: api.Sweep, asked: argparse.Namespace) -> None:
    known = pair_sets(sweep)
    scored = f"They were scored on {', '.join(known)}." if known else "They were scored on no pairs."
    if asked.pairs and asked.pairs not in known:
        raise BadSetting(f"No run of {sweep.id} was scored on {asked.pairs!r}.", way_out=scored)
    values = sweep.results(asked.measure, pairs=asked.pairs, checkpoint=asked.checkpoint)["value"]
    if values.isna().all():
        raise BadSetting(
            f"No run of {sweep.id} has {asked.measure}, {asked.checkpoint} checkpoint.",
            rule=scored,
            way_out="Name another --measure or --checkpoint.",
        )


def _show(asked: argparse.Namespace, name: str) -> int:
    """Print why runs failed and how their corpora were read, then one row per setting as a table,
    or one row per run as CSV or JSON.

    Returns:
        The exit status: 1 if all runs have ended and none of them is done.

    Raises:
        BadSetting: runs are done, and none has the measure, or none on these pairs.
    """
    sweep = api.sweep(name, runs=asked.runs)
    _failures(sweep, asked.runs)
    _corpora(sweep)
    on = {"pairs": asked.pairs, "checkpoint": asked.checkpoint}
    if DONE in sweep.states or (asked.pairs and not sweep.live):
        _check_measured(sweep, asked)
    status = 0 if DONE in sweep.states or sweep.live else 1
    if asked.format in ("csv", "json"):
        show(sweep.results(asked.measure, **on), asked.format)
        return status
    table = sweep.summary(asked.measure, **on)
    about = measure_of(asked.measure)
    numbers = ["mean", "sd", "low", "high", "delta", "delta_low", "delta_high"]
    shown = table.assign(**{column: about.scale * table[column] for column in numbers})
    shown = shown.sort_values("mean", ascending=not about.higher, na_position="last")
    for axis in sweep.over:
        shown[axis] = [str(value) if value != "" else "none" for value in shown[axis]]
    attrs = table.attrs
    where = f" on {attrs['pairs']}, {attrs['checkpoint']} checkpoint" if attrs["pairs"] else ""
    against = "no augmentation" if sweep.kind == "tournament" else "the best"
    selections = [run.config.selection for run in sweep.runs.values() if not run.problem]
    if attrs["checkpoint"] == "best" and any(named_by(ref, attrs["pairs"]) for one in selections for ref in one.scored):
        where += " (each step was chosen on these pairs, which flatters it)"
    caption = f"{about.words}{where}; 95 % t intervals over seeds; differences paired with {against}, p after Holm"
    if asked.format == LATEX:
        show_latex([_sheet(sweep, shown, caption)])
        return status
    show(shown[[*sweep.over, "n", *numbers, "p_holm", "standing"]], "table")
    print(caption)
    return status


def _sheet(sweep: api.Sweep, shown: "DataFrame", caption: str) -> "Sheet":
    """The rows of `show` as a table of a paper: bold where a test tells the reference from every other."""
    from workbench.plots.takeaway import number
    from workbench.report.blocks import Cell, Sheet

    def figure(value: float) -> str:
        return "" if math.isnan(value) else number(value)

    def between(low: float, high: float) -> str:
        return "" if math.isnan(low) or math.isnan(high) else f"{number(low)} to {number(high)}"

    alone = set(shown["standing"]) == {"reference", "worse"}
    rows = []
    for row in shown.to_dict("records"):
        first = row["standing"] == "reference"
        spread = f" ± {number(row['sd'])}" if row["n"] > 1 else ""
        mean = Cell(figure(row["mean"]) + spread, between(row["low"], row["high"]), strong=first and alone)
        delta = Cell(figure(row["delta"]), between(row["delta_low"], row["delta_high"]))
        axes = [Cell(row[axis]) for axis in sweep.over]
        rows.append((*axes, Cell(str(row["n"])), mean, delta, Cell(figure(row["p_holm"])), Cell(row["standing"])))
    head = (*sweep.over, "n", "mean ± sd", "difference", "p", "")
    return Sheet(sweep.id, caption, head, tuple(rows), shown, words=len(sweep.over))


_OF_ONE: dict[str, Callable[[argparse.Namespace, str], int]] = {"show": _show, "stop": _stop, "delete": _delete}
"""What is done with one sweep."""
