"""A run, read from its folder: everything that pages, the command line and scripts show of it."""

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core import config as configs
from workbench.core.config import RunConfig
from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.reading import read_object
from workbench.data.dropped import notices_of
from workbench.processes import liveness
from workbench.store import commands, events, names, shapes
from workbench.store.annotations import Annotations, parsed
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.fitting import Shape, fitting, read_rows, read_whole
from workbench.store.following import followed
from workbench.store.time_left import seconds_left

if TYPE_CHECKING:
    from pandas import DataFrame, Series


_FIGURES = ("spearman", "low", "high", "alignment", "uniformity", "mean_cosine")
_MEASURED = ("pairs", "n", "step", *_FIGURES)
"""Columns that every table of scores has, even if their values are unknown."""
_GONE = "The process that trained it is gone: it was killed, or the machine was restarted."
DECISION_SECONDS = 60.0
"""For so much longer than the patience with its heartbeat a run on a cluster is not called lost: its supervisor asks the cluster,
ends the job, and mostly queues the run again."""
_NO_EVENTS = (
    f"Its {names.EVENTS} is missing, or nothing in it can be read, as after a power cut: what became of it is not known. "
    "Resume queues it again; or delete it."
)


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int
    steps: int
    seconds_left: float | None
    """None until a dry run or two steps after the first of this attempt have been timed; 0 at the end."""

    @property
    def share(self) -> float:
        """The share of the steps done, 0 to 1."""
        return min(1.0, self.step / self.steps) if self.steps else 0.0


@dataclass(frozen=True, eq=False)
class Run:
    """One run folder. Every property reads the disk, except the configuration, which never changes."""

    folder: Path

    @property
    def id(self) -> str:
        """The name of the folder, which is unique."""
        return self.folder.name

    @property
    def label(self) -> str:
        """The name given by the user, otherwise the id."""
        return self.name or self.id

    @property
    def name(self) -> str:
        """The name given by the user: the one it was renamed to, otherwise that of its configuration; may be empty."""
        return self.annotations.name or ("" if self.problem else self.config.name)

    @property
    def annotations(self) -> Annotations:
        """Name, tags and note that people gave it; see `api.rename`, `api.tag` and `api.note`."""
        return parsed(self._whole(names.ANNOTATIONS, shapes.Annotations))

    @cached_property
    def config(self) -> RunConfig:
        """The configuration of the run.

        Raises:
            BadRun: config.toml is missing.
            BadSetting: it was damaged or edited and is no longer a valid configuration.
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
        """What is wrong with the configuration; empty if nothing is."""
        try:
            self.config  # noqa: B018
        except WorkbenchError as error:
            return str(error)
        return ""

    @property
    def heartbeat(self) -> Path:
        """The file that the worker touches every two seconds."""
        return names.RunsFolder(self.folder.parent).jobs / "heartbeats" / self.id

    @property
    def status(self) -> events.Status:
        """The recorded status, but `lost` if the worker is dead: a run without a process is never shown as running, on a cluster
        not for long. So is one whose events are gone.
        """
        status = self.recorded_status
        if not status.state and not status.message and (self.folder / names.CONFIG).exists():
            return replace(status, state=events.LOST, message=_NO_EVENTS)
        if status.state in events.LIVE and not self._worked_on(status):
            status = self.recorded_status  # it may have ended properly in the meantime
            if status.state in events.LIVE and not self._worked_on(status):
                return replace(status, state=events.LOST, message=_GONE)
        return status

    def _worked_on(self, status: events.Status) -> bool:
        """Whether the worker is alive, or its supervisor may still queue the run again. Before its first event it has
        `STALE_SECONDS` to start.

        On this machine only the process counts, not its heartbeat: whether it hangs is for the supervisor to decide,
        which does not depend on file dates. So it is on a cluster, for `DECISION_SECONDS`.
        """
        patience = (status.stale_seconds or liveness.STALE_SECONDS) + DECISION_SECONDS * bool(status.on)
        if not status.who:
            return time.time() - status.time < patience
        here = status.who.get("machine") == liveness.machine()
        if liveness.lives(status.who, None if here else self.heartbeat, patience):
            return True
        return bool(status.on) and liveness.heartbeat_age(self.heartbeat) < patience

    @property
    def recorded_status(self) -> events.Status:
        """The status according to the events alone. If they cannot be read, the state is empty and the message says
        why.
        """
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
        """One of queued, starting, running, stopping, saving, done, stopped, failed and lost; empty without events."""
        return self.status.state

    @property
    def live(self) -> bool:
        """Whether a process is working on it, or it is queued."""
        return self.state in (events.QUEUED, *events.LIVE)

    @property
    def failure(self) -> tuple[str, str] | None:
        """Kind and message of a failed or lost run, or of one whose events cannot be read; otherwise None.

        The traceback is in log.txt.
        """
        status = self.status
        wrong = status.state in (events.FAILED, events.LOST) or (status.message and not status.state)
        return (status.kind or "Lost", status.message) if wrong else None

    @property
    def note(self) -> str:
        """What the worker is doing now, in words; empty if there is no worker."""
        return str(read_object(self.heartbeat).get("note", ""))

    @property
    def events(self) -> list[shapes.Event]:
        """All events in order; empty if they cannot be read."""
        return self._rows(names.EVENTS, shapes.Event)

    @property
    def progress(self) -> Progress:
        """Step, steps, and an estimate of the seconds left, see `time_left`."""
        total = 0 if self.problem else self.config.training.steps
        recorded = self._rows(names.STEPS, shapes.Step, 16384)
        status, step = self.status, recorded[-1]["step"] if recorded else 0
        if recorded and status.state in (*events.ENDED, events.STOPPING):
            return Progress(step, total, 0.0)
        if self.problem or status.state not in events.LIVE:
            return Progress(step, total, None)
        probes = self._rows(names.PROBES, shapes.Probe, 16384)
        began = status.times.get(events.RUNNING, status.time)
        return Progress(step, total, seconds_left(self.config, recorded, probes, self.events, began))

    @property
    def tokens_per_second(self) -> float | None:
        """The speed of a pretraining over its last steps, without probes. None for other runs and before the first
        step.
        """
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
        """One row per step: step, loss, accuracy, learning_rate, gradient_norm, seconds, samples (so far), tokens (of this
        step) and the loss of each term.
        """
        return _followed(self.folder / names.STEPS, shapes.Step)

    @property
    def tokens(self) -> int | None:
        """How many tokens the trained encoder read in all steps so far; None if they were not counted."""
        steps = self.steps
        if "tokens" not in steps or steps["tokens"].isna().any():
            return None
        return int(steps.drop_duplicates("step", keep="last")["tokens"].sum())

    @property
    def probes(self) -> "DataFrame":
        """One row per probe: step, loss, accuracy, alignment, alignment_on, uniformity, mean_cosine, spearman, ..."""
        table = _followed(self.folder / names.PROBES, shapes.Probe)
        return table.assign(masked_accuracy=table.get("masked_accuracy", math.nan)) if "masked_loss" in table else table

    @property
    def model(self) -> Path | None:
        """The folder that sentence-transformers or transformers load; None until the run is done, or without its weights.

        See `store.elsewhere`: for poolings that sentence-transformers lacks, it holds the encoder without its pooling.
        """
        places = (self.folder / name for name in (names.MODEL, names.BACKBONE))
        return next((place for place in places if place.is_dir()), None)

    @property
    def kept(self) -> str:
        """The checkpoint that stands for the run: `best` if a step was chosen or the run is done, otherwise `last`."""
        return kept_of(self.checkpoints)

    @property
    def probe_spearman(self) -> float | None:
        """Spearman of the probe at the kept step, -1 to 1; None before the first probe, or if it was not measured.

        The kept step is the chosen one; in a run that chooses none, the last that was probed.
        """
        rows = self._rows(names.PROBES, shapes.Probe)
        if not self.problem and self.config.selection.selects and (best := self.checkpoints.get("best")):
            rows = [row for row in rows if row["step"] == best["step"]]
        return rows[-1].get("spearman") if rows else None

    @property
    def scores(self) -> "DataFrame":
        """Evaluations: one row for each checkpoint and pair set, with intervals and geometry. Spearman is -1 to 1.

        Invalid rows are left out; empty before the first evaluation. What could not be measured is NaN.
        """
        import pandas

        table = pandas.DataFrame(score_rows(self.folder / names.EVALUATIONS / SCORES))
        if table.empty:
            return table
        # A column without a single number would hold None.
        every = table.reindex(columns=[*table, *(name for name in _MEASURED if name not in table)])
        return every.astype(dict.fromkeys(_FIGURES, float))

    def cosines(self, suite: str = "pairs") -> "DataFrame":
        """One row for each pair and checkpoint: checkpoint, task, subset, row, gold, cosine (-1 to 1), sentence1,
        sentence2.

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
        """All sentences of its evaluations, indexed by their hashes."""
        table = _table(self.folder / names.EVALUATIONS / "sentences.parquet", "hash", "text")
        return table.drop_duplicates("hash").set_index("hash")["text"].astype(str)

    @property
    def checkpoints(self) -> dict[str, shapes.State]:
        """The complete checkpoints by name, with step, samples and score. `step0` is the untrained backbone."""
        found: dict[str, shapes.State] = {"step0": {"step": 0, "samples": 0}}
        for name in ("best", "last"):
            if state := self._whole(f"{names.CHECKPOINTS}/{name}/{names.STATE}", shapes.State):
                found[name] = _numbers(state)
        return found

    @property
    def best(self) -> dict[str, object]:
        """Step, samples, score and metric of the best evaluation so far; empty before the first."""
        best = self.checkpoints.get("best")
        return {key: value for key, value in best.items() if key != "waited"} if best else {}

    @property
    def outcome(self) -> shapes.Outcome | None:
        """Whether training helped; None until the run is done, and for a pretraining that kept a later step."""
        return self._whole(names.OUTCOME, shapes.Outcome)

    def has_scores_alone(self, checkpoint: str) -> bool:
        """Whether the scores of a checkpoint are here but no trained weights: the run was imported without them."""
        from workbench.store.evaluations import has

        # That before training is the backbone, which is here all the same.
        here = self.checkpoints
        trained = here.keys() - {"step0"}
        return checkpoint not in here and not trained and not self.live and has(self.folder, "pairs", checkpoint)

    def step_of(self, checkpoint: str) -> int | None:
        """The step of a complete checkpoint; None if there is no such checkpoint."""
        state = self.checkpoints.get(checkpoint)
        return state["step"] if state else None

    def coordinates(self, method: str = "cone") -> "DataFrame":
        """The evaluated sentences in the plane, by `method` (`pca` or `cone`): checkpoint, x, y, text. Empty until the
        run is done.

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
        """The report on the training texts; empty until the worker has written it."""
        found: shapes.Report | shapes.Articles | None = (
            self._whole(names.CORPUS, shapes.Articles)
            if self._has_articles
            else self._whole(names.CORPUS, shapes.Report)
        )
        return found or shapes.Report()

    @property
    def notices(self) -> list[str]:
        """What its workers wrote down for whoever reads its numbers, such as that it was resumed elsewhere."""
        rows = (row for row in self.events if row.get("event") == "notice" and "message" in row)
        return list(dict.fromkeys(row["message"] for row in rows))

    @property
    def corpus_notices(self) -> list[str]:
        """How the corpus was read, and which rows were left out; from the corpus report."""
        report = None if self._has_articles else self._whole(names.CORPUS, shapes.Report)
        if not report:
            return []
        return notices_of(report.get("name", "The corpus"), report.get("notices", ()), report.get("dropped", ()))

    @property
    def overlap(self) -> list[shapes.Overlap]:
        """The overlap of evaluation sets with the training texts, from the corpus report."""
        report = None if self._has_articles else self._whole(names.CORPUS, shapes.Report)
        return report.get("overlap", []) if report else []

    @property
    def _has_articles(self) -> bool:
        return not self.problem and self.config.pretrains

    @property
    def environment(self) -> shapes.Environment:
        """Python, packages, platform, device and more; empty if it is missing."""
        return self._whole(names.ENVIRONMENT, shapes.Environment) or {}

    @property
    def precision(self) -> str:
        """In which it is trained and probed; auto until a worker has timed both."""
        return str(self.environment.get("precision") or self.config.training.precision)

    @cached_property
    def lost(self) -> dict[str, None]:
        """Invalid values in the files read so far, which were left out: one line each, as the keys of a dictionary."""
        return {}

    @property
    def damage(self) -> list[str]:
        """Invalid values in all files of the run, one line each; see `lost`."""
        _ = self.corpus_report, self.environment, self.checkpoints, self.events, self.progress, self.probe_spearman
        _ = self.annotations
        self._whole(f"{names.EVALUATIONS}/{SCORES}", list[shapes.Score])
        self._whole(names.OUTCOME, shapes.Outcome)
        return list(self.lost)

    def _whole(self, file: str, shape: type[Shape]) -> Shape | None:
        """A JSON file of the folder without its invalid values; None if it is missing or entirely damaged."""
        lost: list[str] = []
        value = read_whole(self.folder / file, shape, lost)
        self.lost.update(dict.fromkeys(f"{file}: {line}" for line in lost))
        return value

    def _rows(self, file: str, shape: type[Shape], most_bytes: int | None = None) -> list[Shape]:
        """The rows of a jsonl file, or those in its last `most_bytes`; empty if it cannot be read."""
        path, lost = self.folder / file, list[str]()
        try:
            start = max(0, path.stat().st_size - most_bytes) if most_bytes else 0
            rows = list(read_rows(path, shape, start, lost))
        except OSError:
            return []
        self.lost.update(dict.fromkeys(f"{file}: {line}" for line in lost))
        return rows

    @property
    def size_bytes(self) -> dict[str, int]:
        """Bytes on disk by part: checkpoints, model, evaluations, other and total. A file with two names counts once."""
        sizes = dict.fromkeys((names.CHECKPOINTS, names.MODEL, names.EVALUATIONS, "other"), 0)
        linked = set()
        for part, about in _files(self.folder):
            if about.st_nlink > 1:
                if (about.st_dev, about.st_ino) in linked:
                    continue
                linked.add((about.st_dev, about.st_ino))
            sizes[part if part in sizes else "other"] += about.st_size
        return {**sizes, "total": sum(sizes.values())}

    def log(self, tail_bytes: int = 20_000) -> str:
        """The last `tail_bytes` of log.txt; empty if it cannot be read."""
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
        """When this attempt started, in seconds since 1970; None if it has not."""
        return self.status.times.get(events.STARTING)

    @property
    def seconds(self) -> float:
        """Seconds that it took, or has taken so far, those before it was resumed included; 0 before it started.

        For a lost run, the time until its last sign of life counts, not until the loss was noticed.
        """
        status = self.status
        if events.STARTING not in status.times:
            return status.earlier_seconds
        end = status.time if status.state in events.ENDED else time.time()
        if status.state == events.LOST:
            end = _last_sign(self, status)
        return status.earlier_seconds + max(0.0, end - status.times[events.STARTING])

    def __repr__(self) -> str:
        return f"Run({self.id!r}, {self.state or 'no events'})"


def kept_of(checkpoints: Mapping[str, object]) -> str:
    """See `Run.kept`: for whoever has read the checkpoints."""
    return "last" if "last" in checkpoints and "best" not in checkpoints else "best"


@lru_cache(4096)
def _config(path: Path, _mtime_ns: int, _size: int) -> RunConfig:
    """Cached by date and size, since lists of runs are drawn often: a file is only read again if it has changed."""
    return configs.read(path)


@lru_cache(32_768)
def _status(path: Path, _mtime_ns: int, _size: int) -> events.Status:
    """Cached like `_config`."""
    return events.status(path.parent)


def _numbers(state: shapes.State) -> shapes.State:
    """A checkpoint's state without the values that only a resume needs."""
    known = {key: value for key, value in state.items() if not isinstance(value, dict)}
    return fitting(shapes.State, known) or state


def _last_sign(run: Run, status: events.Status) -> float:
    """When a lost run last showed signs of work: its last state, step or heartbeat (seconds since 1970)."""
    signs = [moment for state, moment in status.times.items() if state != events.LOST]
    signs += [row["time"] for row in run._rows(names.STEPS, shapes.Step, 8192)[-1:] if "time" in row]
    with suppress(OSError):  # an imported run has no heartbeat
        signs.append(run.heartbeat.stat().st_mtime)
    return max(signs)


def _followed(path: Path, shape: type) -> "DataFrame":
    """The table of a jsonl file; empty if it cannot be read."""
    import pandas

    try:
        return followed(path, shape).read()
    except OSError:
        return pandas.DataFrame()


def _table(path: Path, *columns: str, numbers: tuple[str, ...] = ()) -> "DataFrame":
    """A table of an evaluation, with at least these columns, of which `numbers` are numeric.

    Raises:
        BadRun: it cannot be read, lacks a column, or has other values in a numeric column.
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


def _files(folder: Path | str, part: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """Yields (top-level subfolder, size and links) for every file below `folder`. Files that vanish, since a live run replaces
    them, are ignored.
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
                yield part, entry.stat()
        except OSError:
            continue
