"""The queue of runs: an index over the run folders, which are the truth.

A wish is what a run asks for: a device a process, joined by spaces (`cuda:1`, `auto auto`); a place is what it gets.
"""

import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from workbench.jobs.database import Database
from workbench.store import events
from workbench.store.names import CONFIG, RunsFolder

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
    """Rows exist for runs that wait or are worked on. A lost row costs nothing: `reindex` brings it back."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.database = Database(folder.jobs / "queue.sqlite", _SCHEMA)

    def add(self, run: str, asks: str = "auto", *, claimed: bool = False) -> None:
        """Put a run and its wish at the end of the queue, or, when `claimed`, note that it is worked on."""
        state = "claimed" if claimed else "queued"
        with self.database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?)", (run, time.time(), asks, state, time.time())
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
        rows = []
        with self.database.write() as connection:  # looking inside: a run submitted meanwhile adds its row afterwards
            for folder in self.folder.run_folders():
                status = events.status(folder)
                if status.state == events.QUEUED or status.state in events.LIVE:
                    state = "queued" if status.state == events.QUEUED else "claimed"
                    rows.append((folder.name, status.time, _wish(folder), state, status.time))
            connection.execute("DELETE FROM jobs")
            connection.executemany("INSERT INTO jobs VALUES (?, ?, ?, ?, ?)", rows)
        return len(rows)


def wish(device: str, processes: int) -> str:
    """What a run asks for. On the CPU its processes share what one would take.

    >>> wish("cuda:1", 3), wish("cpu", 2)
    ('cuda:1 auto auto', 'cpu')
    """
    return device if device == "cpu" else " ".join([device, *["auto"] * (processes - 1)])


def _wish(folder: Path) -> str:
    """What a run folder's configuration asks for, without checking the rest of it."""
    try:
        training = tomllib.loads((folder / CONFIG).read_text(encoding="utf-8"))["training"]
        return wish(str(training["device"]), int(training.get("processes", 1)))
    except (OSError, ValueError, KeyError, TypeError):
        return "auto"
