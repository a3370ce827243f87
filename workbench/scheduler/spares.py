"""The idle worker of a supervisor, see `workbench.runs.spare`: started while nothing else is to be done, for the next run."""

import json
import subprocess
import sys
from pathlib import Path

from workbench.core import device
from workbench.processes import logs, service
from workbench.store.names import RunsFolder

MOST_LOST = 3
"""After so many idle workers that ended by themselves, or could not be started, no other is."""


class Spare:
    """At most one idle worker."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        self.lost = 0

    @property
    def wanted(self) -> bool:
        """Whether one may be kept: `WORKBENCH_SPARES=0` forbids it, and so does a system on which it cannot wait for a pipe."""
        return sys.platform != "win32" and device.number("WORKBENCH_SPARES", 1) > 0 and self.lost < MOST_LOST

    def keep(self) -> None:
        """Start one unless there is one."""
        if self.process is not None and self.process.poll() is not None:
            self.drop()
            self.lost += 1
        if self.process is None and self.wanted:
            try:
                self.process = service.spawn(
                    "workbench.runs.spare",
                    str(self.folder.path),
                    log=self.folder.jobs / "spare.log",
                    stdin=subprocess.PIPE,
                )
            except OSError as error:
                logs.note(f"No idle worker could be started: {error}")
                self.lost += 1

    def take(self, arguments: list[str], *, log: Path, threads: int | None) -> "subprocess.Popen[bytes] | None":
        """The idle worker as the worker of a run, with these arguments; None if there is none, or it has other threads."""
        process = self.process
        if process is None or process.stdin is None or process.poll() is not None:
            return None
        if threads not in (None, device.threads()):
            return None
        order = json.dumps({"arguments": arguments, "log": str(log)}) + "\n"
        try:
            process.stdin.write(order.encode())
            process.stdin.close()
        except OSError:  # it ended in this moment
            return None
        self.process = None
        return process

    def drop(self) -> None:
        """Forget the idle worker; it ends with its standard input."""
        process, self.process = self.process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
