"""The queue of runs: an index over the run folders, which are the truth.

A wish is what a run asks for: a device a process, joined by spaces (`cuda:1`, `auto auto`); a place is what it gets.
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
    """Rows exist for runs that wait or are worked on. A lost row costs nothing: `complete` brings it back."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.database = Database(folder.jobs / "queue.sqlite", _SCHEMA)

    def add(self, run: str, asks: str = "auto", *, again: bool = False) -> None:
        """Put a run and its wish at the end of the queue, unless it has a row; `again` also where it has.

        The supervisor adds a new run itself where it is faster, and may have started it. A run that is resumed can
        have the row of the attempt before, whose process is not quite gone.
        """
        with self.database.write() as connection:
            connection.execute(
                f"INSERT OR {'REPLACE' if again else 'IGNORE'} INTO jobs VALUES (?, ?, ?, 'queued', NULL)",
                (run, time.time(), asks),
            )

    def remove(self, run: str, state: str = "%") -> bool:
        """Take a run out, if it is in that state (queued, claimed); whether it was in.

        Whoever is done with a claimed run says `claimed`: it may have been queued again meanwhile.
        """
        with self.database.write() as connection:
            return connection.execute("DELETE FROM jobs WHERE run = ? AND state LIKE ?", (run, state)).rowcount > 0

    def back(self, run: str) -> None:
        """A claimed run waits again, at its old place."""
        with self.database.write() as connection:
            connection.execute("UPDATE jobs SET state = 'queued', claimed = NULL WHERE run = ?", (run,))

    def claim(self, slot: Callable[[str, str], str]) -> tuple[str, str] | None:
        """The first queued run that gets a place, and that place.

        `slot` is told the run and its wish, and names a place, or nothing. Nobody overtakes a run that waits for several
        devices: they would hardly ever be free at once.
        """
        with self.database.write() as connection:
            for row in connection.execute("SELECT run, device FROM jobs WHERE state = 'queued' ORDER BY place"):
                if place := slot(row["run"], row["device"]):
                    connection.execute(
                        "UPDATE jobs SET state = 'claimed', claimed = ? WHERE run = ?", (time.time(), row["run"])
                    )
                    return row["run"], place
                if " " in row["device"]:
                    return None
        return None

    def claimed(self) -> list[str]:
        """Runs that are worked on."""
        return self._runs("claimed")

    def waiting(self) -> list[str]:
        """Runs that wait, first come first."""
        return self._runs("queued")

    def _runs(self, state: str) -> list[str]:
        with self.database.read() as connection:
            rows = connection.execute("SELECT run FROM jobs WHERE state = ? ORDER BY place", (state,))
            return [row["run"] for row in rows]

    def reindex(self) -> int:
        """Build the index anew from the run folders; how many runs wait or are worked on."""
        with self.database.write() as connection:
            connection.execute("DELETE FROM jobs")
            return self._add_missing(connection)

    def complete(self) -> int:
        """Add the rows that are missing; how many.

        Who submits may be killed between folder and row, and a damaged index is put aside.
        """
        with self.database.read() as connection:
            known = {row["run"] for row in connection.execute("SELECT run FROM jobs")}
        if all(run.id in known for run in self._open_runs()):
            return 0
        with self.database.write() as connection:
            return self._add_missing(connection)

    def _open_runs(self) -> Iterator[Run]:
        """Runs that wait or are worked on, as their folders tell it."""
        for run in map(Run, self.folder.run_folders()):
            if run.recorded_status.state == events.QUEUED or run.recorded_status.state in events.LIVE:
                yield run

    def _add_missing(self, connection: sqlite3.Connection) -> int:
        """In a transaction, so that a run that is submitted meanwhile adds its row afterwards."""
        added = 0
        for run in self._open_runs():
            state = "queued" if run.recorded_status.state == events.QUEUED else "claimed"
            row = (run.id, run.recorded_status.time, _wish(run.folder), state, run.recorded_status.time)
            added += connection.execute("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?)", row).rowcount
        return added


def wish(device: str, processes: int) -> str:
    """What a run asks for. On the CPU its processes share what one would take.

    >>> wish("cuda:1", 3), wish("cpu", 2)
    ('cuda:1 auto auto', 'cpu')
    """
    return device if device == "cpu" else " ".join([device, *["auto"] * (processes - 1)])


def _wish(folder: Path) -> str:
    """What a run folder's configuration asks for, without checking the rest of it."""
    try:
        training = tomli.loads((folder / CONFIG).read_text(encoding="utf-8"))["training"]
        return wish(str(training["device"]), int(training.get("processes", 1)))
    except (OSError, ValueError, KeyError, TypeError):
        return "auto"
