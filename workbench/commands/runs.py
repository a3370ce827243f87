"""`python -m workbench runs`: list runs; show, stop, resume, delete, export or import one."""

import argparse
from collections.abc import Callable, Sequence

from workbench import api
from workbench.commands._flags import accept_flag, confirmed, none_left
from workbench.commands._showing import format_flag, show_masked, show_rows, show_scores
from workbench.core.errors import BadSetting
from workbench.store.summary import Summary, said_of

HELP = "List runs; show, stop, resume, delete, export or import one."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("what", nargs="?", default="list", choices=tuple(_RUNS))
    parser.add_argument("run", nargs="?", help="An id, its unique beginning, or a label; for import, the file.")
    parser.add_argument("file", nargs="?", help="export: the file to write (default: ID.zip).")
    parser.add_argument("--yes", metavar="ID", help="delete: the run's id once more, instead of being asked.")
    accept_flag(parser)
    parser.add_argument("--light", action="store_true", help="export: without weights.")
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`runs list|show|stop|resume|delete|export|import|reindex`."""
    none_left(extra)
    if asked.what not in ("list", "reindex") and not asked.run:
        raise BadSetting(
            f"runs {asked.what} needs {'a file' if asked.what == 'import' else 'a run'}.", way_out="See: runs list."
        )
    return _RUNS[asked.what](asked)


def _list(asked: argparse.Namespace) -> int:
    from workbench.store.listed import rows

    runs = api.runs(asked.runs)
    listed = [
        {
            "id": run.id,
            "name": row.name,
            "state": _state(row.about),
            "step": f"{row.about.step}/{row.about.steps}",
            "corpus": row.corpus,
            "MB": round(row.about.size_bytes / 1e6),
        }
        for run, row in zip(runs, rows(runs), strict=True)
    ]
    if not listed and asked.format == "table":
        print("No runs yet.")
        return 0
    show_rows(listed, asked.format)
    return 0


def _state(about: Summary) -> str:
    return f"{about.state}, damaged" if about.state and about.damage else about.state or "damaged"


def _show(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    if run.problem:
        raise BadSetting(run.problem)
    progress, sizes = run.progress, run.size_bytes
    print(f"{run.id}  {run.state}  step {progress.step} of {progress.steps}  {sizes['total'] / 1e6:.0f} MB")
    if run.failure:
        print(": ".join(run.failure))
    if broken := said_of(run.damage):
        print(broken)
    for warning in run.corpus_report.get("warnings", []):
        print(f"corpus: {warning}")
    show_masked(run)
    show_scores(run)
    print(run.command_line)
    return 0


def _stop(asked: argparse.Namespace) -> int:
    run = api.stop(asked.run, runs=asked.runs)
    print(f"{run.id} is {run.state}.")
    return 0


def _resume(asked: argparse.Namespace) -> int:
    run = api.resume(asked.run, accept=asked.accept, runs=asked.runs)
    print(f"{run.id} is {run.state}.")
    return 0


def _delete(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    api.delete(run, confirmed(run.id, asked.yes), runs=asked.runs)
    print(f"{run.id} is deleted.")
    return 0


def _export(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    path = api.export_run(run, asked.file or f"{run.id}.zip", runs=asked.runs, weights=not asked.light)
    print(f"{path.stat().st_size / 1e6:.0f} MB in {path}")
    return 0


def _import(asked: argparse.Namespace) -> int:
    print(f"{api.import_run(asked.run, runs=asked.runs).id} is imported.")
    return 0


def _reindex(asked: argparse.Namespace) -> int:
    print(f"{api.reindex(asked.runs)} runs are waiting or running.")
    return 0


_RUNS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "stop": _stop,
    "resume": _resume,
    "delete": _delete,
    "export": _export,
    "import": _import,
    "reindex": _reindex,
}
