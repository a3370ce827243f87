"""A background process of which a runs folder has one: started by whoever needs it, ended by itself."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

import workbench
from workbench.core import private
from workbench.core.device import process_environment
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import Refused, WorkbenchError
from workbench.core.reading import read_json, read_object
from workbench.core.writing import write_json
from workbench.processes import liveness

STILL_SECONDS = 6.0
"""How long a heart that looks still is watched, by a clock that nobody sets, before its process is ended."""
STARTS = 3
"""So many processes in a row that ended before they served, and no other is started for this question."""


class Busy(Exception):
    """Another process of the same name serves this folder."""


class CannotStart(WorkbenchError):
    """A process that ends before it serves, each time."""


def spawn(module: str, *arguments: str, log: Path, threads: int | None = None) -> subprocess.Popen[bytes]:
    """`python -m module arguments` in a session of its own, so that it outlives us; what it prints goes to `log`, and
    what it writes can be read by nobody else."""
    environment = dict(process_environment(threads))
    root = str(Path(workbench.__file__).parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH", "")]))
    detached: dict[str, Any] = {"start_new_session": True, "umask": private.UMASK}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    private.make_folder(log.parent)
    output: IO[bytes]
    with open(log, "ab", opener=private.opener) as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            close_fds=True,
            env=environment,
            **detached,
        )


def leave(code: int = 0) -> NoReturn:
    """End this process at once: taking an interpreter with torch in it apart takes a second or two, and nobody needs it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Service:
    """One named process of a runs folder: `NAME.json` in `place` says which process, `NAME.lock` is held by it while it lives.

    It is started as `python -m MODULE FOLDER`, with the folder that `place` lies in.
    """

    def __init__(self, place: Path, name: str, *, module: str) -> None:
        from filelock import FileLock

        self.place, self.name, self.module = place, name, module
        self.card = place / f"{name}.json"
        self.heartbeat = place / f"{name}.heartbeat"
        self.log = place / f"{name}.log"
        self.starts = place / f"{name}.starts"
        """How many processes were started since one served."""
        self._starting = FileLock(place / f"{name}.starting.lock", timeout=20, mode=private.FILE_MODE)
        self._held = FileLock(place / f"{name}.lock", mode=private.FILE_MODE)

    @property
    def folder(self) -> Path:
        """The runs folder that it serves."""
        return self.place.parent

    def alive(self) -> bool:
        """Whether the process lives (its heart may stand still for a minute: compiling does that).

        Where the clock was set ahead it looks dead until its next beat; `ensure` looks twice.
        """
        return liveness.lives(read_object(self.card), self.heartbeat)

    def pid(self) -> int | None:
        """The process, if it lives."""
        return liveness.pid_of(read_object(self.card)) if self.alive() else None

    def check_may_work(self) -> None:
        """For whoever is about to wait for the process.

        Raises:
            Refused: it is not alive, and WORKBENCH_PROCESSES=off keeps it from being started.
        """
        if _off() and not self.alive():
            raise Refused(
                "Nothing is being computed: WORKBENCH_PROCESSES is off.",
                rule=f"The {self.name} process is not started then, for looking at a runs folder without touching it.",
                way_out="Unset WORKBENCH_PROCESSES and repeat the command.",
            )

    def ensure(self) -> None:
        """Start the process unless one lives. Whoever has work for it writes the work first, then calls this.

        WORKBENCH_PROCESSES=off starts none: for looking at a folder without touching it, and for tests of pages. Whoever
        waits calls `check_may_work` too.

        Raises:
            BadSetting: see `process_environment`.
            CannotStart: the last ones ended before they served. The next call begins anew.
            Refused: there is no room.
            BadRun: the folder may not be written.
        """
        reap()
        if self.alive() or _off():
            return
        with disk_errors_explained():
            private.make_folder(self.place)
            with self._starting:
                if not self.alive() and self._bury():
                    self._start()

    def _start(self) -> None:
        process_environment()  # refuses what it cannot be started with: that is no start that failed
        late = liveness.heartbeat_age(self.starts) > liveness.STALE_SECONDS  # then whoever asks may have mended it
        before = read_json(self.starts)
        starts = before if isinstance(before, int) and not late else 0
        if starts >= STARTS:
            self.starts.unlink()
            raise CannotStart(
                f"The {self.name} process of {self.folder} does not start.",
                reason=self._last_words(),
                way_out=f"Mend that and try again. The whole story is in {self.log}.",
            )
        if self.log.exists() and self.log.stat().st_size > 5_000_000:
            self.log.replace(self.log.with_suffix(".old.log"))
        write_json(self.starts, starts + 1)
        process = spawn(self.module, str(self.folder), log=self.log)
        process.returncode = 0  # we let it go: no warning that it still runs
        _CHILDREN.append(process.pid)
        self.beat()
        write_json(self.card, liveness.identity(process.pid))

    def _last_words(self) -> str:
        """The last line of the log."""
        try:
            said = self.log.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""
        return said.rpartition("\n")[2].strip()[:300]

    def _bury(self) -> bool:
        """Whether the process is gone. One whose heart stands still is ended: it would hold the lock for ever.

        It alone: the workers of a supervisor go on, and the next one adopts them.
        """
        who = read_object(self.card)
        if liveness.lives(who):
            if not self._stands_still():
                return False
            kill(liveness.pid_of(who), alone=True)
        return True

    def _stands_still(self) -> bool:
        """Whether the heart does not beat while we watch. How old its last beat is says nothing where a clock was set."""

        def last() -> int:
            try:
                return self.heartbeat.stat().st_mtime_ns
            except OSError:
                return 0

        before, began = last(), time.monotonic()
        while time.monotonic() - began < STILL_SECONDS:
            time.sleep(0.05)
            if last() != before:
                return False
        return True

    def beat(self) -> None:
        """Say that this process lives."""
        self.heartbeat.touch(private.FILE_MODE)

    def served(self) -> None:
        """Say that the process came as far as its work."""
        self.starts.unlink(missing_ok=True)

    @contextmanager
    def serve(self, wait_seconds: float = 10.0) -> Iterator[None]:
        """Be that process.

        Raises:
            Busy: another one is.
        """
        from filelock import Timeout

        private.make_folder(self.place)
        who = read_object(self.card)
        try:
            if liveness.lives(who, self.heartbeat) and who["pid"] != os.getpid():
                raise Busy(self.name)
            self._held.acquire(timeout=wait_seconds)
        except (Busy, Timeout):
            self.served()  # somebody does
            raise Busy(self.name) from None
        try:
            self.beat()
            write_json(self.card, liveness.identity())
            yield
        finally:
            if read_object(self.card).get("pid") == os.getpid():
                self.card.unlink(missing_ok=True)
            self._held.release()

    def keep_card(self) -> None:
        """Put the card back if somebody else's stands there."""
        if read_object(self.card).get("pid") != os.getpid():
            write_json(self.card, liveness.identity())

    def may_end(self, idle: Callable[[], bool]) -> bool:
        """Take the card away, and with it the work, unless work came in meanwhile.

        Work is written before the card is looked at, so none falls between two processes.
        """
        with self._starting:
            self.card.unlink(missing_ok=True)
            if idle():
                return True
            write_json(self.card, liveness.identity())
            return False


def _off() -> bool:
    return os.environ.get("WORKBENCH_PROCESSES") == "off"


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


def kill(pid: int, *, alone: bool = False) -> None:
    """End a process at once, and its children unless `alone`."""
    import psutil

    try:
        process = psutil.Process(pid)
        for child in [*([] if alone else process.children(recursive=True)), process]:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs([process], timeout=3)
    except psutil.Error:
        return
