"""`--dry-run` of train and pretrain: what the run needs and what is to be said of it, before it is queued."""

import argparse
import json
import shutil
from collections.abc import Iterator

from workbench import api
from workbench.commands._showing import Line, format_flag, show
from workbench.core.config import RunConfig
from workbench.core.writing import plain
from workbench.data.dropped import counts_said
from workbench.data.marks import seen_words
from workbench.preflight.dry_run import DryRunResult
from workbench.store.names import runs_folder


class Rehearsed(DryRunResult):
    """A dry run, and what else is known before the start."""

    steps: int
    disk_free_bytes: int
    notices: list[str]
    """How the corpus was read, and which rows were left out."""
    overlap: list[str]
    """What of the pairs to be scored is among the training texts."""


_OF_A_RUN = (
    "json and csv: standard output has only the run and its scores (csv: only these; of a dry run, what it needs); settings, "
    "warnings and progress go to standard error."
)


def dry_run_flag(parser: argparse.ArgumentParser) -> None:
    """`--dry-run`, and the format of what is printed of it and of a run."""
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="Queue nothing: take a few steps without saving anything, and print what the run would need (time, memory, disk) "
        "and all warnings.",
    )
    format_flag(parser, of_a_run=_OF_A_RUN)


def rehearse(config: RunConfig, runs: str | None, form: str) -> None:
    """Make the dry run of a configuration and print what it found.

    Raises:
        WorkbenchError: the corpus or the backbone cannot be read.
    """
    with Line() as line:
        found = api.dry_run(config, runs=runs, follow=line)
        notices, overlap = _read(config, runs, line)
    rehearsed: Rehearsed = {
        **found,
        "steps": _steps(config, found["rows"]),
        "disk_free_bytes": shutil.disk_usage(runs_folder(runs).path).free,
        "notices": notices,
        "overlap": overlap,
    }
    if form == "json":
        print(json.dumps(plain(rehearsed), indent=1, ensure_ascii=False))
    elif form == "csv":
        import pandas

        show(pandas.DataFrame([{**rehearsed, "must_accept": ", ".join(found["must_accept"])}]), form)
    else:
        print("\n".join(_lines(rehearsed)))


def _steps(config: RunConfig, rows: int) -> int:
    """The steps of a run on so many rows; those of a pretraining are given."""
    if config.pretrains:
        return config.training.steps
    from dataclasses import replace

    from workbench.training.batches import in_steps

    return in_steps(replace(config, corpus=replace(config.corpus, rows=rows))).training.steps


def _read(config: RunConfig, runs: str | None, line: Line) -> tuple[list[str], list[str]]:
    """How the corpus of a run is read, and what of the pairs that it is evaluated on is among its texts; of a pretraining
    nothing is known before its articles are tokenised."""
    from workbench.verbs.corpus_report import of_run

    if config.pretrains:
        return [], []
    report = api.corpus_report(**of_run(config), runs=runs, follow=line)
    overlap = [
        seen_words(row["name"], row["common"], row["sentences"], row["pairs_with_gold"])
        for row in report["overlap"]
        if row["common"]
    ]
    return [*report["notices"], *counts_said(report["name"], report["dropped"])], overlap


def _lines(rehearsed: Rehearsed) -> Iterator[str]:
    """What it needs, then what is in the way, then all notices."""
    sampled = f", tried on {rehearsed['sampled']:,}" if rehearsed["sampled"] < rehearsed["rows"] else ""
    if rehearsed["rows"]:
        yield f"rows: {rehearsed['rows']:,}{sampled}"
    each = f"{rehearsed['seconds_per_step']:.3g} s on {rehearsed['device']}, {rehearsed['precision']}"
    evaluation = rehearsed["evaluation_seconds"]
    beyond = " without probes" if evaluation is None else f"; probes and evaluation: {evaluation:,.0f} s"
    yield from rehearsed["notices"]
    yield f"time: {rehearsed['steps']:,} steps of {each}: {rehearsed['seconds']:,.0f} s{beyond}"
    yield f"memory: {_size(rehearsed['needed_bytes'])} of {_size(rehearsed['free_bytes'])} free"
    yield f"disk: at most {_size(rehearsed['disk_bytes'])} for checkpoints, of {_size(rehearsed['disk_free_bytes'])} free"
    if rehearsed["needed_bytes"] > rehearsed["free_bytes"]:
        parts = rehearsed["fitting_parts"]
        yield f"It would be refused: too little memory. {f'--memory-parts {parts}' if parts else 'A smaller batch'} may fit."
    if rehearsed["disk_bytes"] > rehearsed["disk_free_bytes"]:
        yield "It would be refused: too little room on the disk. Delete old runs or choose another folder with --runs."
    yield from (f"to be accepted, --accept {name}: {text}" for name, text in rehearsed["must_accept"].items())
    yield from rehearsed["cautions"]
    yield from rehearsed["overlap"]


def _size(count: float) -> str:
    """Bytes in words.

    >>> _size(2_500_000), _size(3e9)
    ('2.5 MB', '3.0 GB')
    """
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"
