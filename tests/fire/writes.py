"""Fail the writes of a run, one after the other, and check that each ends in a message and loses nothing.

    python -m tests.fire.writes --errors ENOSPC EIO [--pretraining]
    python -m tests.fire.writes --disk 40

The first has the n-th write of one worker's life fail, for every n until the run comes through untouched; it fine-tunes, or
trains a masked language model. The second gives command, supervisor and worker so many disks that are too small: really full
ones (tmpfs, where this may be mounted) and files that may not grow (RLIMIT_FSIZE), for what SQLite, safetensors and other
libraries write themselves. Each time the run must end in a plain message, everything in its folder must be whole, and resumed
with room it must come to the same bits as one that nothing happened to.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.fire import field
from tests.trial import until
from workbench import api

STEPS, EVERY = 4, 2
KINDS = {"ENOSPC": ("DiskFull", "disk of the runs folder is full"), "EIO": ("DiskError", "reports an error")}
PATIENCE_SECONDS = 120
UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python leaves what it could write of a compiled module, which nothing can import then."""


class Disk:
    """Runs whose writes fail, compared with an undisturbed one."""

    def __init__(self, place: Path, *, pretraining: bool = False) -> None:
        self.place, self.runs, self.fault = place, place / "runs", place / "fault"
        os.environ.update(
            WORKBENCH_THREADS="1",
            WORKBENCH_CHECKPOINT_SECONDS="0",
            WORKBENCH_IDLE_SECONDS="60",
            WORKBENCH_SPARES="0",  # writes are counted of processes that are called worker
            WORKBENCH_FAULT=str(self.fault),
        )
        self.given = field.settings(field.world(place / "tiny"), steps=STEPS, every=EVERY)
        self.begin: Callable[..., api.Run] = partial(api.train, **self.given)
        if pretraining:
            self.begin = partial(api.pretrain, recipe=field.PRETRAINING, **field.pretraining(place, self.given))
        self.wrong: list[str] = []
        self.ends: Counter[str] = Counter()
        calm = self.begin(runs=place / "calm")
        self.outcome = field.outcome(calm.folder)

    def ended(self, run: api.Run) -> api.Run:
        """The run once it has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while run.state not in field.ENDED and time.monotonic() < deadline:
            time.sleep(0.1)
        return run

    def check(self, run: api.Run, what: str, *, cut: int = 1) -> None:
        """Check that everything is intact except the lines that were cut off, which the next ones terminated and readers skip."""
        for fault in [*field.wrong_with_files(run.folder, cut=cut), *field.wrong_with_state(run)]:
            self.wrong.append(f"{what}: {fault}")

    def resumed(self, run: api.Run, what: str) -> None:
        """Resume with enough space: the same bits, and nothing left over."""
        if run.state != "done":
            api.resume(run, runs=run.folder.parent)
            self.ended(run)
        if run.state != "done":
            self.wrong.append(f"{what}: resumed, it is {run.state}: {run.failure}")
        elif field.outcome(run.folder) != self.outcome:
            self.wrong.append(f"{what}: resumed, it came to another end")
        self.wrong += [f"{what}: {name} was left over" for name in field.left_over(run.folder)]

    def nth(self, number: int, error: str) -> bool:
        """Run a worker whose n-th write fails; return whether there was such a write."""
        return self.in_a_row((number, error)) == 1

    def in_a_row(self, *writes: tuple[int, str]) -> int:
        """Run a worker whose n-th write fails, resume with one whose n-th write fails, and so on, at last with room; return how
        many of these writes there were. Where a worker came through, there is nothing to resume, and the next write is of
        a new run.
        """
        run, failed = None, 0
        for count, (number, error) in enumerate(writes):
            self.fault.write_text(f"worker {number} {error}")
            if run is None:
                run, failed = self.begin(runs=self.runs, detach=True), 0
            else:
                api.resume(run, runs=self.runs)
            self.ended(run)
            came_through = self.fault.exists() and run.state == "done"
            self.fault.unlink(missing_ok=True)
            if not came_through:
                failed += 1
                self.check_end(run, f"write {number} with {error}", error, cut=failed)
            if run.state == "done" or count == len(writes) - 1:
                self.resumed(run, f"after {writes[: count + 1]}")
                self.check(run, f"after {writes[: count + 1]}", cut=failed)
                api.delete(run, run.id, runs=self.runs)
                run = None
            if came_through:
                return count
        return len(writes)

    def check_end(self, run: api.Run, what: str, error: str, *, cut: int) -> None:
        """Check what a run says of a write that failed, and that its folder is whole before anybody resumes it."""
        kind, words = KINDS[error]
        if run.state == "failed" and (run.failure[0] != kind or words not in run.failure[1]):
            self.wrong.append(f"{what}: it failed with {run.failure}")
        elif run.state not in (
            "failed",
            "done",
        ):  # done: the worker can do without a heartbeat, and writes its last event again
            self.wrong.append(f"{what}: it is {run.state}")
        self.ends[run.state] += 1
        self.check(run, what, cut=cut)

    def small(self, runs: Path, what: str, more_room: Callable[[], None], another: bool, **process: object) -> None:
        """Train with too little disk space, then with enough: what was begun, and another run if so asked, or if nothing was."""
        words = ["train", *field.flags(self.given)]
        said = field.command(*words, runs=runs, **process)
        try:
            output = said.communicate(timeout=PATIENCE_SECONDS)[0]
        except subprocess.TimeoutExpired:
            said.kill()
            self.wrong.append(f"{what}: the command did not end: {said.communicate()[0][-500:]}")
            output = ""
        if "Traceback" in output or said.returncode not in (0, 2):
            self.wrong.append(f"{what}: the command ended with {said.returncode}: {output[-2000:]}")
        self.ends["the command ended well" if said.returncode == 0 else output.strip().rpartition("\n")[2][:80]] += 1
        field.end_all(runs)
        more_room()
        begun = api.runs(runs)
        for run in begun:
            self.ended(run)
            self.resumed(run, what)
            self.check(run, what)
        if another or not begun:
            again = field.command(*words, runs=runs)
            output = again.communicate(timeout=PATIENCE_SECONDS)[0]
            if again.returncode:
                self.wrong.append(f"{what}: with room, another run ended with {again.returncode}: {output[-2000:]}")
        field.end_all(runs)

    def limited(self, size_bytes: int, *, another: bool = True) -> None:
        """No file of the command, and of what it starts, may be larger."""
        self.small(
            self.place / f"limit-{size_bytes}",
            f"files of at most {size_bytes} bytes",
            lambda: None,
            another,
            env=os.environ | UNCOMPILED,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, resource.RLIM_INFINITY)),
        )

    def full(self, size_bytes: int, *, another: bool = True) -> None:
        """Use a runs folder on a disk of that size."""
        with tmpfs(self.place / f"disk-{size_bytes}", size_bytes) as (disk, grow):
            self.small(disk / "runs", f"a disk of {size_bytes} bytes", grow, another)

    def vectors(self, missing_bytes: int) -> None:
        """Run `encode --out` where that many bytes of the array do not fit."""
        texts, out = self.place / "texts.txt", self.place / "vectors.npy"
        texts.write_text("".join(f"Sentence number {number} is about something.\n" for number in range(5_000)))
        whole = 128 + 5_000 * 32 * 4
        # The compute process is there before, so that the limit is the command's alone.
        api.encode(["A first sentence."], target=str(self.place / "tiny" / "bert"), runs=self.runs)
        words = ["encode", "--target", str(self.place / "tiny" / "bert"), "--out", str(out)]
        out.write_bytes(b"as it was before")
        made = field.command(
            *words,
            runs=self.runs,
            lines=texts,
            env=os.environ | UNCOMPILED,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (whole - missing_bytes, resource.RLIM_INFINITY)
            ),
        )
        output = made.communicate(timeout=PATIENCE_SECONDS)[0]
        what = f"encode --out without room for {missing_bytes} bytes"
        if missing_bytes <= 0:
            if made.returncode or out.stat().st_size != whole:
                self.wrong.append(f"{what}: {made.returncode}, {out.stat().st_size} bytes: {output[-500:]}")
        elif made.returncode != 2 or "no space left to write" not in output or "Traceback" in output:
            self.wrong.append(f"{what}: it ended with {made.returncode}: {output[-500:]}")
        elif out.read_bytes() != b"as it was before":
            self.wrong.append(f"{what}: the file that was there is no longer what it was")
        self.ends["refused" if made.returncode == 2 else str(made.returncode)] += 1

    def end(self) -> None:
        """Check that nothing is left running."""
        for runs in (self.runs, self.place / "calm"):
            field.end_all(runs)


@contextmanager
def tmpfs(place: Path, size_bytes: int) -> Iterator[tuple[Path, Callable[[], None]]]:
    """A disk of that size in memory, and how to make it large."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(place)], check=True)
    try:
        yield place, lambda: subprocess.run(["mount", "-o", "remount,size=256m", str(place)], check=True)
    finally:
        field.end_all(place)
        # A process that was killed lets go of its files a moment after it has lost its command line, by which it is known.
        until(lambda: subprocess.run(["umount", str(place)], check=False).returncode == 0, 30)


def can_mount() -> bool:
    """Whether a small disk can be made here."""
    with tempfile.TemporaryDirectory() as place:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True, check=False
        )
        if made.returncode == 0:
            subprocess.run(["umount", place], check=True)
        return made.returncode == 0


def sizes(count: int, least: int, most: int) -> list[int]:
    """Sizes from the least to the most bytes, in equal ratios."""
    return [round(least * (most / least) ** (at / max(1, count - 1))) for at in range(count)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", nargs="*", default=[], choices=tuple(KINDS), help="Fail each write so.")
    parser.add_argument("--pretraining", action="store_true", help="Of a run that trains a masked language model.")
    parser.add_argument("--first", type=int, default=1, help="The first write to fail.")
    parser.add_argument("--disk", type=int, default=0, help="So many full disks, and as many limits of a file's size.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbench-writes-") as place:
        disk = Disk(Path(place), pretraining=asked.pretraining)
        try:
            for error in asked.errors:
                number = asked.first
                while disk.nth(number, error):
                    number += 1
                    if number % 10 == 0:
                        print(f"{number} writes, {error}, {len(disk.wrong)} wrong", flush=True)
                print(
                    f"{error}: each of {number - 1} writes of a worker failed once; ends: {dict(disk.ends)}.",
                    flush=True,
                )
                disk.ends.clear()
            for size in sizes(asked.disk, 2_000, 2_000_000) if asked.disk else ():
                disk.limited(size)
            if asked.disk:
                print(f"{asked.disk} limits of a file's size: {dict(disk.ends)}.", flush=True)
                disk.ends.clear()
            for missing in sizes(asked.disk, 1, 300_000) if asked.disk else ():
                disk.vectors(missing)
            if asked.disk:
                print(f"{asked.disk} limits of encode --out: {dict(disk.ends)}.", flush=True)
                disk.ends.clear()
            if asked.disk and not can_mount():
                print("No disk could be mounted here: full disks were not tried.")
            elif asked.disk:
                for size in sizes(asked.disk, 16_000, 8_000_000):
                    disk.full(size)
                print(f"{asked.disk} full disks: {dict(disk.ends)}.", flush=True)
        finally:
            disk.end()
    print("\n".join(dict.fromkeys(disk.wrong)) or "Nothing was wrong.")
    return bool(disk.wrong)


if __name__ == "__main__":
    raise SystemExit(main())
