"""The queue of runs: an index over the run folders, which are authoritative.

A wish is the devices that a run asks for, one per process, joined by spaces (`cuda:1`, `auto auto`), after the cluster that it
is for, if any (`hpc/auto`); a slot is the devices that it gets, written in the same way but without a cluster.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
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
"""


class Queue:
    """One row per run that is waiting or running. A lost row is restored by `complete`."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.database = Database(folder.jobs / "queue.sqlite", _SCHEMA)

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

        To finish a claimed run pass `claimed`: it may have been queued again in the meantime.
        """
        with self.database.write() as connection:
            return connection.execute("DELETE FROM jobs WHERE run = ? AND state LIKE ?", (run, state)).rowcount > 0

    def back(self, run: str) -> None:
        """Put a claimed run back at its old position."""
        with self.database.write() as connection:
            connection.execute("UPDATE jobs SET state = 'queued', claimed = NULL WHERE run = ?", (run,))

    def claim(self, slot: Callable[[str, str], str]) -> tuple[str, str] | None:
        """Claim the first queued run that gets a slot; the run and its slot.

        `slot` takes a run and its wish, and returns a slot, or an empty text if none is free. No run overtakes one that
        waits for several devices at the same place: they would hardly ever be free at the same time.
        """
        held = set()
        with self.database.write() as connection:
            for row in connection.execute("SELECT run, device FROM jobs WHERE state = 'queued' ORDER BY place"):
                place = cluster_of(row["device"])
                if place in held:
                    continue
                if devices := slot(row["run"], row["device"]):
                    connection.execute(
                        "UPDATE jobs SET state = 'claimed', claimed = ? WHERE run = ?", (time.time(), row["run"])
                    )
                    return row["run"], devices
                if " " in row["device"]:
                    held.add(place)
        return None

    def claimed(self) -> list[str]:
        """Runs that are claimed, in order."""
        return self._runs("claimed")

    def waiting(self) -> list[str]:
        """Runs that are waiting, in order."""
        return self._runs("queued")

    def ahead(self, run: str) -> list[str]:
        """The runs that are worked on, or will be, before a run that is waiting for the same place, in order. Empty if it
        is not waiting.
        """
        with self.database.read() as connection:
            rows = connection.execute(
                "SELECT run, device, (SELECT device FROM jobs WHERE run = :run) AS own FROM jobs WHERE run != :run AND "
                "(state = 'claimed' OR place < (SELECT place FROM jobs WHERE run = :run)) AND EXISTS (SELECT 1 FROM jobs "
                "WHERE run = :run AND state = 'queued') ORDER BY state, place",
                {"run": run},
            )
            return [row["run"] for row in rows if cluster_of(row["device"]) == cluster_of(row["own"])]

    def _runs(self, state: str) -> list[str]:
        with self.database.read() as connection:
            rows = connection.execute("SELECT run FROM jobs WHERE state = ? ORDER BY place", (state,))
            return [row["run"] for row in rows]

    def reindex(self) -> int:
        """Rebuild the index from the run folders; the number of runs that are waiting or running."""
        with self.database.write() as connection:
            connection.execute("DELETE FROM jobs")
            return self._add_missing(connection)

    def complete(self) -> int:
        """Add the rows that are missing; their number.

        A process may be killed between creating a run's folder and its row, and a damaged index is moved aside.
        """
        with self.database.read() as connection:
            known = {row["run"] for row in connection.execute("SELECT run FROM jobs")}
        if all(run.id in known for run in self._open_runs()):
            return 0
        with self.database.write() as connection:
            return self._add_missing(connection)

    def _open_runs(self) -> Iterator[Run]:
        """Runs that are waiting or running according to their folders."""
        for run in map(Run, self.folder.run_folders()):
            if run.recorded_status.state == events.QUEUED or run.recorded_status.state in events.LIVE:
                yield run

    def _add_missing(self, connection: sqlite3.Connection) -> int:
        """In a transaction, so that a run which is submitted in the meantime adds its row afterwards."""
        added = 0
        for run in self._open_runs():
            state = "queued" if run.recorded_status.state == events.QUEUED else "claimed"
            status = run.recorded_status
            row = (run.id, status.time, _wish(run.folder, status.on), state, status.time)
            added += connection.execute("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?)", row).rowcount
        return added


def wish(device: str, processes: int, on: str = "") -> str:
    """The devices that a run asks for, on this machine or on a cluster. On the CPU its processes share one slot.

    >>> wish("cuda:1", 3), wish("cpu", 2), wish("auto", 1, "hpc")
    ('cuda:1 auto auto', 'cpu', 'hpc/auto')
    """
    devices = device if device == "cpu" else " ".join([device, *["auto"] * (processes - 1)])
    return f"{on}/{devices}" if on else devices


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
