"""A background process of which a runs folder has one: started by whoever needs it, ended by itself."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import workbench
from workbench.core.device import process_environment
from workbench.store import alive
from workbench.store.names import RunsFolder
from workbench.store.writing import read_json, write_json


class Busy(Exception):
    """Another process of the same name serves this folder."""


def spawn(module: str, *arguments: str, log: Path, threads: int | None = None) -> subprocess.Popen[bytes]:
    """`python -m module arguments` in a session of its own, so that it outlives us; what it prints goes to `log`."""
    environment = dict(process_environment(threads))
    root = str(Path(workbench.__file__).parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH", "")]))
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    log.parent.mkdir(parents=True, exist_ok=True)
    output: IO[bytes]
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            close_fds=True,
            env=environment,
            **detached,
        )


class Service:
    """One named process of a runs folder: `NAME.json` says which process, `NAME.lock` is held by it while it lives."""

    def __init__(self, folder: RunsFolder, name: str) -> None:
        from filelock import FileLock

        self.folder, self.name = folder, name
        folder.jobs.mkdir(parents=True, exist_ok=True)
        self.card = folder.jobs / f"{name}.json"
        self.heartbeat = folder.jobs / f"{name}.heartbeat"
        self.log = folder.jobs / f"{name}.log"
        self._starting = FileLock(folder.jobs / f"{name}.starting.lock", timeout=20)
        self._held = FileLock(folder.jobs / f"{name}.lock")

    def alive(self) -> bool:
        """Whether the process lives (its heart may stand still for a minute: compiling does that)."""
        return alive.lives(read_json(self.card), self.heartbeat)

    def pid(self) -> int | None:
        """The process, if it lives."""
        return int(read_json(self.card)["pid"]) if self.alive() else None

    def ensure(self) -> None:
        """Start the process unless one lives. Whoever has work for it writes the work first, then calls this.

        WORKBENCH_PROCESSES=off starts none: for looking at a folder without touching it, and for tests of pages.
        """
        reap()
        if self.alive() or os.environ.get("WORKBENCH_PROCESSES") == "off":
            return
        with self._starting:
            if self.alive():
                return
            self._bury()
            if self.log.exists() and self.log.stat().st_size > 5_000_000:
                self.log.replace(self.log.with_suffix(".old.log"))
            process = spawn(f"workbench.jobs.{self.name}", str(self.folder.path), log=self.log)
            self.beat()
            write_json(self.card, alive.identity(process.pid))
            process.returncode = 0  # we let it go: no warning that it still runs
            _CHILDREN.append(process.pid)

    def _bury(self) -> None:
        """End a process that is still there but whose heart stands still; it would hold the lock for ever."""
        who = read_json(self.card)
        if alive.lives(who):
            kill(int(who["pid"]))

    def beat(self) -> None:
        """Say that this process lives."""
        self.heartbeat.touch()

    @contextmanager
    def serve(self, wait_seconds: float = 10.0) -> Iterator[None]:
        """Be that process.

        Raises:
            Busy: another one is.
        """
        from filelock import Timeout

        who = read_json(self.card)
        if alive.lives(who, self.heartbeat) and who["pid"] != os.getpid():
            raise Busy(self.name)
        try:
            self._held.acquire(timeout=wait_seconds)
        except Timeout:
            raise Busy(self.name) from None
        try:
            self.beat()
            write_json(self.card, alive.identity())
            yield
        finally:
            if (read_json(self.card) or {}).get("pid") == os.getpid():
                self.card.unlink(missing_ok=True)
            self._held.release()

    def keep_card(self) -> None:
        """Put the card back if somebody else's stands there."""
        if (read_json(self.card) or {}).get("pid") != os.getpid():
            write_json(self.card, alive.identity())

    def may_end(self, idle: Callable[[], bool]) -> bool:
        """Take the card away, and with it the work, unless work came in meanwhile.

        Work is written before the card is looked at, so none falls between two processes.
        """
        with self._starting:
            self.card.unlink(missing_ok=True)
            if idle():
                return True
            write_json(self.card, alive.identity())
            return False


_CHILDREN: list[int] = []
"""Services that this process started: should one end before us, it must not stay a zombie."""


def reap() -> None:
    """Collect ended services of this process."""
    if sys.platform == "win32":
        return
    for pid in list(_CHILDREN):
        try:
            ended = os.waitpid(pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            ended = True
        if ended and pid in _CHILDREN:
            _CHILDREN.remove(pid)


def kill(pid: int) -> None:
    """End a process and its children at once."""
    import psutil

    try:
        process = psutil.Process(pid)
        for child in [*process.children(recursive=True), process]:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs([process], timeout=3)
    except psutil.Error:
        return
