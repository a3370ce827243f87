"""Take nodes, head, supervisor and disk away from runs on a Ray cluster, and check that none is lost or falsely done.

    WORKBENCH_RAY=FOLDER python -m tests.fire.cluster --runs 50 --seed 0

Three nodes on this machine work on all runs at once. Meanwhile, in turn: a node is taken away in the middle of a run and another
comes, the supervisor is killed, the disk of the cluster's own files is filled for a while (root only), and the whole cluster is
killed and started anew. In the end every run must have come to the same losses, model and scores as one that nobody disturbed,
without anybody having resumed it.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from tests.fire import field
from tests.scheduler.executors.ray_trial import Trial, missing
from workbench import api

STEPS = 200
SEEDS = 4
PATIENCE_SECONDS = 900
BLOWS = ("node", "supervisor", "node", "disk", "node", "head")
EVERY_SECONDS = 12.0


class Field:
    """One runs folder, and the cluster that works for it."""

    def __init__(self, place: Path, seed: int) -> None:
        self.random, self.place = random.Random(seed), place
        self.tiny, self.runs, self.calm = field.world(place / "tiny"), place / "runs", place / "calm"
        self.blows: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.outcomes = {}
        for number in range(SEEDS):
            run = api.train(runs=self.calm, **field.settings(self.tiny, steps=STEPS, seed=number))
            self.outcomes[number] = field.outcome(run.folder)
        field.end_all(self.calm)
        self.disk = place / "disk"
        self.disk.mkdir()
        self.mounted = (
            os.geteuid() == 0
            and not subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", str(self.disk)], check=False
            ).returncode
        )
        nodes = ("n1", "n2", "n3")
        self.cluster = Trial(place, nodes, RAY_TMPDIR=str(self.disk))
        file = place / "clusters.toml"
        about = {"python": sys.executable, "address": self.cluster.address, "token_file": str(self.cluster.token)}
        lines = [f'{name} = "{value}"' for name, value in about.items()]
        file.write_text("\n".join(['[lab]\nkind = "ray"\njobs = 4\nresumes = 12\nstale_seconds = 30.0', *lines, ""]))
        os.environ["WORKBENCH_CLUSTERS"] = str(file)

    def open_runs(self) -> list[api.Run]:
        return [run for run in api.runs(self.runs) if run.state != "done"]

    def strike(self, kind: str) -> None:
        """One blow, and what an operator would do about it afterwards."""
        if kind == "disk" and not self.mounted:
            return
        self.blows[kind] += 1
        if kind == "node":
            node = self.random.choice(self.cluster.nodes)
            self.cluster.remove(node)
            time.sleep(2)
            self.cluster.add(node)
        elif kind == "supervisor":
            for process in field.processes(self.runs):
                if field.kind(process) == "supervisor":
                    process.kill()
            time.sleep(1)
        elif kind == "disk":
            filler = self.disk / "filler"
            subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=1M"], capture_output=True, check=False)
            time.sleep(8)
            filler.unlink()
        else:
            self.cluster.kill()
            time.sleep(3)
            self.cluster.start()

    def look(self) -> None:
        """Check everything that must hold now."""
        for run in api.runs(self.runs):
            self.wrong += field.wrong_with_files(run.folder)
            if run.state in ("done", "failed", "lost"):
                self.wrong += field.wrong_with_state(run)

    def settle(self, say) -> None:
        """Let everything finish, and compare."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := self.open_runs()) and time.monotonic() < deadline:
            say(f"{len(left)} left: {dict(Counter(run.state for run in left))}")
            if all(run.state in field.ENDED for run in left):
                break
            time.sleep(5)
        for run in left:
            self.wrong.append(f"{run.id} is {run.state}: {run.failure or run.status.message}")
        self.look()
        done = [run for run in api.runs(self.runs) if run.state == "done"]
        for run in done:
            if field.outcome(run.folder) != self.outcomes[run.config.training.seed]:
                self.wrong.append(f"{run.id} came to another end than an undisturbed run")
            self.wrong += [f"{run.id}: {name} was left over" for name in field.left_over(run.folder)]
        self.attempts = [run.status.attempt for run in done]

    def end(self) -> None:
        field.end_all(self.runs)
        self.cluster.kill()
        field.end_all(self.runs)
        if self.mounted:
            for process in psutil.process_iter():
                try:
                    if str(self.disk) in " ".join(process.cmdline()) and process.pid != os.getpid():
                        process.kill()
                except psutil.Error:
                    continue
            subprocess.run(["umount", "-l", str(self.disk)], check=False)


def fire(runs: int, seed: int, place: Path, say=lambda line: None) -> Field:
    """So many runs; faults are in `.wrong`."""
    os.environ.update(WORKBENCH_THREADS="1", WORKBENCH_CHECKPOINT_SECONDS="0.3", WORKBENCH_SPARES="0")
    made = Field(place, seed)
    say("The cluster is ready.")
    try:
        for number in range(runs):
            given = field.settings(made.tiny, steps=STEPS, seed=number % SEEDS)
            api.train(runs=made.runs, detach=True, on="lab", **given)
        for kind in BLOWS * 2:
            if not made.open_runs():
                break
            time.sleep(made.random.uniform(0.5, 1.5) * EVERY_SECONDS)
            made.strike(kind)
            made.look()
            say(f"{kind}: {len(made.open_runs())} left, {len(made.wrong)} wrong")
        made.settle(say)
    finally:
        made.end()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if why := missing():
        raise SystemExit(why)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="workbench-cluster-", ignore_cleanup_errors=True) as place:
        made = fire(asked.runs, asked.seed, Path(place), lambda line: print(line, flush=True))
    again = sum(attempt - 1 for attempt in made.attempts)
    minutes = (time.monotonic() - began) / 60
    print(
        f"{len(made.attempts)} of {asked.runs} runs done, {again} times queued again; {dict(made.blows)}; {minutes:.0f} minutes."
    )
    print("\n".join(dict.fromkeys(made.wrong)) or "Nothing was wrong.")
    return bool(made.wrong)


if __name__ == "__main__":
    raise SystemExit(main())
