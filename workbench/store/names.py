"""Names of the files of a run folder, and of the workbench's own folders in a runs folder."""

import errno
import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zlib import crc32

from workbench.core import paths, private
from workbench.core.errors import BadRun, WorkbenchError
from workbench.core.writing import sync

CONFIG = "config.toml"
ENVIRONMENT = "environment.json"
CORPUS = "corpus.json"
EVENTS = "events.jsonl"
STEPS = "steps.jsonl"
PROBES = "probes.jsonl"
LOG = "log.txt"
ANNOTATIONS = "annotations.json"
"""Name, tags and note that people gave it; see `store.annotations`."""
EVALUATIONS = "evaluations"
OUTCOME = "outcome.json"
"""Whether training helped; see `store.outcomes`."""
COORDINATES = "coordinates"
FILM = "film"
"""Vectors of a few sentences at each probe; see `store.film`."""
CHECKPOINTS = "checkpoints"
MODEL = "model"
BACKBONE = "backbone"
"""Written instead of MODEL if the pooling or head cannot be exported: only the backbone, for a second stage to start
from.
"""
VOCABULARY = "vocabulary"
"""The tokenizer of a pretraining with its own vocabulary."""

CHECKPOINT_NAMES = ("step0", "best", "last")
STATE = "state.json"
"""Written last: a checkpoint without it is incomplete."""

_SURE_NS = 2_000_000_000
_LISTED: dict[Path, tuple[tuple[int, int], tuple[str, ...]]] = {}
"""The names in each runs folder, with its date and inode when they were read."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]{7,119}")


@dataclass(frozen=True)
class RunsFolder:
    """A folder of runs. Folders whose names start with a dot belong to the workbench; all others are runs."""

    path: Path

    @property
    def jobs(self) -> Path:
        """Queue, locks and logs; all of it can be rebuilt."""
        return self.path / ".jobs"

    @property
    def cache(self) -> Path:
        """Answers of the compute process; all of them can be computed again."""
        return self.path / ".cache"

    @property
    def corpora(self) -> Path:
        """Uploaded texts that runs were trained on."""
        return self.path / ".corpora"

    @property
    def recipes(self) -> Path:
        """The user's own recipes, one file each."""
        return self.path / ".recipes"

    @property
    def judgements(self) -> Path:
        """Judgements by people, one file per judge."""
        return self.path / ".judgements"

    @property
    def gold(self) -> Path:
        """Sets of pairs that people rate, one folder each."""
        return self.path / ".gold"

    @property
    def own_pairs(self) -> Path:
        """Scored pairs of the user's own, one file each: typed, uploaded, or rated here."""
        return self.corpora / "pairs"

    @property
    def slices(self) -> Path:
        """Selections of pairs with a name, one file each."""
        return self.path / ".slices"

    @property
    def coordinates(self) -> Path:
        """Coordinates of projections, one folder each."""
        return self.path / ".coordinates"

    @property
    def sweeps(self) -> Path:
        """Sweeps (runs that belong to one grid or tournament), one file each."""
        return self.path / ".sweeps"

    def run_names(self) -> set[str]:
        """The names of all folders that can be run ids. Files with such names count too: nobody writes any."""
        try:
            return {name for name in os.listdir(self.path) if _ID.fullmatch(name)}  # noqa: PTH208 - a hundred thousand
        except OSError:
            return set()

    def newest_names(self) -> tuple[str, ...]:
        """`run_names`, newest first. Read again only once the folder has changed: a hundred thousand take a fifth of a second."""
        try:
            about = os.stat(self.path)  # noqa: PTH116
        except OSError:
            return ()
        known = _LISTED.get(self.path)
        if known is None or known[0] != (about.st_mtime_ns, about.st_ino):
            sure = (
                time.time_ns() - about.st_mtime_ns > _SURE_NS
            )  # else it may change again within the same tick of the clock
            known = (
                (about.st_mtime_ns, about.st_ino) if sure else (0, 0),
                tuple(sorted(self.run_names(), reverse=True)),
            )
            _LISTED[self.path] = known
        return known[1]

    def run_folders(self) -> list[Path]:
        """All folders whose names can be run ids, newest first (ids begin with the date)."""
        if not self.path.is_dir():
            return []
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if _ID.fullmatch(entry.name) and entry.is_dir()]
        return [self.path / name for name in sorted(names, reverse=True)]


def runs_place(folder: str | Path | None = None) -> RunsFolder:
    """As `runs_folder`, but the folder is not created.

    Prefer it over `runs_folder` when nothing will be written.

    Raises:
        BadRun: the name cannot be a path, or what is there cannot be read.
    """
    named = _named(folder)
    try:
        paths.check(named)
    except WorkbenchError as error:
        raise BadRun(error.what, way_out="Choose another runs folder with --runs.") from None
    path = named.expanduser().resolve()
    _check_readable(path)
    return RunsFolder(path)


def _named(folder: str | Path | None) -> Path:
    return Path(folder or os.environ.get("WORKBENCH_RUNS") or "runs")


def _check_readable(path: Path) -> None:
    """Check that a folder, if there is one, can be entered and listed: it would be taken for one without runs.

    Raises:
        BadRun: it cannot, or is no folder.
    """
    try:
        with os.scandir(f"{path}{os.sep}."):  # "." is looked up in it, so that entering is tried too
            pass
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise BadRun(
            f"{path} cannot be a runs folder: {error.strerror}.", way_out="Choose another with --runs."
        ) from None
    except OSError as error:
        as_other = ", or run this as an account that may read it" if isinstance(error, PermissionError) else ""
        raise BadRun(
            f"The runs folder {path} cannot be read.",
            got=error.strerror or str(error),
            way_out=f"Choose another with --runs or WORKBENCH_RUNS{as_other}.",
        ) from None


@contextmanager
def files_explained(folder: str | Path | None = None) -> Iterator[None]:
    """A context for whatever uses a runs folder, `folder` as in `runs_place`: a file in it that this account may not read, or
    that cannot be written because the disk is read-only, raises an error with a message. Errors with other files pass through.

    Raises:
        BadRun: a file in the runs folder, or the folder, cannot be used.
    """
    try:
        yield
    except OSError as error:
        if not (isinstance(error, PermissionError) or error.errno == errno.EROFS):
            raise
        file = error.filename
        if not isinstance(file, str | Path) or not Path(file).is_relative_to(runs_place(folder).path):
            raise
        raise BadRun(
            f"{file} cannot be used.",
            got=error.strerror or str(error),
            way_out="Choose another runs folder with --runs or WORKBENCH_RUNS, or run this as an account that may use it.",
        ) from error


def check_owner(folder: RunsFolder) -> None:
    """Check that what this account writes into a runs folder does not lock out the one that uses it: all files are closed to
    other accounts (`core.private`), so a queue or lock that root has made stops every command of the owner.

    The account that uses it is that of `.jobs`; without it, as of runs that were copied, that of a folder which is closed to
    others and not empty.

    Raises:
        BadRun: another account uses it.
        OSError: it cannot be looked at.
    """
    used = folder.jobs
    if not used.exists():
        used = folder.path
        if not used.is_dir() or not private.is_private(used) or not any(used.iterdir()):
            return
    if owner := private.owner_harmed(used):
        raise BadRun(
            f"{folder.path} is the runs folder of another account, {owner}.",
            rule="One runs folder serves one account: what others write there, its owner cannot read.",
            got=f"the account {private.account()}",
            way_out=f"Run this as {owner}, or choose another runs folder with --runs or WORKBENCH_RUNS.",
        )


def _check_links(named: Path) -> None:
    """Check that no link leads nowhere: perhaps to a disk that is not mounted, which a folder made there would hide.

    Raises:
        BadRun: a part of the path is a link to what does not exist.
        OSError: it cannot be looked at.
    """
    for link in (named, *named.parents):
        if link.is_symlink() and not link.exists():
            raise BadRun(
                f"{named} cannot be a runs folder: {link} is a link to {link.readlink()}, which does not exist.",
                way_out="Make that folder, or choose another with --runs.",
            )


def runs_folder(folder: str | Path | None = None) -> RunsFolder:
    """The runs folder: `folder`, otherwise WORKBENCH_RUNS, otherwise `runs` in the current folder.

    It is created if necessary and closed to other accounts of the machine, see `private.restrict`.

    Raises:
        BadRun: the folder cannot be created or used, is a link to what does not exist, or another account uses it.
    """
    place = runs_place(folder)
    path, named = place.path, _named(folder).expanduser()
    try:
        _check_links(named)
        check_owner(place)
        missing = [one for one in (path, *path.parents) if not one.exists()]
        path.mkdir(private.FOLDER_MODE, parents=True, exist_ok=True)
        for one in missing:
            sync(one.parent)
        private.restrict(path)
    except OSError as error:
        raise BadRun(
            f"{path} cannot be a runs folder: {error.strerror}.", way_out="Choose another with --runs."
        ) from None
    return place


def word(text: str) -> str:
    """`text` in a form that can be part of a run id.

    >>> word("sentence-transformers/All_MiniLM L6")
    'all-minilm-l6'
    """
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")[:32] or "x"


SLOTS = 48
"""Different combinations of colour, symbol and dash in figures."""


def new_id(recipe: str, backbone: str, seed: int, now: datetime | None = None, newest: Sequence[str] = ()) -> str:
    """A new id: `<yyyymmdd>-<hhmmss>-<recipe>-<backbone>-s<seed>-<4 hex digits>`, in local time.

    Its `slot_of` is the first after that of the newest run which none of the `newest` has, newest first.
    """
    moment = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    taken = [slot_of(name) for name in newest[: SLOTS - 1]]
    following = [(sum(taken[:1]) + step) % SLOTS for step in range(SLOTS)]
    slot = next(slot for slot in following if slot not in taken)
    digits = slot + SLOTS * secrets.randbelow(0x10000 // SLOTS)
    return f"{moment}-{word(recipe)}-{word(backbone)}-s{seed}-{digits:04x}"


def slot_of(name: str) -> int:
    """Which colour, symbol and dash a run has in figures, a number below `SLOTS`: from the last four digits of its id, or from a
    whole name without them.

    >>> slot_of("20260101-000000-simcse-unsup-minilm-l3-s0-0032"), slot_of("org/model")
    (2, 42)
    """
    digits = re.search(r"-([0-9a-f]{4})$", name)
    return (int(digits[1], 16) if digits else crc32(name.encode("utf-8", "surrogatepass"))) % SLOTS


def is_id(text: str) -> bool:
    """Whether `text` can be the name of a run folder."""
    return _ID.fullmatch(text) is not None


def check_id(run_id: str) -> str:
    """Returns `run_id` if it can be the name of a run folder.

    Raises:
        BadRun: it cannot, and could lead to another folder.
    """
    if not is_id(run_id):
        raise BadRun(
            f"{run_id!r} is not a run id.",
            rule="Run ids contain only lower-case letters, digits and dashes.",
            way_out="See: runs list.",
        )
    return run_id
