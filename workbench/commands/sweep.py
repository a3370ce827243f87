"""`python -m workbench sweep`: grids and tournaments from the command line."""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from workbench import api
from workbench.commands import _flags
from workbench.commands._showing import format_flag, show
from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.preflight import acknowledgements
from workbench.sweeps import NEGATIVE, POSITIVE, Plan, values_of
from workbench.sweeps.results import CHECKPOINTS, MEASURES, measure_of

HELP = "Runs over one or two settings, or a tournament of augmentations, and what came of them."

_EVERY_SECONDS = 2.0


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own; those of a run come beside them."""
    one.add_argument("what", choices=("grid", "tournament", "list", "show", "delete"))
    one.add_argument("names", nargs="*", metavar="NAME", help="tournament: augmentations; show, delete: a sweep.")
    one.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="SETTING=VALUES",
        help="grid: temperature=0.03,0.05 or augment_b='none | eda_swap(rate=0.2)'; twice for two settings.",
    )
    one.add_argument("--seeds", type=int, default=1, help="Runs of each, from the seed on (default: 1).")
    one.add_argument("--roles", nargs="+", default=[POSITIVE, NEGATIVE], choices=(POSITIVE, NEGATIVE))
    one.add_argument("--recipe", default=presets.RECIPE, help="An id: see recipe list.")
    one.add_argument("--backbone", default="", help="An embedded id, a Hub id, or a folder; else the recipe's own.")
    one.add_argument("--corpus", default="demo", help=_flags.CORPUS)
    one.add_argument("--official", action="store_true")
    one.add_argument("--name", default="", help="A label for people.")
    _flags.accepting(one)
    one.add_argument("--dry", action="store_true", help="Say how many runs it would be, and queue nothing.")
    one.add_argument("--detach", action="store_true", help="Queue them and return.")
    one.add_argument("--measure", default="spearman", choices=tuple(MEASURES))
    one.add_argument("--pairs", default="", help="A pair set that the runs were scored on (default: the first).")
    one.add_argument("--checkpoint", default="best", choices=CHECKPOINTS)
    format_flag(one, "csv and json: a row a run.")
    _flags.of_a_run(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`sweep grid|tournament|list|show|delete`. An interrupt while it waits leaves the runs to themselves."""
    changes = _flags.changes(asked, extra)
    if asked.what == "list":
        import pandas

        rows = []
        for one in api.sweeps(runs=asked.runs):
            states = one.states
            done = f"{states.get('done', 0)} of {len(one.cells)}"
            rows.append({"id": one.id, "title": one.title, "done": done, "missing": states.get("missing", 0)})
        show(pandas.DataFrame(rows), asked.format)
        return 0
    if asked.what in ("show", "delete"):
        if len(asked.names) != 1:
            raise BadSetting(f"sweep {asked.what} needs one sweep.", way_out="See: sweep list.")
        if asked.what == "delete":
            api.delete_sweep(asked.names[0], runs=asked.runs)
            print(f"{asked.names[0]} is forgotten; its runs stay.")
            return 0
        return _show(asked, asked.names[0])
    said = {"seeds": asked.seeds, "backbone": asked.backbone, "corpus": asked.corpus, "official": asked.official}
    said |= {"name": asked.name, "recipe": asked.recipe, "runs": asked.runs, "accept": asked.accept, **changes}
    if asked.what == "grid":
        if asked.names:
            raise BadSetting(f"{asked.names[0]!r} belongs to no flag.", way_out="Write --over SETTING=VALUES.")
        over = _axes(asked.over)
        plan = api.plan_grid(over=over, **said)
    else:
        said["roles"] = asked.roles
        plan = api.plan_tournament(asked.names, **said)
    print(_cost(plan), file=sys.stderr, flush=True)
    if asked.dry:
        for name, text in acknowledgements.lacking_of(plan.configs.values()).items():
            print(f"to be accepted, {name}: {text}", file=sys.stderr)
        return 0
    made = api.grid(over=over, **said) if asked.what == "grid" else api.tournament(asked.names, **said)
    print(made.id, flush=True)
    return 0 if asked.detach else _follow(asked, made.id)


def _axes(said: list[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for text in said:
        name, equals, values = text.partition("=")
        if not equals or not name.strip():
            raise BadSetting(
                f"--over {text!r} is no axis.", rule="It is SETTING=VALUES, such as temperature=0.03,0.05."
            )
        found[name.strip().replace("-", "_")] = values_of(values)
    return found


def _cost(plan: Plan) -> str:
    """How many runs and for how long, before anything is queued."""
    missing = len(plan.missing)
    said = f"{len(plan.configs)} runs, {missing} to be made"
    if missing and plan.seconds is not None:
        said += f", about {plan.seconds / 60:.0f} min one after the other"
    if missing and plan.size_bytes is not None:
        said += f", about {plan.size_bytes / 1e9:.1f} GB"
    return said if not missing or plan.seconds is not None else f"{said}; nothing like them has run here yet"


def _follow(asked: argparse.Namespace, name: str) -> int:
    before = ""
    while True:
        states = api.sweep(name, runs=asked.runs).states
        said = ", ".join(f"{count} {state}" for state, count in states.items())
        if said != before:
            print(said, file=sys.stderr, flush=True)
            before = said
        if not api.sweep(name, runs=asked.runs).live:
            return _show(asked, name)
        api.runs(asked.runs)  # whatever ended the supervisor, another one is started
        time.sleep(_EVERY_SECONDS)


def _show(asked: argparse.Namespace, name: str) -> int:
    """A row a setting for people, a row a run for programs."""
    one = api.sweep(name, runs=asked.runs)
    on = {"pairs": asked.pairs, "checkpoint": asked.checkpoint}
    if asked.format != "table":
        show(one.results(asked.measure, **on), asked.format)
        return 0
    table = one.summary(asked.measure, **on)
    about = measure_of(asked.measure)
    numbers = ["mean", "sd", "low", "high", "delta", "delta_low", "delta_high"]
    shown = table.assign(**{column: about.scale * table[column] for column in numbers})
    shown = shown.sort_values("mean", ascending=not about.higher, na_position="last")
    for axis in one.over:
        shown[axis] = [str(value) if value != "" else "none" for value in shown[axis]]
    show(shown[[*one.over, "n", *numbers, "p_holm", "standing"]], "table")
    attrs = table.attrs
    where = f" on {attrs['pairs']}, {attrs['checkpoint']} checkpoint" if attrs["pairs"] else ""
    against = "no augmentation" if one.kind == "tournament" else "the best"
    print(f"{about.words}{where}; 95 % t intervals over seeds; differences paired with {against}, p after Holm")
    return 0
