"""Where everything lies: the files of a run folder, and the folders beside the runs."""

import os
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from workbench.core import paths, private
from workbench.core.errors import BadRun, WorkbenchError

CONFIG = "config.toml"
ENVIRONMENT = "environment.json"
CORPUS = "corpus.json"
EVENTS = "events.jsonl"
STEPS = "steps.jsonl"
PROBES = "probes.jsonl"
LOG = "log.txt"
EVALUATIONS = "evaluations"
COORDINATES = "coordinates"
CHECKPOINTS = "checkpoints"
MODEL = "model"
BACKBONE = "backbone"
"""In place of MODEL where pooling or head cannot be written: the backbone alone, for a second stage to go on from."""
VOCABULARY = "vocabulary"
"""The tokenizer of a pretraining that cut or learnt its own pieces."""

CHECKPOINT_NAMES = ("step0", "best", "last")
STATE = "state.json"
"""Written last: a checkpoint without it is not complete."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]{7,119}")


@dataclass(frozen=True)
class RunsFolder:
    """A folder of runs. Names that start with a dot are the workbench's own; the rest are runs."""

    path: Path

    @property
    def jobs(self) -> Path:
        """Queue, locks and logs: all of it can be rebuilt."""
        return self.path / ".jobs"

    @property
    def cache(self) -> Path:
        """Answers of the compute process: all of it can be computed again."""
        return self.path / ".cache"

    @property
    def corpora(self) -> Path:
        """Uploaded texts that runs were trained on."""
        return self.path / ".corpora"

    @property
    def recipes(self) -> Path:
        """Recipes of one's own, one file each."""
        return self.path / ".recipes"

    @property
    def judgements(self) -> Path:
        """What people judged, one file a judge."""
        return self.path / ".judgements"

    @property
    def sweeps(self) -> Path:
        """Which runs belong together as a grid or a tournament, one file each."""
        return self.path / ".sweeps"

    def run_folders(self) -> list[Path]:
        """Everything that may be a run, newest first (ids begin with their date)."""
        if not self.path.is_dir():
            return []
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if _ID.fullmatch(entry.name) and entry.is_dir()]
        return [self.path / name for name in sorted(names, reverse=True)]


def runs_place(folder: str | Path | None = None) -> RunsFolder:
    """See `runs_folder`; not created, for those who only look.

    Raises:
        BadRun: it can be no path.
    """
    named = folder or os.environ.get("WORKBENCH_RUNS") or "runs"
    try:
        paths.check(named)
    except WorkbenchError as error:
        raise BadRun(error.what, way_out="Choose another runs folder with --runs.") from None
    return RunsFolder(Path(named).expanduser().resolve())


def runs_folder(folder: str | Path | None = None) -> RunsFolder:
    """`folder`, else WORKBENCH_RUNS, else `runs` in the current folder. Created if it is not there, and closed to the
    other accounts of this machine; see `private.restrict`.

    Raises:
        BadRun: it cannot be a folder.
    """
    path = runs_place(folder).path
    try:
        path.mkdir(private.FOLDER_MODE, parents=True, exist_ok=True)
        private.restrict(path)
    except OSError as error:
        raise BadRun(
            f"{path} cannot be a runs folder: {error.strerror}.", way_out="Choose another with --runs."
        ) from None
    return RunsFolder(path)


def word(text: str) -> str:
    """`text` as a part of a run id.

    >>> word("sentence-transformers/All_MiniLM L6")
    'all-minilm-l6'
    """
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")[:32] or "x"


def new_id(recipe: str, backbone: str, seed: int, now: datetime | None = None) -> str:
    """`<yyyymmdd>-<hhmmss>-<recipe>-<backbone>-s<seed>-<4 hex>`, local time."""
    moment = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    return f"{moment}-{word(recipe)}-{word(backbone)}-s{seed}-{secrets.token_hex(2)}"


def is_id(text: str) -> bool:
    """Whether `text` can be the name of a run folder."""
    return _ID.fullmatch(text) is not None


def check_id(run_id: str) -> str:
    """`run_id`, if it can be the name of a run folder.

    Raises:
        BadRun: anything that could lead elsewhere.
    """
    if not is_id(run_id):
        raise BadRun(
            f"{run_id!r} is not a run id.",
            rule="Run ids have small letters, digits and dashes only.",
            way_out="See: runs list.",
        )
    return run_id
