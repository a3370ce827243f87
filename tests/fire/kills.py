"""Kill -9 the processes of one runs folder at random moments, and check that nothing is lost.

    python -m tests.fire.kills --cycles 200 --seed 0 [--pretraining]

Worker, supervisor, compute process and command line are killed over and over, alone or all at once, while runs train and
texts are encoded. After each kill every run folder is looked at; in the end every run must have come to the same losses,
model and scores as one that nobody disturbed, and every process must have gone by itself.
"""

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import psutil

from tests.fire import field
from workbench import api

STEPS = 300
OPEN = 3
"""The number of runs that are running or waiting at a time."""
PATIENCE_SECONDS = 240
KINDS = ("worker", "worker", "worker", "supervisor", "compute", "workbench", "all")
"""Who is killed: a worker as often as all others together."""


class Field:
    """One runs folder over all cycles."""

    def __init__(
        self, place: Path, seed: int, *, steps: int = STEPS, most_open: int = OPEN, pretraining: bool = False
    ) -> None:
        self.random, self.most_open = random.Random(seed), most_open
        self.tiny = field.world(place / "tiny")
        self.pretraining = pretraining
        self.recipes = (field.PRETRAINING,) * len(field.RECIPES) if pretraining else field.RECIPES
        given = field.settings(self.tiny, steps=steps)
        self.given = field.pretraining(self.tiny, given) if pretraining else given
        self.runs = place / "runs"
        self.calm = place / "calm"
        self.outcomes: dict[tuple[str, int], dict[str, object]] = {}
        self.history: dict[str, bytes] = {}
        self.commands: list[subprocess.Popen[str]] = []
        self.kills: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.started = 0
        self.text = ""
        """The last that was encoded."""

    def begin(self, recipe: str, seed: int, *, runs: Path, detach: bool = False) -> api.Run:
        """Begin a run, and wait for its end unless it is detached."""
        begin = api.pretrain if self.pretraining else api.train
        return begin(recipe=recipe, runs=runs, detach=detach, **{**self.given, "seed": seed})

    def run_calmly(self, recipe: str, seed: int) -> None:
        """The outcome of an undisturbed run."""
        run = self.begin(recipe, seed, runs=self.calm)
        self.outcomes[recipe, seed] = field.outcome(run.folder)

    def open_runs(self) -> list[api.Run]:
        return [run for run in api.runs(self.runs) if run.state != "done"]

    def resume_all(self) -> list[api.Run]:
        """Resume every run that ended before it was done; the runs that are not done. One may become done meanwhile."""
        left = self.open_runs()
        for run in left:
            if run.state in field.RESUMABLE:
                api.resume(run, runs=self.runs)
        return left

    def cycle(self, kind: str = "") -> None:
        """Keep work going, wait, kill one, check, and resume what was lost. One of a kind that is named is waited for."""
        self.resume_all()
        for _ in range(self.most_open - len(self.open_runs())):
            recipe, seed = self.random.choice(list(self.outcomes))
            self.started += 1
            if self.started % 2:
                verb, given = "pretrain" if self.pretraining else "train", field.flags({**self.given, "seed": seed})
                self.commands.append(field.command(verb, "--recipe", recipe, *given, runs=self.runs))
            else:
                self.begin(recipe, seed, runs=self.runs, detach=True)
        self.text = f"A sentence of cycle {sum(self.kills.values())}."
        self.commands.append(field.command("encode", self.text, "--target", str(self.tiny / "bert"), runs=self.runs))
        time.sleep(self.random.choice((self.random.uniform(0, 1.5), self.random.uniform(0, 6))))
        deadline = time.monotonic() + PATIENCE_SECONDS / 4
        while kind not in ("", "all", *map(field.kind, field.processes(self.runs))) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.kill(kind or self.random.choice(KINDS))
        self.look()

    def kill(self, kind: str) -> None:
        """Kill one process of a kind, or all processes; any process if there is none of the kind."""
        there = [process for process in field.processes(self.runs) if field.kind(process)]
        chosen = there if kind == "all" else [process for process in there if field.kind(process) == kind]
        if kind != "all":
            chosen = [self.random.choice(chosen or there)] if there else []
        for process in chosen:
            self.kills[field.kind(process)] += 1
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(chosen, timeout=5)
        for command in list(self.commands):
            if command.poll() is not None:
                output = command.communicate()[0]
                if "Traceback" in output:
                    self.wrong.append(f"a command ended in a traceback: {output[-2000:]}")
                self.commands.remove(command)

    def look(self) -> None:
        """Check everything that must hold now."""
        for run in api.runs(self.runs):
            self.wrong += field.wrong_with_files(run.folder) + field.wrong_with_state(run)
            events, before = (run.folder / "events.jsonl").read_bytes(), self.history.get(run.id, b"")
            if not events.startswith(before):
                self.wrong.append(f"{run.id}: its events are not those of before with more behind them")
            self.history[run.id] = events
            if run.problem:
                self.wrong.append(f"{run.id}: {run.problem}")

    def settle(self) -> None:
        """Let everything finish, and compare."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := self.resume_all()) and time.monotonic() < deadline:
            time.sleep(0.5)
        self.wrong += [f"{run.id} is still {run.state} after {PATIENCE_SECONDS} s" for run in left]
        self.look()
        for command in self.commands:
            output = command.communicate(timeout=60)[0]
            if command.returncode or "Traceback" in output:
                self.wrong.append(f"a command ended with {command.returncode}: {output[-2000:]}")
        done = [run for run in api.runs(self.runs) if run.state == "done"]
        for run in done:
            key = (run.config.recipe, run.config.training.seed)
            if field.outcome(run.folder) != self.outcomes[key]:
                self.wrong.append(f"{run.id} came to another end than an undisturbed run")
            self.wrong += [f"{run.id}: {name} was left over" for name in field.left_over(run.folder)]
        time.sleep(2.5)  # the supervisor's next look at the folders
        if rows := field.index_of(self.runs):
            self.wrong.append(f"the queue still has {rows}, and nothing waits")
        if count := api.reindex(self.runs):
            self.wrong.append(f"reindex finds {count} runs that wait, and the queue had none")
        self.finished = len(done)

    def leave(self) -> None:
        """Check that every process ends by itself once nobody needs it, without a zombie."""
        deadline = time.monotonic() + 60
        while (left := field.processes(self.runs)) and time.monotonic() < deadline:
            time.sleep(0.5)
        self.wrong += [f"process {process.pid} ({field.kind(process)}) did not end" for process in left]
        api.runs(self.runs)
        api.encode([self.text], target=str(self.tiny / "bert"), runs=self.runs)  # stored; collects ended services
        if ended := field.zombies():
            self.wrong.append(f"zombies: {ended}")


def fire(
    cycles: int,
    seed: int,
    place: Path,
    say: Callable[[str], None] = lambda line: None,
    *,
    kinds: Sequence[str] = (),
    pretraining: bool = False,
    **smaller: int,
) -> Field:
    """Run that many cycles, of which the first kill the given kinds; faults are in `.wrong`. `smaller` is for `Field`."""
    os.environ.update(WORKBENCH_THREADS="1", WORKBENCH_CHECKPOINT_SECONDS="0.3", WORKBENCH_IDLE_SECONDS="6")
    made = Field(place, seed, pretraining=pretraining, **smaller)
    try:
        for number, recipe in enumerate(made.recipes if cycles > 20 else made.recipes[:1]):
            made.run_calmly(recipe, number)
        for number in range(cycles):
            made.cycle(kinds[number] if number < len(kinds) else "")
            if number % 10 == 9:
                say(f"{number + 1} cycles, {dict(made.kills)}, {len(made.wrong)} wrong")
        made.settle()
        made.leave()
    finally:
        for runs in (made.runs, made.calm):
            field.end_all(runs)
        for command in made.commands:  # some are left after an error; what they said is not needed then
            command.communicate()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pretraining", action="store_true", help="Of runs that train a masked language model.")
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="workbench-kills-") as place:
        say = partial(print, flush=True)
        made = fire(asked.cycles, asked.seed, Path(place), say, pretraining=asked.pretraining)
    kills = ", ".join(f"{count} of {kind}" for kind, count in made.kills.most_common())
    minutes = (time.monotonic() - began) / 60
    print(f"{asked.cycles} cycles, kills: {kills}; {made.finished} runs finished; {minutes:.0f} minutes.")
    print("\n".join(dict.fromkeys(made.wrong)) or "Nothing was wrong.")
    return bool(made.wrong)


if __name__ == "__main__":
    raise SystemExit(main())
