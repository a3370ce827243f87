"""A background process, at most one per runs folder, that is started on demand and ends when idle."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

import workbench
from workbench.core import private
from workbench.core.device import process_environment
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import Refused, WorkbenchError, memory_limit
from workbench.core.reading import read_object
from workbench.core.writing import write_json
from workbench.processes import liveness, sources

STILL_SECONDS = 6.0
"""How long a process with a stale heartbeat is observed, by the monotonic clock, before it is killed."""
STARTS = 3
"""After this many consecutive processes that ended before they served, no other is started."""


class Busy(Exception):
    """Another process with this name already serves the folder."""


class CannotStart(WorkbenchError):
    """The process ended before it served, several times in a row."""


def spawn(
    module: str, *arguments: str, log: Path, threads: int | None = None, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start `python -m module arguments` in a new session, so that it outlives this process.

    Its output is appended to `log`, and its input is `stdin`. Only the owner can read the files it writes.
    """
    environment = dict(process_environment(threads))
    root = str(Path(workbench.__file__).parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH", "")]))
    flags, umask = 0, private.UMASK
    if sys.platform == "win32":
        flags, umask = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW, -1
    private.make_folder(log.parent)
    output: IO[bytes]
    with open(log, "ab", opener=private.opener) as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=stdin,
            stdout=output,
            stderr=output,
            close_fds=True,
            env=environment,
            start_new_session=sys.platform != "win32",
            umask=umask,
            creationflags=flags,
        )


def leave(code: int = 0) -> NoReturn:
    """End this process immediately: a regular interpreter exit with torch loaded takes a second or two for no benefit."""
    for output in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the disk of the log is full
            output.flush()
    os._exit(code)


class Service:
    """A named process of a runs folder.

    `NAME.json` in `directory` contains its identity and the stamp of its code, and the process holds `NAME.lock` as long as
    it runs. It is started as `python -m MODULE FOLDER`, where FOLDER is the parent of `directory`.
    """

    def __init__(self, directory: Path, name: str, *, module: str) -> None:
        from filelock import FileLock

        self.directory, self.name, self.module = directory, name, module
        self.card = directory / f"{name}.json"
        self.heartbeat = directory / f"{name}.heartbeat"
        self.log = directory / f"{name}.log"
        self.starts = directory / f"{name}.starts"
        """Contains the number of processes started since the last one that served, and the length of the log before them."""
        self._stamp = ""
        """Of the code that this process serves with; empty while it does not serve."""
        self._starting = FileLock(directory / f"{name}.starting.lock", timeout=20, mode=private.FILE_MODE)
        self._held = FileLock(directory / f"{name}.lock", mode=private.FILE_MODE)

    @property
    def folder(self) -> Path:
        """The runs folder."""
        return self.directory.parent

    def alive(self) -> bool:
        """Whether the process is alive. Its heartbeat may pause for a minute, for example during compilation.

        After the clock was set forward, it looks dead until its next heartbeat; `ensure` therefore checks twice.
        """
        return liveness.lives(read_object(self.card), self.heartbeat)

    def pid(self) -> int | None:
        """The process id, or None if it is not alive."""
        return liveness.pid_of(read_object(self.card)) if self.alive() else None

    def outdated(self) -> bool:
        """Whether the process was started from the folder of this code before that was changed, for example by an upgrade, or
        before a plug-in was.

        One that was started from another folder, or that imports packages from elsewhere, is left alone: two installations
        that use one runs folder at the same time would otherwise end each other's without end. `check_code` refuses it work
        if its code differs.
        """
        who = read_object(self.card)
        if who.get("machine") != liveness.machine() or self._is_another(who):
            return False
        return who.get("code") != sources.stamp()

    def _is_another(self, who: Mapping[str, object]) -> bool:
        """Whether another installation, or this one with other places of plug-ins, has started the process."""
        here = {"root": str(sources.root()), "environment": sources.environment()}
        return any(who.get(name) not in (None, value) for name, value in here.items())

    def check_code(self) -> None:
        """Check that the process, if it is alive, runs the code of this one, and end it if it is `outdated`. Callers write work
        for it to disk after this, and call `ensure` then.

        Raises:
            Refused: another installation has started it, or this one with other plug-ins, and its code is not this.
        """
        if self.alive() and self.outdated():
            self._retire()
        who = read_object(self.card)
        there = str(who.get("root") or sources.root())
        if not self._is_another(who) or not self.alive() or sources.same(Path(there), str(who.get("code"))):
            return
        elsewhere = "" if there != str(sources.root()) else f", with packages from {who.get('environment')}"
        raise Refused(
            f"The {self.name} process of this runs folder, {self.pid()}, runs other code than this: that of {there}{elsewhere}.",
            rule="It works for every installation that uses the folder, so its results would not be those of this code.",
            way_out="Close the app there and end that process, or use another runs folder: --runs or WORKBENCH_RUNS.",
        )

    def _retire(self) -> None:
        """End the process if it is `outdated`: it would take work that is meant for the code of now."""
        with disk_errors_explained(), self._starting:
            if self.alive() and self.outdated():
                self._bury()

    def check_may_work(self) -> None:
        """Check that the process is running or may be started, so that waiting for it makes sense.

        Raises:
            Refused: it is not alive, and WORKBENCH_PROCESSES=off prevents its start.
        """
        if processes_off() and not self.alive():
            raise Refused(
                "Nothing is being computed: WORKBENCH_PROCESSES is off.",
                rule=f"With that setting the {self.name} process is not started, so that a runs folder can be viewed unchanged.",
                way_out="Unset WORKBENCH_PROCESSES and repeat the command.",
            )

    def ensure(self, *, adopt: bool = False) -> None:
        """Start the process unless one is alive; one that is `outdated` is replaced. Callers write the work for it to disk
        before they call this.

        `adopt` is for a process that may be what the one that started the service has become, and then is its parent.

        With WORKBENCH_PROCESSES=off nothing is started, for viewing a folder unchanged and for tests of pages. Callers
        that wait for the process also call `check_may_work`.

        Raises:
            BadSetting: see `process_environment`.
            CannotStart: the last `STARTS` processes ended before they served. The next call tries again.
            Refused: the disk is full.
            BadRun: the folder is not writable.
        """
        reap()
        if (self.alive() and not self.outdated()) or processes_off():
            if adopt and (pid := self.pid()) and pid not in _CHILDREN:
                _CHILDREN.append(pid)
            return
        with disk_errors_explained():
            private.make_folder(self.directory)
            with self._starting:
                if (not self.alive() or self.outdated()) and self._bury():
                    self._start()

    def _start(self) -> None:
        process_environment()  # raises for bad settings, which must not count as a failed start
        late = liveness.heartbeat_age(self.starts) > liveness.STALE_SECONDS  # the cause may have been fixed since
        before = {} if late else read_object(self.starts)
        starts, logged = (value if isinstance(value := before.get(name), int) else 0 for name in ("starts", "logged"))
        if starts >= STARTS:
            self.starts.unlink()
            reason = self._last_words(logged)
            raise CannotStart(
                f"The {self.name} process of {self.folder} does not start.",
                reason=reason,
                way_out=f"{memory_limit(reason) or 'Fix the cause and try again.'} The log is {self.log}.",
            )
        length = self.log.stat().st_size if self.log.exists() else 0
        if length > 5_000_000:
            self.log.replace(self.log.with_suffix(".old.log"))
            length = logged = 0
        write_json(self.starts, {"starts": starts + 1, "logged": logged if starts else length})
        process = spawn(self.module, str(self.folder), log=self.log)
        process.returncode = 0  # it is detached: prevents the warning that it is still running
        _CHILDREN.append(process.pid)
        self.beat()
        self._sign(sources.stamp(), process.pid)

    def _sign(self, code: str, pid: int | None = None) -> None:
        """Write the identity of a process, by default this one, and the stamp of its code."""
        about = {"root": str(sources.root()), "environment": sources.environment(), "code": code}
        write_json(self.card, {**liveness.identity(pid), **about})

    def _last_words(self, logged: int) -> str:
        """The last line of the log after its first `logged` bytes, which are of processes that served."""
        try:
            log = self.log.read_bytes()[logged:].decode("utf-8", errors="replace").strip()
        except OSError:
            return ""
        return log.rpartition("\n")[2].strip()[:300]

    def _bury(self) -> bool:
        """Whether the process is gone. One whose heartbeat has stopped is killed, since it would hold the lock forever, and
        so is one that is outdated: its work is on the disk, for its successor.

        Its children are not killed: the workers of a supervisor continue, and the next supervisor adopts them.
        """
        who = read_object(self.card)
        if liveness.lives(who):
            if not self.outdated() and not self._stands_still():
                return False
            kill(liveness.pid_of(who), alone=True)
        return True

    def _stands_still(self) -> bool:
        """Whether no heartbeat arrives for `STILL_SECONDS`. The age of the last one is not reliable after the clock was
        set.
        """

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
        """Touch the heartbeat of this process."""
        self.heartbeat.touch(private.FILE_MODE)

    def served(self) -> None:
        """Record that the process has started to serve."""
        self.starts.unlink(missing_ok=True)

    @contextmanager
    def serve(self, wait_seconds: float = 10.0) -> Iterator[None]:
        """Serve the folder for the duration of the context: hold the lock and publish the identity of this process.

        Raises:
            Busy: another process serves it already.
        """
        from filelock import Timeout

        self._stamp = sources.stamp()
        private.make_folder(self.directory)
        who = read_object(self.card)
        try:
            # On Windows, python.exe of a virtual environment starts another process, and the card names the former.
            if liveness.lives(who, self.heartbeat) and who["pid"] not in (os.getpid(), os.getppid()):
                raise Busy(self.name)
            self._held.acquire(timeout=wait_seconds)
        except (Busy, Timeout):
            self.served()  # the other process serves
            raise Busy(self.name) from None
        try:
            self.beat()
            self._sign(self._stamp)
            yield
        finally:
            if read_object(self.card).get("pid") == os.getpid():
                self.card.unlink(missing_ok=True)
            self._held.release()

    def keep_card(self) -> None:
        """Write the identity of this process again if that of another process has replaced it."""
        if read_object(self.card).get("pid") != os.getpid():
            self._sign(self._stamp)

    def may_end(self, idle: Callable[[], bool]) -> bool:
        """Whether the process may end. If so, its identity is removed; if `idle` returns False, new work has arrived.

        Work is written before the identity is read, so none is lost between two processes.
        """
        with self._starting:
            self.card.unlink(missing_ok=True)
            if idle():
                return True
            self._sign(self._stamp)
            return False


def processes_off() -> bool:
    """Whether no process may be started, so that a folder can be looked at without changing it."""
    return os.environ.get("WORKBENCH_PROCESSES") == "off"


_CHILDREN: list[int] = []
"""Process ids of services that this process started. Those that end before it must not stay zombies."""


def reap() -> None:
    """Collect the exit status of services that this process started and that have ended."""
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
    """Kill a process and, unless `alone`, its children."""
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
