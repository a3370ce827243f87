"""The other processes of a run that shares its batches: they compute along, and have no say.

python -m workbench.jobs.peers RUN_FOLDER --device cuda:1
"""

import argparse
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

from workbench.augmentations.resources import Resources
from workbench.core import device as devices
from workbench.core.errors import BadSetting
from workbench.jobs import checkpoints
from workbench.jobs.drawn import kept_lines
from workbench.jobs.service import spawn
from workbench.store import names
from workbench.store.names import RunsFolder
from workbench.store.run import Run


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

    def start(self, folder: Path, places: list[str], *, threads: int) -> None:
        """Start a process for each place but the first, and make this one the first of them."""
        count = len(places)
        if count == 1:
            return
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count)}
        on_cpu = places[0] == "cpu"
        if on_cpu:
            os.environ["ACCELERATE_USE_CPU"] = "1"
            threads = max(1, threads // count)
        # The first is last, because what is set for it stays.
        for index in reversed(range(count)):
            local = str(index) if on_cpu else places[index].rpartition(":")[2]
            os.environ |= {"RANK": str(index), "LOCAL_RANK": local}
            if index:
                arguments = (str(folder), "--device", places[index])
                log = folder / names.LOG
                self.processes.append(spawn("workbench.jobs.peers", *arguments, log=log, threads=threads))

    def end(self) -> None:
        """End them, wherever they are: nothing is theirs to save."""
        for process in self.processes:
            process.kill()
            process.wait()


def follow(folder: Path, device: str) -> None:
    """Compute this process's share of every step, from the last checkpoint on, until the first process is done."""
    import torch

    from workbench.models.load import load
    from workbench.recipes.fits import corpus_of
    from workbench.training.loop import Loop

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    config = Run(folder).config
    texts = corpus_of(config)
    encoder = load(config.model.backbone, config.model.revision, device=device)
    kept = RunsFolder(folder.parent).cache / "augmentations"
    lines = kept_lines(kept, Resources(device=device), seed=config.training.seed)
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
    asked = parser.parse_args(arguments)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    follow(asked.folder.resolve(), asked.device)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
