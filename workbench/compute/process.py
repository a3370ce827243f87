"""The warm process that answers requests: one per runs folder, for all pages, scripts and commands.

It has three lanes: one for quick answers, one for slow ones (UMAP, whole corpora, the STS suite), one for what waits for a
network. See `lanes`.
"""

import contextlib
import json
import os
import sqlite3
import sys
import threading
import time
from importlib import import_module

from workbench.compute.lanes import PATIENCE_SECONDS, QUICK_BEGUN, Lane, Row, TurnLane
from workbench.compute.model_cache import ModelCache
from workbench.compute.tickets import POLL_SECONDS, compute, requests
from workbench.core import device, unicode
from workbench.core.collecting import rarely_collected
from workbench.core.errors import BadMethod, WorkbenchError
from workbench.core.method import unforeseen
from workbench.core.progress import Progress
from workbench.core.writing import is_disk_full, write_json
from workbench.processes import logs, service
from workbench.scheduler.queue import Queue
from workbench.store import events, names, results
from workbench.store.names import RunsFolder
from workbench.store.run import Run

ASKING_SECONDS = 3.0
"""How long a process that was started ahead waits for the first page's questions, before it prepares answers unasked."""
DRAWING_SECONDS = 3.0
"""How long it waits after an answer: the page that draws it needs the cores."""
IDLE_SECONDS = 900.0
TRIES = 2
"""A request during which the process died this many times is not tried again."""
KEEP_BYTES = 2_000_000_000
PRUNE_EVERY = 50
"""Answers between two checks of the size of the cache."""
KEEP_SECONDS = 86_400.0
MODELS = 3
PROGRESS_SECONDS = 0.2
"""The least time between two progress reports of a request that are written."""


class Cancelled(Exception):
    """The request was cancelled by everyone who made it."""


class Compute:
    """Reads requests from the table, computes them in its lanes, and stores the answers."""

    def __init__(self, folder: RunsFolder, models: ModelCache, cores: int = 1) -> None:
        self.folder, self.models, self.cores = folder, models, cores
        self.table, self.queue = requests(folder), Queue(folder)
        self.quick = TurnLane(begun=QUICK_BEGUN, patience=PATIENCE_SECONDS)
        self.slow = TurnLane(quick=self.quick)
        self.lanes = {"fast": self.quick, "slow": self.slow, "lasting": Lane()}
        self.working: set[str] = set()
        """Keys that are in a lane or being computed: many sessions may wait for one answer, which is computed once."""
        self.cancelled: set[str] = set()
        """Those of them that no session waits for any more."""
        self.notes: dict[str, tuple[float, str]] = {}
        """Share and note of requests that are not written yet, since others were a moment ago."""
        self.note_times: dict[str, float] = {}
        """When the progress of a request was last written."""
        self.note_lock = threading.Lock()
        self.latest = time.monotonic()
        self.paged = False
        """Whether a page has made a request: only then others may follow that are worth preparing for."""
        self.warm = False
        self.answered = 0

    def recover(self) -> None:
        """Requests that a predecessor was computing are queued again, unless they killed it twice; old ones are deleted."""
        with self.table.write() as connection:
            log = self.folder.jobs / "compute.log"
            message = f"The compute process died twice over this request. See {log}."
            error = {"kind": "ComputeFailed", "message": message}
            connection.execute(
                "UPDATE requests SET state = 'failed', error = ?, ended = ? WHERE state IN ('queued', 'running') "
                "AND key IN (SELECT key FROM requests WHERE state = 'running' AND tries >= ?)",
                (json.dumps(error), time.time(), TRIES),
            )
            connection.execute("UPDATE requests SET state = 'queued', progress = 0 WHERE state = 'running'")
            connection.execute("DELETE FROM requests WHERE ended < ?", (time.time() - KEEP_SECONDS,))
            connection.execute(
                "DELETE FROM aside WHERE id NOT IN (SELECT id FROM requests WHERE state IN ('queued', 'running'))"
            )

    def serve(self, process: service.Service, idle_seconds: float) -> None:
        """Hand requests to the lanes until there has been none for a while."""
        for name, lane in self.lanes.items():
            for _ in range(lane.threads):
                threading.Thread(target=self.work, args=(name,), daemon=True, name=name).start()
        process.served()  # not before: with too little memory for threads each of its successors would end here too
        ahead = self.idle()  # the app starts this process before anybody asks
        if not ahead:
            self.lanes["slow"].put(Row(verb="imports", key="imports", arguments="", target=""))
        beat = 0.0
        with self.table.read() as connection:
            while self.folder.path.is_dir():
                if time.monotonic() - beat > 2:
                    beat = time.monotonic()
                    process.beat()
                    process.keep_card()
                with contextlib.suppress(sqlite3.OperationalError):  # the table is being written: read it next time
                    self.dispatch(connection)
                for key in list(self.notes):
                    self.say(key)  # it may be the last for long
                quiet = time.monotonic() - self.latest
                pause = DRAWING_SECONDS if self.paged else ASKING_SECONDS
                if (ahead or self.paged) and quiet > pause and not self.working and not self.warm:
                    self.warm = True
                    self.lanes["slow"].put(Row(verb="warm", key="warm", arguments="", target=""))
                if not self.working and quiet > idle_seconds and process.may_end(self.idle):
                    return
                time.sleep(POLL_SECONDS if quiet < 30 else 3 * POLL_SECONDS)

    def idle(self) -> bool:
        """Whether no request is queued."""
        with self.table.read() as connection:
            return not connection.execute("SELECT 1 FROM requests WHERE state = 'queued' LIMIT 1").fetchone()

    def dispatch(self, connection: sqlite3.Connection) -> None:
        """Put new requests into their lanes, and note which of those at work were cancelled by everyone who made them, and which
        no page shows that made them.
        """
        rows = connection.execute(
            "SELECT requests.*, aside.id IS NOT NULL AS aside FROM requests LEFT JOIN aside USING (id) "
            "WHERE state IN ('queued', 'running') ORDER BY id"
        ).fetchall()
        keys = {row["key"] for row in rows}
        self.cancelled = self.working - keys
        aside = keys - {row["key"] for row in rows if not row["aside"]}
        for lane in (self.quick, self.slow):
            lane.note(aside=aside, withdrawn=self.cancelled)
        for row in rows:
            if row["key"] not in self.working:
                self.latest = time.monotonic()
                self.paged = self.paged or bool(row["session"])
                self.working.add(row["key"])
                target = json.loads(row["arguments"]).get("target")
                about = target if isinstance(target, str) else ""
                self.lanes[row["lane"]].put(
                    Row(verb=row["verb"], key=row["key"], arguments=row["arguments"], target=about)
                )

    def work(self, lane: str) -> None:
        """The loop of a lane: one request after the other."""
        while True:
            row = self.lanes[lane].take()
            if row["verb"] in ("imports", "warm"):
                try:
                    first_imports() if row["verb"] == "imports" else self.warm_up()
                except Exception as error:  # nobody asked for it, and the lane has requests to answer
                    logs.note_error(error)
                self.lanes[lane].done(row["key"])
                continue
            try:
                self.answer(row)
            except Cancelled:
                pass
            except BaseException as error:
                try:
                    self.failed(row, error)
                except (OSError, sqlite3.Error) as unsaid:  # the disk is too full even for that
                    logs.note(f"{type(unsaid).__name__}: {unsaid}")
                    time.sleep(2)
            self.lanes[lane].done(row["key"])
            self.latest = time.monotonic()
            for kept in (self.notes, self.note_times):
                kept.pop(row["key"], None)
            self.working.discard(row["key"])

    def warm_up(self) -> None:
        """Do what the first figures need, until somebody asks for something: imports, weights, the vectors of the pairs that
        pages score at first, and a small picture. One core is left to the browser.
        """
        import torch

        def until_asked(share: float, note: str) -> None:
            if self.working:
                raise Cancelled

        first_imports()
        verbs = import_module("workbench.verbs").VERBS
        texts = [f"Sentence {number} of a picture that nobody sees." for number in range(6)]
        began = time.perf_counter()
        torch.set_num_threads(max(1, self.threads() - 1))
        try:
            verbs["score"].run(verbs["score"].ask(self.folder, {}), self.models, until_asked)
            picture = verbs["project"].ask(self.folder, {"texts": texts, "method": "umap", "views": 2})
            import_module("workbench.verbs.project").computed(picture, self.models, until_asked)  # and not stored
            print(f"Warm after {time.perf_counter() - began:.1f} s.", flush=True)
        except Cancelled:
            pass
        except Exception as error:
            logs.note_error(error)

    def answer(self, row: Row) -> None:
        """Compute and store an answer, unless it is stored already; all requests with its key are done then.

        Raises:
            Cancelled: no request with its key is open any more.
        """
        key = row["key"]
        folder = self.folder.cache / key
        with self.table.write() as connection:
            started = connection.execute(
                "UPDATE requests SET state = 'running', tries = tries + 1 "
                "WHERE key = ? AND state IN ('queued', 'running')",
                (key,),
            ).rowcount
        if not started:
            raise Cancelled
        if not results.has(folder):
            import torch

            torch.set_num_threads(self.threads())
            began = time.perf_counter()
            computed = self.computed(row)
            seconds = time.perf_counter() - began
            self.answered += 1
            if self.answered % PRUNE_EVERY == 0:  # before the answer is there, which somebody waits for
                prune(self.folder)
            results.save(folder, computed, verb=row["verb"], seconds=seconds)
        self.settle(key, "done", progress=1.0)

    def computed(self, row: Row) -> object:
        """The answer of the verb that a request names. Verbs belong to a higher layer, so they are imported by name."""
        verb = import_module("workbench.verbs").VERBS[row["verb"]]
        request = verb.read(json.loads(row["arguments"]), self.folder)
        return verb.run(request, self.models, self.progress_of(row["key"]))

    def threads(self) -> int:
        """Threads to compute a request with: one per core, or half as many beside a training on the CPU.

        Two processes that each use all cores wait for each other in every operation. On two cores a request took 1.7
        times as long with two threads as with one, and the training a third longer.
        """
        with contextlib.suppress(sqlite3.OperationalError):
            runs = (Run(self.folder.path / name).status for name in self.queue.claimed())
            if any(status.state in events.LIVE and not status.device.startswith("cuda") for status in runs):
                return max(1, self.cores // 2)
        return self.cores

    def progress_of(self, key: str) -> Progress:
        """The callback by which an answer reports progress, and makes way for others; it raises `Cancelled` once the request is
        cancelled.
        """

        def on_progress(share: float, note: str) -> None:
            if key in self.cancelled:
                raise Cancelled
            if not self.models.lock.held:
                self.quick.make_way(key)
                self.slow.make_way(key)
                if key in self.cancelled:
                    raise Cancelled
            self.notes[key] = share, note
            self.say(key)

        return on_progress

    def say(self, key: str) -> None:
        """Write the progress of a request that is not written yet, unless some was a moment ago."""
        with self.note_lock:
            if key not in self.notes or time.monotonic() - self.note_times.get(key, 0.0) < PROGRESS_SECONDS:
                return
            share, note = self.notes.pop(key)
            self.note_times[key] = time.monotonic()
            with contextlib.suppress(sqlite3.OperationalError, OSError), self.table.write() as connection:
                connection.execute(
                    "UPDATE requests SET state = 'running', progress = ?, note = ? "
                    "WHERE key = ? AND state IN ('queued', 'running')",
                    (float(share), unicode.whole(note), key),
                )

    def failed(self, row: Row, error: BaseException) -> None:
        """Store the message of an error; its traceback goes to the log."""
        if isinstance(error, WorkbenchError):
            if isinstance(error, BadMethod) and error.__cause__ is not None:
                logs.note_error(error)  # of a method, whose author wants to see where
            reply = {"kind": type(error).__name__, "message": str(error)}
        else:
            logs.note_error(error)
            message = f"{unforeseen(error)} The traceback is in {self.folder.jobs / 'compute.log'}."
            if is_disk_full(error):
                message = "The disk of the runs folder is full. Free some space, then ask again."
            reply = {"kind": "ComputeFailed", "message": message}
        self.settle(row["key"], "failed", error=json.dumps(reply))

    def settle(self, key: str, state: str, *, progress: float = 0.0, error: str = "") -> None:
        """End all open requests for one answer."""
        with self.table.write() as connection:
            connection.execute(
                "UPDATE requests SET state = ?, progress = ?, error = ?, ended = ? "
                "WHERE key = ? AND state IN ('queued', 'running')",
                (state, progress, error, time.time(), key),
            )


def prune(folder: RunsFolder) -> None:
    """Delete the least recently used answers above the size limit, and the texts of old requests."""
    results.prune(folder.cache, device.number("WORKBENCH_CACHE_BYTES", KEEP_BYTES))
    for path in (folder.cache / "texts").glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink()


def first_imports() -> None:
    """Import what the first figures need, so that they do not wait for it."""
    import pyarrow.feather
    import sklearn.preprocessing

    import workbench.analysis
    import workbench.evaluation
    import workbench.metrics  # noqa: F401

    _ = pyarrow.feather.write_feather, sklearn.preprocessing.StandardScaler


def main(folder: RunsFolder, idle_seconds: float = IDLE_SECONDS) -> None:
    """Answer requests until idle. A second process of the same folder ends at once.

    Raises:
        Busy: another process serves this folder.
    """
    itself = compute(folder)
    with itself.serve():
        with rarely_collected(freeze=True):
            import torch
            import transformers  # noqa: F401 - imported before the first request, which should not wait for it

            with contextlib.suppress(ImportError):
                # Two lanes that import its halves at the same time, by way of other packages, would wait for each other.
                import narwhals.stable  # noqa: F401

        cores = int(os.environ.get("OMP_NUM_THREADS", device.threads()))
        torch.set_num_threads(cores)
        write_json(folder.cache / "devices.json", {"devices": device.available()})
        prune(folder)
        process = Compute(folder, ModelCache(folder, models=device.number("WORKBENCH_MODELS", MODELS)), cores)
        process.recover()
        process.serve(itself, idle_seconds)


if __name__ == "__main__":
    seconds = device.number("WORKBENCH_IDLE_SECONDS", IDLE_SECONDS)
    with contextlib.suppress(service.Busy):
        main(names.runs_folder(sys.argv[1]), seconds)
    service.leave()
