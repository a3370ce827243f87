"""The other processes of a run that shares its batches: they compute their part, and decide nothing.

python -m workbench.runs.peers RUN_FOLDER --device cuda:1
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
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
        raise BadSetting(f"{count} processes need as many GPUs.", got=got, way_out="Take fewer processes.")
    return devices_of_all


class Peers:
    """Started by the worker before its loop, and ended with it."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.meeting: Path | None = None

    def start(self, folder: Path, devices_of_all: Sequence[str], *, threads: int) -> None:
        """Start a process for each device but the first, and make this one the first of them."""
        count = len(devices_of_all)
        if count == 1:
            return
        self.meeting = Path(tempfile.mkdtemp(prefix="workbench-peers-"))
        within = {"GLOO_SOCKET_IFNAME": loopback(), "NCCL_SOCKET_IFNAME": loopback()}
        os.environ |= {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
        os.environ |= {name: interface for name, interface in within.items() if interface}
        on_cpu = devices_of_all[0] == "cpu"
        if on_cpu:
            os.environ["ACCELERATE_USE_CPU"] = "1"
            threads = max(1, threads // count)
        # The first is last, because what is set for it stays.
        for index in reversed(range(count)):
            local = str(index) if on_cpu else devices_of_all[index].rpartition(":")[2]
            os.environ |= {"RANK": str(index), "LOCAL_RANK": local}
            if index:
                arguments = (str(folder), "--device", devices_of_all[index], "--meeting", str(self.meeting))
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
    for name, addresses in psutil.net_if_addrs().items():
        if any(address.address == "127.0.0.1" for address in addresses):
            return name
    return ""


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
    stored = RunsFolder(folder.parent).cache / "augmentations"
    lines = stored_lines(stored, Resources(device=device), seed=config.training.seed)
    loop = Loop(encoder, texts.columns, config, precision=config.training.precision, lines=lines, numbers=texts.numbers)
    last = folder / names.CHECKPOINTS / "last"
    if checkpoints.state(last) is not None:
        loop.restore(*checkpoints.load(last))
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
