"""The other processes of a run that shares its batches: they compute their part, and decide nothing.

python -m workbench.runs.peers RUN_FOLDER --meeting FOLDER --rank 1 [--device cuda:1]

On one machine the worker, which is the first process, starts them. Where a run spans the nodes of a cluster, its job does.
"""

import argparse
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core import device as devices
from workbench.core.errors import BadSetting
from workbench.processes import logs, service
from workbench.runs import meeting as meetings
from workbench.runs.explaining import VANISHED, explain
from workbench.runs.meeting import Card, Vanished
from workbench.store import checkpoints, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def process_devices(given: Sequence[str], count: int) -> list[str]:
    """The device of each of `count` processes: on the CPU all of them, otherwise those given, then any other GPU.

    Raises:
        BadSetting: fewer accelerators than processes.
    """
    if given[0] == "cpu":
        return ["cpu"] * count
    others = [name for name in devices.available() if name.startswith("cuda") and name not in given]
    devices_of_all = [*given, *others][:count]
    if len(devices_of_all) < count:
        got = str(len(devices_of_all))
        raise BadSetting(f"{count} processes need as many GPUs.", got=got, way_out="Use fewer processes.")
    return devices_of_all


def node_device(first: str) -> str:
    """The device of a process that a cluster started, where that of the first is `first`. A cluster shows each process its
    own GPU, except Slurm where it is not set to: there the number of the process on its node counts.
    """
    if first == "cpu":
        return first
    numbered = f"cuda:{os.environ.get('SLURM_LOCALID', '0')}"
    return numbered if numbered in devices.available() else "cuda:0"


class Peers:
    """What the first process knows of the others: it starts those on its machine, and ends with all of them."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.meeting: Path | None = None

    def start(self, folder: Path, devices_of_all: Sequence[str], *, threads: int, wait: Callable[[], object]) -> None:
        """Start a process of so many threads for each device but the first, and make this one the first of them.

        Raises:
            Vanished: one ended before it came.
        """
        count = len(devices_of_all)
        if count == 1:
            return
        self.meeting = Path(tempfile.mkdtemp(prefix=".peers-", suffix=".tmp", dir=folder))  # swept with all such files
        for rank in range(1, count):
            about = {"meeting": str(self.meeting), "rank": str(rank), "device": devices_of_all[rank]}
            if os.name == "posix":  # elsewhere a child may not see its parent itself, but a launcher
                about["parent"] = str(os.getpid())
            arguments = [word for name, value in about.items() for word in (f"--{name}", value)]
            log = folder / names.LOG
            self.processes.append(
                service.spawn("workbench.runs.peers", str(folder), *arguments, log=log, threads=threads)
            )

        def look() -> None:
            wait()
            if any(process.poll() is not None for process in self.processes):
                raise Vanished("Another process of this run ended before it began. See the log.")

        meetings.join(self.meeting, 0, count, devices_of_all[0], look)

    def await_others(self, meeting: Path, count: int, device: str, wait: Callable[[], object]) -> None:
        """Make this process the first of those that a cluster starts.

        Raises:
            Vanished: they do not come.
        """
        self.meeting = meeting
        meeting.mkdir()
        meetings.join(meeting, 0, count, device, wait)

    @property
    def elsewhere(self) -> bool:
        """Whether a cluster started them."""
        return self.meeting is not None and not self.processes

    def failure(self) -> tuple[str, str] | None:
        """Kind and message of one that failed, if it could still say so."""
        return meetings.failure(self.meeting) if self.meeting else None

    def end(self) -> None:
        """End them: nothing is theirs to save. Those on other machines end when the folder where they met is gone."""
        for process in self.processes:
            process.kill()
            process.wait()
        if self.meeting:
            shutil.rmtree(self.meeting, ignore_errors=True)


def follow(folder: Path, device: str, meeting: Path, rank: int, count: int) -> None:
    """Compute this process's share of every step, from the last checkpoint on, until the first process is done."""
    import torch

    from workbench.models.load import load
    from workbench.recipes.fits import corpus_of
    from workbench.training.loop import Loop

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    devices.make_current(device)
    meetings.join(meeting, rank, count, device)
    config = Run(folder).config
    texts = corpus_of(config)
    encoder = load(config.model.backbone, config.model.revision, device=device)
    stored = RunsFolder(folder.parent).cache / "augmentations"
    lines = stored_lines(stored, Resources(device=device), seed=config.training.seed)
    loop = Loop(encoder, texts.columns, config, precision=config.training.precision, lines=lines, numbers=texts.numbers)
    last = folder / names.CHECKPOINTS / "last"
    if checkpoints.state(last) is not None:
        loop.restore(*checkpoints.load(last))
    for _ in loop.run():
        pass


def watch(run: Run, meeting: Path, parent: int) -> None:
    """End this process with its parent, with the folder where the processes met, or when the heartbeat of the run stands
    still: a collective call would wait for minutes. Clocks of several machines are not compared.
    """
    patience = run.recorded_status.stale_seconds or float("inf")  # on this machine the parent says all
    beat, moved, met = -1, time.monotonic(), False
    while True:
        time.sleep(1)
        try:
            now = run.heartbeat.stat().st_mtime_ns
        except OSError:
            now = 0
        if now != beat:
            beat, moved = now, time.monotonic()
        there = meeting.is_dir()
        met = met or there
        if os.getppid() != parent or (met and not there) or time.monotonic() - moved > patience:
            os._exit(1)


def first_card(meeting: Path) -> Card:
    """What the first process says of itself, once it has come: `watch` ends the wait."""
    while not (card := meetings.card(meeting, 0)):
        time.sleep(meetings.LOOK_SECONDS)
    return card


def main(arguments: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="")
    parser.add_argument("--meeting", type=Path, required=True)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--parent", type=int, default=0)
    asked = parser.parse_args(arguments)
    folder = asked.folder.resolve()
    for number in (
        signal.SIGTERM,
        signal.SIGINT,
    ):  # a cluster may send them to all; the first process saves a checkpoint
        signal.signal(number, signal.SIG_IGN)
    # Who started this may have gone during the imports, so that the parent is another by now.
    parent = asked.parent or os.getppid()
    threading.Thread(target=watch, args=(Run(folder), asked.meeting, parent), daemon=True).start()
    first = first_card(asked.meeting)
    device = asked.device or node_device(first.device)
    try:
        follow(folder, device, asked.meeting, asked.rank, first.count)
    except Exception as error:
        kind, message = explain(error)
        if kind != VANISHED:
            meetings.leave_failure(asked.meeting, kind, message)
        logs.note_error(error)
        return 1
    return 0


if __name__ == "__main__":
    service.leave(main())
