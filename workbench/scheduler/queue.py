"""The queue of runs: an index over the run folders, which are authoritative.

A wish is the devices that a run asks for, one per process, joined by spaces (`cuda:1`, `auto auto`), after the cluster that it
is for, if any (`hpc/auto`); a slot is the devices that it gets, written in the same way but without a cluster.
"""

import sqlite3
import time
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

import tomli

from workbench.processes.sqlite import Database
from workbench.store import events
from workbench.store.names import CONFIG, RunsFolder
from workbench.store.run import Run

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    run TEXT PRIMARY KEY,
    place REAL NOT NULL,
    device TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'claimed')),
    claimed REAL
);
CREATE INDEX IF NOT EXISTS in_order ON jobs (state, place, device, run);
"""
_SURE_NS = 2_000_000_000
"""A folder may have been changed again within the same tick of the clock as long as its date is no older than this."""


class Queue:
    """One row per run that is waiting or running. A lost row is restored by `complete`."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.database = Database(folder.jobs / "queue.sqlite", _SCHEMA)
        self._over: set[str] = set()
        """Runs that had ended when they were last looked at: whoever resumes one adds its row first."""
        self._open: set[str] = set()
        """Runs that were waiting or running when they were last looked at, or whose row was removed since."""
        self._listed = (0, 0, 0)
        """Date of the runs folder when it was last listed, and the file that the index was in."""

    def add(self, run: str, asks: str = "auto", *, again: bool = False) -> None:
        """Put a run and its wish at the end of the queue, unless it has a row; with `again` replace the row.

        The supervisor may have added, and even started, a new run before this is called. A run that is resumed may still
        have the row of the previous attempt, whose process has not quite ended.
        """
        with self.database.write() as connection:
            connection.execute(
                f"INSERT OR {'REPLACE' if again else 'IGNORE'} INTO jobs VALUES (?, ?, ?, 'queued', NULL)",
                (run, time.time(), asks),
            )

    def remove(self, run: str, state: str = "%") -> bool:
        """Remove a run that is in this state (queued, claimed; by default either); whether it was there.

        To finish a claimed run pass `claimed`: it may have been queued again in the meantime. `complete` looks at it again:
        whoever resumes it may have written its row, but not yet the event.
        """
        self._over.discard(run)
        self._open.add(run)
        with self.database.write() as connection:
            return connection.execute("DELETE FROM jobs WHERE run = ? AND state LIKE ?", (run, state)).rowcount > 0

    def first(self, run: str) -> float | None:
        """Put a waiting run before all others that wait for the same cluster, or for this machine. Its new place; None if it is
        not waiting. The order survives a rebuilt index if the place is recorded, see `launch.run_next`.
        """
        with self.database.write() as connection:
            rows = connection.execute("SELECT run, place, device FROM jobs WHERE state = 'queued'").fetchall()
            on = next((cluster_of(row["device"]) for row in rows if row["run"] == run), None)
            if on is None:
                return None
            others = [row["place"] for row in rows if row["run"] != run and cluster_of(row["device"]) == on]
            place = min(others, default=time.time()) - 1
            connection.execute("UPDATE jobs SET place = ? WHERE run = ?", (place, run))
            return float(place)

    def back(self, run: str) -> None:
        """Put a claimed run back at its old position."""
        with self.database.write() as connection:
            connection.execute("UPDATE jobs SET state = 'queued', claimed = NULL WHERE run = ?", (run,))

    def claim(self, slot: Callable[[str, str], str], without: Container[str] = ()) -> tuple[str, str] | None:
        """Claim the first queued run that gets a slot; the run and its slot. Runs in `without` are passed over.

        `slot` takes a run and its wish, and returns a slot, or an empty text if none is free for such a wish. No run
        overtakes one that waits for several devices at the same place: they would hardly ever be free at the same time.
        """
        refused, passed, held = list[str](), list[str](), set[str]()
        with self.database.write() as connection:
            while True:
                row = connection.execute(
                    "SELECT run, device FROM jobs WHERE state = 'queued' "
                    f"AND device NOT IN ({_marks(refused)}) AND run NOT IN ({_marks(passed)}) ORDER BY place LIMIT 1",
                    (*refused, *passed),
                ).fetchone()
                if row is None:
                    return None
                place = cluster_of(row["device"])
                if row["run"] in without:
                    passed.append(row["run"])
                elif place not in held and (devices := slot(row["run"], row["device"])):
                    now = time.time()
                    connection.execute(
                        "UPDATE jobs SET state = 'claimed', claimed = ? WHERE run = ?", (now, row["run"])
                    )
                    return row["run"], devices
                else:
                    refused.append(row["device"])
                    if " " in row["device"]:
                        held.add(place)

    def claimed(self) -> list[str]:
        """Runs that are claimed, in order."""
        return self._runs("claimed")

    def waiting(self) -> list[str]:
        """Runs that are waiting, in order."""
        return self._runs("queued")

    def has_rows(self) -> bool:
        """Whether any run is waiting or claimed."""
        return bool(self.database.rows("SELECT 1 FROM jobs LIMIT 1"))

    def waits(self) -> bool:
        """Whether any run is waiting."""
        return bool(self.database.rows("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1"))

    def waiting_after(self, run: str, most: int) -> list[str]:
        """The next waiting runs by name, to look at a few at a time."""
        query = "SELECT run FROM jobs WHERE run > ? AND state = 'queued' ORDER BY run LIMIT ?"
        return [row["run"] for row in self.database.rows(query, (run, most))]

    def holds(self, run: str) -> bool:
        """Whether a run has a row."""
        return bool(self.database.rows("SELECT 1 FROM jobs WHERE run = ?", (run,)))

    def ahead(self, run: str) -> list[str]:
        """The runs that are worked on, or will be, before a run that is waiting for the same place, in order. Empty if it
        is not waiting.
        """
        rows = self.database.rows(
            "SELECT run, device, (SELECT device FROM jobs WHERE run = :run) AS own FROM jobs WHERE run != :run AND "
            "(state = 'claimed' OR place < (SELECT place FROM jobs WHERE run = :run)) AND EXISTS (SELECT 1 FROM jobs "
            "WHERE run = :run AND state = 'queued') ORDER BY state, place",
            {"run": run},
        )
        return [row["run"] for row in rows if cluster_of(row["device"]) == cluster_of(row["own"])]

    def _runs(self, state: str) -> list[str]:
        return [
            row["run"] for row in self.database.rows("SELECT run FROM jobs WHERE state = ? ORDER BY place", (state,))
        ]

    def reindex(self) -> int:
        """Rebuild the index from the run folders; the number of runs that are waiting or running."""
        with self.database.write() as connection:
            connection.execute("DELETE FROM jobs")
            names = self.folder.run_names()
            self._open = {name for name in names if self._is_open(name)}
            self._over = names - self._open
            return self._add_missing(connection, sorted(self._open))

    def complete(self) -> int:
        """Add the rows that are missing; their number.

        A process may be killed between creating a run's folder and its row, and a damaged index is moved aside.

        Only the folders that are new, and those of runs that had not ended when they were last looked at, are read.
        """
        known = {row["run"] for row in self.database.rows("SELECT run FROM jobs")}
        file = self.database.path.stat()
        if (file.st_dev, file.st_ino) != self._listed[1:]:
            self._over.clear()
        before = time.time_ns()
        date = self.folder.path.stat().st_mtime_ns
        if (date, file.st_dev, file.st_ino) != self._listed:
            new = self.folder.run_names() - self._over - self._open
            self._listed = (date if before - date > _SURE_NS else 0, file.st_dev, file.st_ino)
        else:
            new = set[str]()
        for name in new | (self._open - known):
            (self._open if self._is_open(name) else self._over).add(name)
        self._open -= self._over
        missing = [name for name in self._open if name not in known and self._is_open(name)]
        if not missing:
            return 0
        with self.database.write() as connection:
            return self._add_missing(connection, missing)

    def _is_open(self, name: str) -> bool:
        """Whether a run is waiting or running according to its folder."""
        status = Run(self.folder.path / name).recorded_status
        return status.state == events.QUEUED or status.state in events.LIVE

    def _add_missing(self, connection: sqlite3.Connection, names: Iterable[str]) -> int:
        """In a transaction, so that a run which is submitted in the meantime adds its row afterwards."""
        added = 0
        for run in (Run(self.folder.path / name) for name in names):
            state = "queued" if run.recorded_status.state == events.QUEUED else "claimed"
            status = run.recorded_status
            row = (run.id, status.queue_place or status.time, _wish(run.folder, status.on), state, status.time)
            added += connection.execute("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?)", row).rowcount
        return added


def wish(device: str, processes: int, on: str = "") -> str:
    """The devices that a run asks for, on this machine or on a cluster. On the CPU its processes share one slot.

    >>> wish("cuda:1", 3), wish("cpu", 2), wish("auto", 1, "hpc")
    ('cuda:1 auto auto', 'cpu', 'hpc/auto')
    """
    devices = device if device == "cpu" else " ".join([device, *["auto"] * (processes - 1)])
    return f"{on}/{devices}" if on else devices


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def cluster_of(asks: str) -> str:
    """The cluster of a wish; empty for this machine."""
    return asks.rpartition("/")[0]


def _wish(folder: Path, on: str) -> str:
    """The wish in the configuration of a run folder, without checking the rest of it."""
    try:
        training = tomli.loads((folder / CONFIG).read_text(encoding="utf-8"))["training"]
        return wish(str(training["device"]), int(training.get("processes", 1)), on)
    except (OSError, ValueError, KeyError, TypeError):
        return wish("auto", 1, on)
