"""The other processes of a run that shares its batches: they compute along, and have no say.

python -m workbench.runs.peers RUN_FOLDER --device cuda:1
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path

from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core import device as devices
from workbench.core.errors import BadSetting
from workbench.processes import service
from workbench.store import checkpoints, names
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.training.processes import WAIT_SECONDS


def places(given: list[str], count: int) -> list[str]:
    """The device of each of `count` processes: on the CPU all of them, otherwise those given, then any other GPU.

    Raises:
        BadSetting: fewer accelerators than processes.
    """
    if given[0] == "cpu":
        return ["cpu"] * count
    others = [name for name in devices.available() if name.startswith("cuda") and name not in given]
    found = [*given, *others][:count]
    if len(found) < count:
        raise BadSetting(f"{count} processes need as many GPUs.", got=str(len(found)), way_out="Take fewer processes.")
    return found


class Peers:
    """Started by the worker before its loop, and ended with it."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.meeting: Path | None = None

    def start(self, folder: Path, places: list[str], *, threads: int) -> None:
        """Start a process for each place but the first, and make this one the first of them."""
        count = len(places)
        if count == 1:
            return
        self.meeting = Path(tempfile.mkdtemp(prefix="workbench-peers-"))
        within = {"GLOO_SOCKET_IFNAME": loopback(), "NCCL_SOCKET_IFNAME": loopback()}
        os.environ |= {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
        os.environ |= {name: interface for name, interface in within.items() if interface}
        on_cpu = places[0] == "cpu"
        if on_cpu:
            os.environ["ACCELERATE_USE_CPU"] = "1"
            threads = max(1, threads // count)
        # The first is last, because what is set for it stays.
        for index in reversed(range(count)):
            local = str(index) if on_cpu else places[index].rpartition(":")[2]
            os.environ |= {"RANK": str(index), "LOCAL_RANK": local}
            if index:
                arguments = (str(folder), "--device", places[index], "--meeting", str(self.meeting))
                log = folder / names.LOG
                self.processes.append(service.spawn("workbench.runs.peers", *arguments, log=log, threads=threads))
        meet(self.meeting)

    def end(self) -> None:
        """End them, wherever they are: nothing is theirs to save."""
        for process in self.processes:
            process.kill()
            process.wait()
        if self.meeting:
            shutil.rmtree(self.meeting, ignore_errors=True)


def loopback() -> str:
    """The network interface that nobody outside this machine reaches: lo on Linux, lo0 on a Mac. Empty if it has no name
    that torch understands.
    """
    import psutil

    if os.name == "nt":
        return ""
    found = psutil.net_if_addrs().items()
    return next((name for name, addresses in found if any(one.address == "127.0.0.1" for one in addresses)), "")


def meet(meeting: Path) -> None:
    """Join the processes of a run. They find each other by a file, since torch's own way is a port open to the network."""
    from torch import distributed

    count = int(os.environ["WORLD_SIZE"])
    distributed.init_process_group(
        "gloo" if os.environ.get("ACCELERATE_USE_CPU") else "nccl",
        store=distributed.FileStore(str(meeting / "store"), count),  # type: ignore[attr-defined]
        rank=int(os.environ["RANK"]),
        world_size=count,
        timeout=timedelta(seconds=WAIT_SECONDS),
    )


def follow(folder: Path, device: str, meeting: Path) -> None:
    """Compute this process's share of every step, from the last checkpoint on, until the first process is done."""
    import torch

    from workbench.models.load import load
    from workbench.recipes.fits import corpus_of
    from workbench.training.loop import Loop

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    meet(meeting)
    config = Run(folder).config
    texts = corpus_of(config)
    encoder = load(config.model.backbone, config.model.revision, device=device)
    kept = RunsFolder(folder.parent).cache / "augmentations"
    lines = stored_lines(kept, Resources(device=device), seed=config.training.seed)
    loop = Loop(encoder, texts.columns, config, precision=config.training.precision, lines=lines, numbers=texts.numbers)
    place = folder / names.CHECKPOINTS / "last"
    if checkpoints.state(place) is not None:
        loop.restore(*checkpoints.load(place))
    for _ in loop.run():
        pass


def main(arguments: list[str] | None = None) -> int:
    """See the module. Ends with its parent: a collective call would wait for ever."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--meeting", type=Path, required=True)
    asked = parser.parse_args(arguments)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    follow(asked.folder.resolve(), asked.device, asked.meeting)
    return 0


if __name__ == "__main__":
    service.leave(main())
