"""Seeded bad input at every entrance: it must end in a message, quickly and with little memory.

python -m tests.fire.fuzz --inputs 10000 --seed 0
python -m tests.fire.fuzz --only tables --seed 0 --index 17    one input again, with its traceback
"""

import argparse
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.bench.augmenting import peak_bytes
from tests.fire.fuzz_entrances import ENTRANCES, SHARES, Entrance

MOST_SECONDS = 20.0
MOST_BYTES = 500_000_000
"""Beyond what the process had taken before the first input of an entrance: torch alone takes 0.2 to 0.7 GB, by its build."""
START_SECONDS = 120.0
ENVIRONMENT = {"WORKBENCH_PROCESSES": "off", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
"""Start no processes and download nothing."""
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Failure:
    """An input that did not end in a message."""

    entrance: str
    index: int
    why: str
    input: str

    def __str__(self) -> str:
        return f"{self.entrance} {self.index}: {self.why}\n  {self.input[:400]}"


class Child:
    """A process that tries inputs one after the other, and can be killed when one does not end."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.folder = tempfile.TemporaryDirectory(prefix="fuzz-")
        self.process: subprocess.Popen[str] | None = None
        self.ready_bytes = 0
        """What it had taken at its peak before the first input of the entrance."""

    def start(self, entrance: str) -> None:
        command = [sys.executable, "-m", "tests.fire.fuzz", "--serve", self.folder.name, "--seed", str(self.seed)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | ENVIRONMENT, text=True, errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        ready = self._ask(entrance, -1, START_SECONDS)  # imports, and what is made once, are no input's time or memory
        self.ready_bytes = ready["bytes"] if ready else 0

    def _ask(self, entrance: str, index: int, seconds: float) -> dict[str, Any] | None:
        assert self.process and self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{entrance} {index}\n")
            self.process.stdin.flush()
        return self._answer(seconds)

    def _answer(self, seconds: float) -> dict[str, Any] | None:
        """The next line of the process; None if it did not come in time or the process ended."""
        assert self.process and self.process.stdout
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self.process.stdout], [], [], left)[0]:
                line = self.process.stdout.readline()
                if line.startswith("{"):
                    answer: dict[str, Any] = json.loads(line)
                    return answer
                if not line:
                    return None
        return None

    def run(self, entrance: str, index: int) -> Failure | None:
        """Try one input, and return what was wrong."""
        if self.process is None:
            self.start(entrance)
        began = time.monotonic()
        answer = self._ask(entrance, index, START_SECONDS if index < 0 else MOST_SECONDS)
        if answer is None:
            self.end()
            why = f"no answer within {MOST_SECONDS:g} s"
            why = why if time.monotonic() - began >= MOST_SECONDS else "the process ended"
            return Failure(entrance, index, why, f"see --index {index}")
        if index < 0:
            self.ready_bytes = answer["bytes"]
        taken = answer["bytes"] - self.ready_bytes
        if taken > MOST_BYTES:
            self.end()
            return Failure(entrance, index, f"{taken / 1e6:,.0f} MB", answer["input"])
        return Failure(entrance, index, answer["wrong"], answer["input"]) if answer["wrong"] else None

    def end(self) -> None:
        if self.process:
            self.process.kill()
            with contextlib.suppress(BrokenPipeError):
                self.process.communicate()  # closes its pipes, too
            self.process = None


def serve(folder: Path, seed: int) -> None:
    """Try the inputs read from stdin, an entrance and a number per line, and print a line of JSON for each."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the command line prints is no answer
    entrances: dict[str, Entrance] = {}
    for line in sys.stdin:
        name, index = line.split()
        shown, wrong = "", ""
        os.environ["WORKBENCH_RUNS"] = str(folder / name / "runs")
        if name not in entrances:
            entrances[name] = opened(name, folder)
        if int(index) >= 0:
            shown, wrong = entrances[name].tried(seed, int(index))
        print(json.dumps({"input": shown, "wrong": wrong, "bytes": peak_bytes()}), file=out, flush=True)


def opened(name: str, folder: Path) -> Entrance:
    """An entrance with a new folder, and with the valid data that its inputs are made from."""
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    os.environ["WORKBENCH_RUNS"] = str(place / "runs")
    entrance = ENTRANCES[name](place)
    entrance.once()
    return entrance


def again(name: str, seed: int, index: int) -> int:
    """One input in this process, with its traceback; exit status."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        os.environ |= ENVIRONMENT
        entrance = opened(name, Path(folder))
        print(entrance.shown(seed, index))
        _, wrong = entrance.tried(seed, index, tracebacks=True)
        print(wrong or "A message, or an answer: as it should be.")
        return 1 if wrong else 0


def fuzz(inputs: int, seed: int, only: str = "", say: Any = print) -> tuple[Counter[str], list[Failure]]:
    """Try inputs, divided among the entrances; returns how many were tried at each, and the failures."""
    counts: Counter[str] = Counter()
    failures = []
    shares = {only: 1.0} if only else SHARES
    child = Child(seed)
    try:
        for name, share in shares.items():
            began = time.monotonic()
            child.run(name, -1)
            for index in range(max(1, round(inputs * share / sum(shares.values())))):
                counts[name] += 1
                if failure := child.run(name, index):
                    failures.append(failure)
                    say(f"FAILED {failure}")
            say(f"{name}: {counts[name]:,} inputs in {time.monotonic() - began:.0f} s")
    finally:
        child.end()
        child.folder.cleanup()
    return counts, failures


def main() -> int:
    """Return exit status 1 if something failed."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--inputs", type=int, default=500)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--only", choices=sorted(ENTRANCES), default="")
    asked.add_argument("--index", type=int)
    asked.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    said = asked.parse_args()
    if said.serve:
        serve(said.serve, said.seed)
        return 0
    if said.index is not None:
        return again(said.only, said.seed, said.index)
    counts, failures = fuzz(said.inputs, said.seed, said.only)
    print(f"{counts.total():,} inputs, {len(failures)} failures")
    for name in dict.fromkeys(failure.entrance for failure in failures):
        least = min((one for one in failures if one.entrance == name), key=lambda one: len(one.input))
        print(f"Smallest of {name}: {least}")
        print(f"  again: python -m tests.fire.fuzz --only {name} --seed {said.seed} --index {least.index}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
