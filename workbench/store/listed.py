"""Runs as rows of a list. The rows of ended runs are cached in one file, so that a list of a thousand is fast.

The run folders stay authoritative. A cached row is valid only while each file and folder it was made from has the same
date and size; a cache file that is missing, damaged or of another version is rebuilt.
"""

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadRun
from workbench.core.writing import write_bytes
from workbench.store import events, names
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.store.summary import Summary, summary

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FILE = "listed.json"
VERSION = 4
"""Increased whenever the contents of a row change."""
_WORTH_WRITING = 20
"""The file is rewritten once this many ended runs are missing in it; fewer are read as fast as it is written."""
_OFTEN = 10_000
"""It is also rewritten after so many within one list, which an interruption would lose: they take ten seconds to read."""
_SURE_SECONDS = 2.0
"""For this long after a full check only the events are checked, since many sessions open the list at the same time."""
_MADE_FROM = (
    names.CONFIG,
    names.STEPS,
    names.PROBES,
    names.CORPUS,
    names.ANNOTATIONS,
    "",
    names.CHECKPOINTS,
    f"{names.CHECKPOINTS}/best",
    f"{names.CHECKPOINTS}/last",
    names.MODEL,
    names.EVALUATIONS,
    names.COORDINATES,
)
"""What a row is made from besides the events. The date of a folder changes when files are added or removed."""


@dataclass(frozen=True)
class Row:
    """One run in the list. Unknown values are empty texts or None."""

    name: str
    backbone: str
    corpus: str
    seed: int | None
    problem: str
    """What is wrong with its configuration; empty if nothing is."""
    has_weights: bool
    """Whether it has a checkpoint to encode with."""
    about: Summary
    recipe: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    test_spearman: float | None = None
    """Spearman (-1 to 1) of its model on the first evaluated pairs that neither its selection nor its probes use."""
    test_pairs: str = ""
    """Those pairs."""


@dataclass(frozen=True)
class _Kept:
    """The cached row of an ended run, with the dates and sizes of its events file and of the rest that it was made
    from.
    """

    events: str
    rest: str
    row: Row


@dataclass(frozen=True)
class _File:
    version: int
    runs: dict[str, _Kept]


@dataclass
class _Folder:
    """What this process has cached of a runs folder."""

    runs: dict[str, _Kept]
    looked: dict[str, float]
    """By run, when everything that its row was made from was last checked (monotonic clock)."""
    unwritten: int = 0


_FOLDERS: dict[Path, _Folder] = {}
_LOCK = threading.Lock()


def rows(runs: Sequence[Run]) -> list[Row]:
    """The current row of each run; all runs must be in the same folder."""
    found = []
    for run in runs:
        with _LOCK:  # per run, not per list: other threads that list the same runs then find their rows made
            found.append(_row(run, _folder(run.folder.parent)))
            _write(run.folder.parent, _OFTEN)
    if runs:
        with _LOCK:
            _write(runs[0].folder.parent, _WORTH_WRITING)
    return found


def is_over(run: Run) -> bool:
    """Whether a run has ended, according to its events."""
    with _LOCK:
        kept = _folder(run.folder.parent).runs.get(run.id)
        if kept is not None and kept.events == stamp(run.folder / names.EVENTS):
            return True
    return run.recorded_status.state in events.ENDED


def _row(run: Run, folder: _Folder) -> Row:
    kept, stamped = folder.runs.get(run.id), stamp(run.folder / names.EVENTS)
    if kept is not None and kept.events == stamped:
        now = time.monotonic()
        if now - folder.looked.get(run.id, -_SURE_SECONDS) < _SURE_SECONDS:
            return kept.row
        folder.looked[run.id] = now
        if kept.rest == _rest(run.folder):
            return kept.row
    over = bool(stamped) and run.recorded_status.state in events.ENDED
    rest = _rest(run.folder) if over else ""  # before reading, so that a change during it makes the row invalid
    row = _read(run)
    if over and stamped == stamp(run.folder / names.EVENTS):
        folder.runs[run.id] = _Kept(stamped, rest, row)
        folder.looked[run.id] = time.monotonic()
        folder.unwritten += 1
    return row


def _read(run: Run) -> Row:
    config, written = None if run.problem else run.config, run.annotations
    about = summary(run)
    pairs, spearman = test_score(run)
    return Row(
        name=run.name,
        backbone=config.model.backbone if config else "",
        corpus=(config.corpus.name or config.corpus.source) if config else "",
        seed=config.training.seed if config else None,
        problem=run.problem,
        has_weights=about.kept_step is not None,
        about=about,
        recipe=config.recipe if config else "",
        tags=written.tags,
        note=written.note,
        test_spearman=spearman,
        test_pairs=pairs,
    )


def test_score(run: Run) -> tuple[str, float | None]:
    """The first pairs of its evaluation that neither selection nor probes use, and the Spearman (-1 to 1) of its model
    on them. Empty and None if there are none; a set that is named `test` goes first.
    """
    if run.problem or not (scores := score_rows(run.folder / names.EVALUATIONS / SCORES)):
        return "", None
    from workbench.data.references import named_by, set_name  # NumPy, which a list of known rows does without

    config = run.config
    used = {config.probe.pairs, *config.selection.scored}
    unused = [pairs for pairs in config.evaluation.pairs if pairs not in used]
    scored: dict[str, float | None] = {
        row.get("pairs", ""): row.get("spearman")
        for row in scores
        if row["suite"] == "pairs" and row["checkpoint"] == "best"
    }
    for pairs in sorted(unused, key=lambda pairs: "test" not in set_name(pairs)):
        for name, spearman in scored.items():
            if spearman is not None and named_by(pairs, name):
                return name, spearman
    return "", None


def forget(run: Run) -> None:
    """Check everything that the row of this run is made from when the list is next read."""
    with _LOCK:
        _folder(run.folder.parent).looked.pop(run.id, None)


def stamp(path: Path | str) -> str:
    """Date and size of a file or folder as a text; empty if it does not exist."""
    try:
        about = os.stat(path)  # noqa: PTH116 - ten thousand of them for a list of a thousand runs
    except OSError:
        return ""
    return f"{about.st_mtime_ns:x}.{about.st_size:x}"


def _rest(folder: Path) -> str:
    return " ".join(stamp(f"{folder}/{part}") for part in _MADE_FROM)


def _folder(path: Path) -> _Folder:
    if path not in _FOLDERS:
        _FOLDERS[path] = _Folder(_load(RunsFolder(path).jobs / FILE), {})
    return _FOLDERS[path]


def _load(path: Path) -> dict[str, _Kept]:
    from pydantic import ValidationError

    try:
        file = _adapter().validate_json(path.read_bytes(), strict=True)
    except (OSError, ValidationError):
        return {}
    return file.runs if file.version == VERSION else {}


def _write(path: Path, least: int) -> None:
    """Rewrite the file if at least so many rows are missing in it."""
    folder = _FOLDERS[path]
    if folder.unwritten < least:
        return
    folder.unwritten = 0
    there = RunsFolder(path).run_names()
    folder.runs = {name: kept for name, kept in folder.runs.items() if name in there}
    # A list must also work in a folder that is read-only or full, or of another account.
    with suppress(OSError, BadRun):
        names.check_owner(RunsFolder(path))
        write_bytes(RunsFolder(path).jobs / FILE, _adapter().dump_json(_File(VERSION, folder.runs)))


@cache
def _adapter() -> "TypeAdapter[_File]":
    from pydantic import TypeAdapter

    return TypeAdapter(_File)
