"""From the command to the end of step 1, as a user waits for it."""

import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.bench import Row
from workbench.data.corpora import load_corpus
from workbench.processes.liveness import pid_of
from workbench.store import names
from workbench.store.run import Run

ROOT = Path(__file__).resolve().parents[2]
STEPS = 5
PAUSE_SECONDS = 10


def start(data: str, *, repeats: int = 3) -> Iterator[Row]:
    """Seconds from `workbench train` to the end of step 1 on the demo sentences, and to the end of the run: the first run of a
    folder, and the next.

    Ten seconds lie between them, in which an idle worker for the second is prepared.
    """
    for repeat in range(repeats):
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for what, pause in (("first run of a folder", 0), ("second run, ten seconds later", PAUSE_SECONDS)):
                time.sleep(pause)
                took, whole = run(Path(folder), "demo")
                yield {"what": what, "repeat": repeat, **took}
                yield {"what": f"{what}, to its end", "repeat": repeat, **took, "seconds": whole}


def start_large(data: str, *, lines: tuple[int, ...] = (1_000_000, 10_000_000), repeats: int = 3) -> Iterator[Row]:
    """The same for corpora of a million and of ten million lines, with the most memory that the worker held."""
    for count in lines:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            corpus = Path(folder) / "corpus.txt"
            write_lines(corpus, count)
            for repeat in range(repeats):
                runs = Path(folder) / f"runs-{repeat}"
                yield {"what": f"{count:,} lines", "repeat": repeat, **run(runs, str(corpus))[0]}


def write_lines(path: Path, count: int) -> None:
    """Write `count` different lines, of about 80 characters each, made of parts of the demo sentences."""
    rng = random.Random(0)
    parts = [text.split() for text in load_corpus("demo").texts]
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, count, 10_000):
            chosen = rng.choices(parts, k=2 * min(10_000, count - first))
            pairs = zip(chosen[::2], chosen[1::2], itertools.count(first), strict=False)
            file.writelines(f"{' '.join(one[:7])} {' '.join(two[2:])} {number}\n" for one, two, number in pairs)


def run(folder: Path, corpus: str) -> tuple[Row, float]:
    """One run of a few steps by the command line: seconds until step 1 had been taken, with the worker's memory in bytes, and
    seconds until it was done.
    """
    folder.mkdir(exist_ok=True)
    there = set(folder.iterdir())
    began = time.time()
    # Bytecode is kept, as for users.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [
        sys.executable,
        "-m",
        "workbench",
        "train",
        "--runs",
        str(folder),
        "--corpus",
        corpus,
        "--steps",
        str(STEPS),
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    peak = 0
    while process.poll() is None:
        new = [path for path in set(folder.iterdir()) - there if (path / names.EVENTS).exists()]
        for path in new:
            peak = max(peak, _most_bytes(pid_of(Run(path).recorded_status.who)))
        time.sleep(0.2)
    if process.returncode:
        raise RuntimeError(process.stderr.read() if process.stderr else "")
    (path,) = new
    first = json.loads((path / names.STEPS).read_text(encoding="utf-8").split("\n", 1)[0])
    whole = Run(path).events[-1]["time"] - began
    return {"seconds": first["time"] - began, "peak_bytes": peak}, whole


def _most_bytes(pid: int) -> int:
    """The most memory that a process has held, in bytes; 0 where the system does not say."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return 1024 * int(line.split()[1])
    return 0
