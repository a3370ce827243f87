"""Judgements by people: one file per judge and one line per judgement, written before the next pair is shown."""

import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting
from workbench.core.private import make_folder
from workbench.core.reading import row_of
from workbench.core.writing import append_line
from workbench.store.fitting import fitting
from workbench.store.following import Lines
from workbench.store.names import RunsFolder, word
from workbench.store.shapes import Judgement

LONGEST_NAME = 60
_FIELDS = ("judge", "pair", "pipeline", "title", "before", "text", "verdict", "time")


def file_of(folder: RunsFolder, judge: str) -> Path:
    """The file with the judgements of one person; see `file_of_person`.

    Raises:
        BadSetting: the name is empty or too long.
    """
    return file_of_person(folder.judgements, judge)


def file_of_person(folder: Path, judge: str) -> Path:
    """The file in `folder` of a person of that name; the name ignores case.

    Raises:
        BadSetting: the name is empty or too long.
    """
    name = " ".join(judge.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise BadSetting("A judge needs a name.", rule=f"It has 1 to {LONGEST_NAME} characters.", got=judge[:80])
    plain = word(name)
    if (
        plain != name.casefold()
    ):  # a name in another script, or with punctuation, must not share the file of a plain one
        plain += "-" + blake2b(name.casefold().encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return folder / f"{plain}.jsonl"


def add(folder: RunsFolder, judge: str, pair: Mapping[str, object], verdict: str) -> None:
    """Append one judgement; it replaces an earlier one by the same judge on the same pair.

    Raises:
        BadSetting: the name of the judge is empty or too long.
        Refused: the disk is full.
    """
    path = file_of(folder, judge)
    row: dict[str, object] = {"judge": " ".join(judge.split()), "verdict": verdict, "time": time.time()}
    row |= {name: pair[name] for name in ("pair", "pipeline", "title", "before", "text")}
    _append(path, row)


def undo(folder: RunsFolder, judge: str) -> str:
    """Undo the last judgement still valid; returns the id of its pair, or an empty text if there is none."""
    path = file_of(folder, judge)
    standing = list(_standing(path))
    if not standing:
        return ""
    _append(path, {"undo": standing[-1], "time": time.time()})
    return standing[-1]


def of_judge(folder: RunsFolder, judge: str) -> dict[str, Judgement]:
    """The valid judgements of one person by pair, oldest first."""
    return _standing(file_of(folder, judge))


def everything(folder: RunsFolder) -> list[dict[str, object]]:
    """All valid judgements, each with judge, pair, pipeline, title, before, text, verdict and time (seconds since
    1970).
    """
    paths = sorted(folder.judgements.glob("*.jsonl")) if folder.judgements.is_dir() else []
    return [{name: row.get(name) for name in _FIELDS} for path in paths for row in _standing(path).values()]


def _append(path: Path, row: Mapping[str, object]) -> None:
    with disk_errors_explained():
        make_folder(path.parent)
        append_line(path, row)


def _standing(path: Path) -> dict[str, Judgement]:
    return _judged(path).standing()


class _Judged:
    """The valid judgements in a file by pair, oldest first. Only new lines are read: the page asks after each press of a key."""

    def __init__(self, path: Path) -> None:
        self.lines = Lines(path)
        self.lock = threading.Lock()
        self.by_pair: dict[str, Judgement] = {}

    def standing(self) -> dict[str, Judgement]:
        """As of now, as a new dictionary for each caller."""
        with self.lock:
            lines, anew = self.lines.new()
            if anew:
                self.by_pair = {}
            for line in lines:
                if (row := fitting(Judgement, row_of(line))) is not None:
                    self._take(row)
            return dict(self.by_pair)

    def _take(self, row: Judgement) -> None:
        if "undo" in row:
            self.by_pair.pop(row["undo"], None)
        elif row.keys() >= {"judge", "pair", "verdict", "pipeline"}:
            self.by_pair.pop(row["pair"], None)  # judged again: now the latest
            self.by_pair[row["pair"]] = row


@lru_cache(32)
def _judged(path: Path) -> _Judged:
    return _Judged(path)
