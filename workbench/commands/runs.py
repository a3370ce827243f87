"""`python -m workbench runs`: list runs; annotate, compare, stop, resume, reorder, delete, export or import them."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import get_type_hints

from workbench import api
from workbench.commands._flags import accept_flag, confirmed, none_left, on_flag
from workbench.commands._showing import format_flag, print_run, prose, show, show_masked, show_rows, show_scores
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.store import names
from workbench.store.archive import PATHS_SAID
from workbench.store.lookup import NEWEST
from workbench.store.names import runs_place
from workbench.store.shapes import Probe, Step
from workbench.store.summary import Summary, said_of

HELP = "List runs; show, stop, resume, put next, rename, tag, compare, delete, export or import them, or print their curves."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "what",
        nargs="?",
        default="list",
        choices=tuple(_RUNS),
        help="next: move a waiting run ahead of the others waiting for the same cluster, or for this machine. curves: what was "
        "logged at each step and measured at each probe. reindex: rebuild the queue from the run folders.",
    )
    parser.add_argument("run", nargs="?", help="An id, its unique beginning or end, or a label; for import, the file.")
    parser.add_argument(
        "more",
        nargs="*",
        help=f"export: the file to write (default: ID.zip). {PATHS_SAID} rename: the new name. tag, untag: the tags. "
        "note: the text; without one, the note is shown. stop, resume, diff, delete, curves: further runs.",
    )
    parser.add_argument(
        "--yes",
        metavar="ID",
        action="append",
        help="delete: the run's id once more, instead of being asked; for several runs, once for each.",
    )
    accept_flag(parser)
    on_flag(parser, "where the run was")
    parser.add_argument("--light", action="store_true", help="export: without weights.")
    parser.add_argument(
        "--newest",
        type=int,
        default=NEWEST,
        metavar="N",
        help=f"list: at most this many runs, the newest first (default: {NEWEST}).",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="list: all runs; reading a hundred thousand takes minutes the first time, then seconds.",
    )
    parser.add_argument(
        "--search",
        default="",
        metavar="WORDS",
        help="list: only runs in which each word occurs: in name, id, state, recipe, backbone, corpus, tags or note, and in the "
        "ids of runs older than the newest N.",
    )
    format_flag(parser, of_a_run="show: json has the run and its scores, csv only these.")


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """See `_RUNS`."""
    given = [word for word in (asked.run, *asked.more) if word is not None]
    none_left([*extra, *given[_MOST_WORDS.get(asked.what, len(given)) :]])
    if asked.what not in ("list", "reindex") and not asked.run:
        raise BadSetting(
            f"runs {asked.what} needs {'a file' if asked.what == 'import' else 'a run'}.", way_out="See: runs list."
        )
    return _RUNS[asked.what](asked)


def _list(asked: argparse.Namespace) -> int:
    from workbench.store.listed import rows

    runs = api.runs(asked.runs, newest=None if asked.all else asked.newest, search=asked.search)
    listed = [
        {
            "id": run.id,
            "name": row.name,
            "state": _state(row.about),
            "step": f"{row.about.step}/{row.about.steps}",
            "kept": "" if row.about.kept_step is None else row.about.kept_step,
            "recipe": row.recipe,
            "corpus": row.corpus,
            "test": _test(row.test_spearman, asked.format),
            "tags": ", ".join(row.tags),
            "MB": round(row.about.size_bytes / 1e6),
        }
        for run, row in zip(runs, rows(runs), strict=True)
    ]
    if not listed and asked.format == "table":
        print(f"No run matches “{asked.search}”." if asked.search else "No runs yet.")
        return 0
    show_rows(listed, asked.format, columns=_COLUMNS)
    words, shown = asked.search.casefold().split(), {run.id for run in runs}
    every = runs_place(asked.runs).newest_names()
    if hidden := sum(name not in shown and all(word in name for word in words) for name in every):
        print(
            f"{hidden:,} older runs are not listed. --newest N lists more, --all all, --search WORDS those with "
            "the words; sweep show ID lists the runs of a sweep.",
            file=sys.stderr,
        )
    return 0


_COLUMNS = ("id", "name", "state", "step", "kept", "recipe", "corpus", "test", "tags", "MB")
"""Those of the list."""


def _test(spearman: float | None, form: str) -> float | None:
    """A Spearman times 100 in tables, and as it is in CSV and JSON."""
    return round(100 * spearman, 2) if form == "table" and spearman is not None else spearman


def _state(about: Summary) -> str:
    return f"{about.state}, damaged" if about.state and about.damage else about.state or "damaged"


def _show(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    if run.problem:
        raise BadSetting(run.problem)
    with prose(asked.format):
        _show_state(run)
    if asked.format != "table":
        print_run(run, asked.format)
        return 0
    show_masked(run)
    show_scores(run)
    if model := run.model:
        alone = model.name == names.BACKBONE
        print(f"{'backbone (the encoder alone, for AutoModel)' if alone else 'model'}: {model}")
    print(run.command_line)
    return 0


def _show_state(run: api.Run) -> None:
    """Print how far a run is, what is wrong with it, and how its corpus was read."""
    progress, sizes = run.progress, run.size_bytes
    print(f"{run.id}  {run.state}  step {progress.step} of {progress.steps}  {sizes['total'] / 1e6:.0f} MB")
    if on := run.recorded_status.on:
        print(f"on the cluster {on}")
    if run.failure:
        print(": ".join(run.failure))
    if broken := said_of(run.damage):
        print(broken)
    for notice in run.notices:
        if notice not in run.recorded_status.message:
            print(notice)
    for warning in run.corpus_report.get("warnings", []):
        print(f"corpus: {warning}")
    for notice in run.corpus_notices:
        print(f"corpus: {notice}")


def _stop(asked: argparse.Namespace) -> int:
    from workbench.scheduler import launch

    runs = _named(asked)
    return _told(runs, launch.stop_all(runs))


def _resume(asked: argparse.Namespace) -> int:
    runs, refused = _named(asked), dict[str, WorkbenchError]()
    for run in runs:
        try:
            api.resume(run, accept=asked.accept, on=asked.on, runs=asked.runs)
        except WorkbenchError as error:
            refused[run.id] = error
    return _told(runs, refused)


def _next(asked: argparse.Namespace) -> int:
    run = api.run_next(asked.run, runs=asked.runs)
    print(f"{run.id} is the next to start.")
    return 0


def _named(asked: argparse.Namespace) -> list[api.Run]:
    """The runs that are named, each once: a name that means none is refused before anything is done with the others."""
    found = [api.run(name, runs=asked.runs) for name in (asked.run, *asked.more)]
    return list({run.id: run for run in found}.values())


def _told(runs: Sequence[api.Run], refused: Mapping[str, WorkbenchError]) -> int:
    """Print what became of each run, and why it was refused; the exit status, which is that of a refusal if there is any."""
    for run in runs:
        if run.id in refused:
            print(refused[run.id], file=sys.stderr)
        else:
            print(f"{run.id} is {run.state}.")
    return 2 if refused else 0


def _delete(asked: argparse.Namespace) -> int:
    for run in _named(asked):
        yes = asked.yes and (run.id if run.id in asked.yes else asked.yes[0])
        freed = api.delete(run, confirmed(run.id, yes), runs=asked.runs)
        print(f"{run.id} is deleted, which freed {freed / 1e6:.1f} MB.")
    return 0


def _diff(asked: argparse.Namespace) -> int:
    from workbench.store.differences import differences

    runs = [api.run(name, runs=asked.runs) for name in (asked.run, *asked.more)]
    if len(runs) < 2:
        raise BadSetting("runs diff needs two runs, or more.", way_out="See: runs list.")
    table = differences([run.config for run in runs])
    if table.empty and asked.format == "table":
        print("All their settings are the same.")
        return 0
    columns = [run.id for run in runs]
    show_rows(
        [{"setting": str(name), **dict(zip(columns, row, strict=True))} for name, *row in table.itertuples()],
        asked.format,
        columns=["setting", *columns],
    )
    return 0


def _curves(asked: argparse.Namespace) -> int:
    import pandas

    tables = [
        table.assign(run=run.id, event=event)
        for run in _named(asked)
        for event, table in (("step", run.steps), ("probe", run.probes))
        if not table.empty
    ]
    every = pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()
    every = every.astype({name: "Int64" for name in _COUNTS if name in every})  # a step has no pairs, a probe no tokens
    if asked.format == "table" and "time" in every:  # UTC, as in reports; for programs in seconds since 1970
        every["time"] = pandas.to_datetime(every["time"], unit="s", errors="coerce").dt.strftime("%Y-%m-%d %H:%M:%S")
    first = [name for name in ("run", "event", "step") if name in every]
    every = every[[*first, *(name for name in every if name not in first)]]
    show(every, asked.format, decimals=4, settings=["learning_rate"])
    return 0


_COUNTS = [name for name, kind in (get_type_hints(Step) | get_type_hints(Probe)).items() if kind is int]
"""The columns of curves that hold whole numbers."""


def _rename(asked: argparse.Namespace) -> int:
    if not asked.more:
        raise BadSetting("runs rename needs the new name.", way_out='An empty one, "", restores the first.')
    from workbench.targets.labels import stands_for

    run = api.rename(asked.run, " ".join(asked.more), runs=asked.runs)
    print(f"{run.id} is named {run.label}.")
    if run.name and (other := stands_for(run.name, run)):
        print(f"{run.name!r} stands for {other}, so this run is named by its id: {run.id}.", file=sys.stderr)
    return 0


def _tag(asked: argparse.Namespace) -> int:
    return _tagged(api.tag(asked.run, *asked.more, runs=asked.runs))


def _untag(asked: argparse.Namespace) -> int:
    return _tagged(api.untag(asked.run, *asked.more, runs=asked.runs))


def _tagged(run: api.Run) -> int:
    tags = run.annotations.tags
    print(f"{run.id} is tagged {', '.join(tags)}." if tags else f"{run.id} has no tags.")
    return 0


def _note(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    if asked.more:
        api.note(run, " ".join(asked.more), runs=asked.runs)
    print(run.annotations.note or f"{run.id} has no note.")
    return 0


def _export(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    path = api.export_run(
        run, asked.more[0] if asked.more else f"{run.id}.zip", runs=asked.runs, weights=not asked.light
    )
    print(f"{path.stat().st_size / 1e3:,.0f} kB in {path}")
    return 0


def _import(asked: argparse.Namespace) -> int:
    for run in api.import_runs(asked.run, runs=asked.runs):
        print(f"{run.id} is imported.")
    return 0


def _reindex(asked: argparse.Namespace) -> int:
    print(f"{api.reindex(asked.runs)} runs are waiting or running.")
    return 0


_MOST_WORDS = {"list": 0, "reindex": 0, "show": 1, "next": 1, "import": 1, "export": 2}
"""How many words a command takes after its own; the others any number."""
_RUNS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "stop": _stop,
    "resume": _resume,
    "next": _next,
    "rename": _rename,
    "tag": _tag,
    "untag": _untag,
    "note": _note,
    "delete": _delete,
    "diff": _diff,
    "curves": _curves,
    "export": _export,
    "import": _import,
    "reindex": _reindex,
}
