"""A run, read from its folder: everything a page, the command line or a script wants to know about it."""

import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core import config as configs
from workbench.core.config import RunConfig
from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.reading import read_object
from workbench.processes import liveness
from workbench.store import commands, events, names, shapes
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.following import followed
from workbench.store.shapes import Shape

if TYPE_CHECKING:
    from pandas import DataFrame, Series


_LONGEST_SECONDS = 9e8
"""More than any run takes: what damaged times add up to can still be shown."""
_MEASURED = ("pairs", "n", "step", "spearman", "low", "high", "alignment", "uniformity", "mean_cosine")
"""What every table of scores has, be it known or not."""
_GONE = "The process that trained it is gone: it was killed, or the machine was restarted."


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int
    steps: int
    seconds_left: float | None
    """None until two steps of this attempt were timed, and 0 at the end."""

    @property
    def share(self) -> float:
        """0 to 1."""
        return min(1.0, self.step / self.steps) if self.steps else 0.0


@dataclass(frozen=True, eq=False)
class Run:
    """One run folder. Properties read the disk anew, except the configuration, which never changes."""

    folder: Path

    @property
    def id(self) -> str:
        """The folder's name, and the run's only name that is unique."""
        return self.folder.name

    @property
    def label(self) -> str:
        """The name a person gave, else the id."""
        return (self.config.name if not self.problem else "") or self.id

    @cached_property
    def config(self) -> RunConfig:
        """What the run does.

        Raises:
            BadRun: config.toml is missing.
            BadSetting: it was damaged or edited into something that is not a configuration.
        """
        path = self.folder / names.CONFIG
        try:
            about = path.stat()
            return _config(path, about.st_mtime_ns, about.st_size)
        except FileNotFoundError:
            raise BadRun(f"{self.folder} is not a run: it has no {names.CONFIG}.", way_out="See: runs list.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise BadRun(f"{self.folder / names.CONFIG} cannot be read: {error}.") from None

    @cached_property
    def problem(self) -> str:
        """What is wrong with the configuration, or nothing."""
        try:
            self.config  # noqa: B018
        except WorkbenchError as error:
            return str(error)
        return ""

    @property
    def heartbeat(self) -> Path:
        """Touched by the worker every two seconds."""
        return names.RunsFolder(self.folder.parent).jobs / "heartbeats" / self.id

    @property
    def status(self) -> events.Status:
        """What the events say, corrected by whether the worker lives: a dead process is never shown as running."""
        status = self.recorded_status
        if status.state in events.LIVE and not self._worked_on(status):
            status = self.recorded_status  # it may have ended properly between the two looks
            if status.state in events.LIVE and not self._worked_on(status):
                return replace(status, state=events.LOST, message=_GONE)
        return status

    def _worked_on(self, status: events.Status) -> bool:
        """Whether the worker is there. Before its first word it has a while to start. On this machine it is there as long
        as its process is: whether that stands still is for the supervisor to judge, which needs no date for it.
        """
        if not status.who:
            return time.time() - status.time < liveness.STALE_SECONDS
        here = status.who.get("machine") == liveness.machine()
        return liveness.lives(status.who, None if here else self.heartbeat)

    @property
    def recorded_status(self) -> events.Status:
        """What the events alone say. Where they cannot be read there is no state, and the message says why."""
        path = self.folder / names.EVENTS
        try:
            about = path.stat()
            return _status(path, about.st_mtime_ns, about.st_size)
        except FileNotFoundError:
            return events.Status()
        except OSError as error:
            return events.Status(kind="BadRun", message=f"{path} cannot be read: {error.strerror or error}.")

    @property
    def state(self) -> str:
        """queued, starting, running, stopping, saving, done, stopped, failed or lost; empty without events."""
        return self.status.state

    @property
    def live(self) -> bool:
        """Whether a process works on it, or it waits for one."""
        return self.state in (events.QUEUED, *events.LIVE)

    @property
    def failure(self) -> tuple[str, str] | None:
        """Kind and one plain message of a failed or lost run, or of one whose events cannot be read; the traceback is in
        log.txt.
        """
        status = self.status
        wrong = status.state in (events.FAILED, events.LOST) or (status.message and not status.state)
        return (status.kind or "Lost", status.message) if wrong else None

    @property
    def note(self) -> str:
        """What the worker is doing now, in words; empty unless it lives."""
        return str(read_object(self.heartbeat).get("note", ""))

    @property
    def events(self) -> list[shapes.Event]:
        """Every event, in order; none where they cannot be read."""
        return self._rows(names.EVENTS, shapes.Event)

    @property
    def progress(self) -> Progress:
        """Step, steps, and seconds left as the last fifty steps suggest (their probes included)."""
        total = 0 if self.problem else self.config.training.steps
        told = self._rows(names.STEPS, shapes.Step, 16384)
        if not told:
            return Progress(0, total, None)
        status, step = self.status, told[-1]["step"]
        if status.state in events.ENDED:
            return Progress(step, total, 0.0)
        began = status.times.get(events.RUNNING, status.time)
        rows = [row for row in told if row.get("time", 0.0) >= began][-50:]
        if len(rows) < 2 or rows[-1]["step"] <= rows[0]["step"]:
            return Progress(step, total, None)
        pace = (rows[-1]["time"] - rows[0]["time"]) / (rows[-1]["step"] - rows[0]["step"])
        return Progress(step, total, min(_LONGEST_SECONDS, max(0.0, pace * (total - step))))

    @property
    def tokens_per_second(self) -> float | None:
        """Of a pretraining: the pace of its last steps, looks not counted. None of other runs, and before the first step."""
        if self.problem or not self.config.pretrains:
            return None
        rows = [row for row in self._rows(names.STEPS, shapes.Step, 8192) if "seconds" in row][-20:]
        seconds = sum(row["seconds"] for row in rows)
        if not seconds:
            return None
        report = self._whole(names.CORPUS, shapes.Articles)
        length = (report.get("sequence_length") if report else None) or self.config.pretraining.sequence_length
        return float(len(rows) * self.config.training.batch_size * length / seconds)

    @property
    def steps(self) -> "DataFrame":
        """One row a step: step, loss, accuracy, learning_rate, gradient_norm, seconds, samples, each term's loss."""
        return _followed(self.folder / names.STEPS, shapes.Step)

    @property
    def probes(self) -> "DataFrame":
        """One row a probe: step, loss, accuracy, alignment, alignment_on, uniformity, mean_cosine, spearman, ..."""
        table = _followed(self.folder / names.PROBES, shapes.Probe)
        return table.assign(masked_accuracy=table.get("masked_accuracy", math.nan)) if "masked_loss" in table else table

    @property
    def best_spearman(self) -> float | None:
        """The best development Spearman, -1 to 1, that a probe has seen; None before the first, and where none measures it."""
        scores = [row.get("spearman") for row in self._rows(names.PROBES, shapes.Probe)]
        return max((score for score in scores if score is not None), default=None)

    @property
    def scores(self) -> "DataFrame":
        """Evaluations: one row for each checkpoint and pair set, with intervals and geometry. Empty before, and without
        what is not such a row.
        """
        import pandas

        table = pandas.DataFrame(score_rows(self.folder / names.EVALUATIONS / SCORES))
        return (
            table.reindex(columns=[*table, *(name for name in _MEASURED if name not in table)]) if len(table) else table
        )

    def cosines(self, suite: str = "pairs") -> "DataFrame":
        """Each pair at each checkpoint: checkpoint, task, subset, row, gold, cosine, sentence1, sentence2.

        Raises:
            BadRun: the run has not been evaluated on this suite, or its tables are damaged.
        """
        folder = self.folder / names.EVALUATIONS
        if not (folder / f"{suite}.parquet").exists():
            raise BadRun(f"{self.id} has no evaluation on {suite!r}.", way_out="It is written when the run is done.")
        table = _table(folder / f"{suite}.parquet", "checkpoint", "first", "second", numbers=("row", "gold", "cosine"))
        texts = self._sentences()
        return table.assign(sentence1=table["first"].map(texts), sentence2=table["second"].map(texts)).drop(
            columns=["first", "second"]
        )

    def _sentences(self) -> "Series[str]":
        """Every sentence of its evaluations by its hash."""
        table = _table(self.folder / names.EVALUATIONS / "sentences.parquet", "hash", "text")
        return table.drop_duplicates("hash").set_index("hash")["text"].astype(str)

    @property
    def checkpoints(self) -> dict[str, shapes.State]:
        """The complete checkpoints, by name, with step, samples and score. `step0` is the backbone itself."""
        found: dict[str, shapes.State] = {"step0": {"step": 0, "samples": 0}}
        for name in ("best", "last"):
            if state := self._whole(f"{names.CHECKPOINTS}/{name}/{names.STATE}", shapes.State):
                found[name] = _numbers(state)
        return found

    @property
    def best(self) -> dict[str, object]:
        """Step, samples, score and metric of the best look so far; empty before the first."""
        best = self.checkpoints.get("best")
        return {key: value for key, value in best.items() if key != "waited"} if best else {}

    def step_of(self, checkpoint: str) -> int | None:
        """The step of a complete checkpoint; None where there is no such one."""
        state = self.checkpoints.get(checkpoint)
        return state["step"] if state else None

    def coordinates(self, method: str = "cone") -> "DataFrame":
        """The evaluated sentences in the plane (`pca` or `cone`): checkpoint, x, y, text. Empty before the end.

        Raises:
            BadRun: its tables are damaged.
        """
        import pandas

        path = self.folder / names.COORDINATES / f"{method}.parquet"
        if not path.exists():
            return pandas.DataFrame(columns=["checkpoint", "x", "y", "text"])
        table = _table(path, "hash", numbers=("x", "y"))
        texts = self._sentences()
        return table.assign(text=table["hash"].map(texts)).drop(columns="hash")

    @property
    def corpus_report(self) -> shapes.Report | shapes.Articles:
        """The report on the training texts; empty until the worker wrote it."""
        found: shapes.Report | shapes.Articles | None = (
            self._whole(names.CORPUS, shapes.Articles)
            if self._has_articles
            else self._whole(names.CORPUS, shapes.Report)
        )
        return found or shapes.Report()

    @property
    def overlap(self) -> list[shapes.Overlap]:
        """Of the report on the training texts: what evaluation sets share with them."""
        report = None if self._has_articles else self._whole(names.CORPUS, shapes.Report)
        return report.get("overlap", []) if report else []

    @property
    def _has_articles(self) -> bool:
        return not self.problem and self.config.pretrains

    @property
    def environment(self) -> shapes.Environment:
        """Python, packages, platform, device."""
        return self._whole(names.ENVIRONMENT, shapes.Environment) or {}

    @cached_property
    def lost(self) -> dict[str, None]:
        """What was wrong with those of its files that were read so far, and so left out, a line a value."""
        return {}

    @property
    def damage(self) -> list[str]:
        """See `lost`; of all its files."""
        _ = self.corpus_report, self.environment, self.checkpoints, self.events, self.progress, self.best_spearman
        self._whole(f"{names.EVALUATIONS}/{SCORES}", list[shapes.Score])
        return list(self.lost)

    def _whole(self, file: str, shape: type[Shape]) -> Shape | None:
        """A JSON file of the folder, as far as it fits."""
        lost: list[str] = []
        value = shapes.read_whole(self.folder / file, shape, lost)
        self.lost.update(dict.fromkeys(f"{file}: {line}" for line in lost))
        return value

    def _rows(self, file: str, shape: type[Shape], most_bytes: int | None = None) -> list[Shape]:
        """The rows of a jsonl file, or those in its last bytes; none where it cannot be read."""
        path, lost = self.folder / file, list[str]()
        try:
            start = max(0, path.stat().st_size - most_bytes) if most_bytes else 0
            rows = list(shapes.read_rows(path, shape, start, lost))
        except OSError:
            return []
        self.lost.update(dict.fromkeys(f"{file}: {line}" for line in lost))
        return rows

    @property
    def size_bytes(self) -> dict[str, int]:
        """Disk use by part: checkpoints, model, evaluations, other and total."""
        sizes = dict.fromkeys((names.CHECKPOINTS, names.MODEL, names.EVALUATIONS, "other"), 0)
        for part, size in _files(self.folder):
            sizes[part if part in sizes else "other"] += size
        return {**sizes, "total": sum(sizes.values())}

    def log(self, tail_bytes: int = 20_000) -> str:
        """The end of log.txt."""
        try:
            with (self.folder / names.LOG).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - tail_bytes))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    @property
    def command_line(self) -> str:
        """The command that repeats this run."""
        return commands.command_line(self.config)

    @property
    def python_line(self) -> str:
        """The Python line that repeats this run."""
        return commands.python_line(self.config)

    @property
    def started(self) -> float | None:
        """When this attempt began, seconds since 1970; None while it waits, and if it never began."""
        return self.status.times.get(events.STARTING)

    @property
    def seconds(self) -> float:
        """How long this attempt took, or has taken so far; 0 before it started.

        Of a lost run until the last sign of life: when it was found out says nothing of how long it worked.
        """
        status = self.status
        if events.STARTING not in status.times:
            return 0.0
        end = status.time if status.state in events.ENDED else time.time()
        if status.state == events.LOST:
            end = _last_sign(self, status)
        return max(0.0, end - status.times[events.STARTING])

    def __repr__(self) -> str:
        return f"Run({self.id!r}, {self.state or 'no events'})"


@lru_cache(4096)
def _config(path: Path, _mtime_ns: int, _size: int) -> RunConfig:
    """Lists of runs are drawn again and again: a file is read anew only when it changed."""
    return configs.read(path)


@lru_cache(4096)
def _status(path: Path, _mtime_ns: int, _size: int) -> events.Status:
    """See `_config`."""
    return events.status(path.parent)


def _numbers(state: shapes.State) -> shapes.State:
    """What a checkpoint's state says of it, without what only a resume needs."""
    known = {key: value for key, value in state.items() if not isinstance(value, dict)}
    return shapes.fitting(shapes.State, known) or state


def _last_sign(run: Run, status: events.Status) -> float:
    """When a lost run was last known to work: its last state, step or heartbeat."""
    signs = [moment for state, moment in status.times.items() if state != events.LOST]
    signs += [row["time"] for row in run._rows(names.STEPS, shapes.Step, 8192)[-1:] if "time" in row]
    with suppress(OSError):  # an imported run has no heart
        signs.append(run.heartbeat.stat().st_mtime)
    return max(signs)


def _followed(path: Path, shape: type) -> "DataFrame":
    """The table of a jsonl file; empty where it cannot be read."""
    import pandas

    try:
        return followed(path, shape).read()
    except OSError:
        return pandas.DataFrame()


def _table(path: Path, *columns: str, numbers: tuple[str, ...] = ()) -> "DataFrame":
    """A table of an evaluation.

    Raises:
        BadRun: it cannot be read, lacks one of the columns, or has something else in one that holds numbers.
    """
    import pandas
    import pyarrow

    way_out = "Repeat the run, or import it again."
    try:
        table = pandas.read_parquet(path)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        why = str(error).strip().split("\n")[0][:200]
        raise BadRun(f"{path} cannot be read.", reason=f"{type(error).__name__}: {why}", way_out=way_out) from None
    if lacking := [name for name in (*columns, *numbers) if name not in table]:
        raise BadRun(f"{path} is damaged: it has no column {lacking[0]}.", way_out=way_out)
    if wrong := [name for name in numbers if not pandas.api.types.is_numeric_dtype(table[name])]:
        raise BadRun(f"{path} is damaged: its column {wrong[0]} does not hold numbers.", way_out=way_out)
    return table


def _files(folder: Path | str, part: str = "") -> Iterator[tuple[str, int]]:
    """The size of every file below, with the first folder on the way to it. A live run replaces its files: what is gone
    is left out.
    """
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, part or entry.name)
            elif entry.is_file():
                yield part, entry.stat().st_size
        except OSError:
            continue
