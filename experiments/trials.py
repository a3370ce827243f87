"""The trials behind the card of `mini-mlm`: which pooling and which learning rate the first run has.

`python -m experiments.trials` trains the default recipe on the demo sentences once for each pooling at one learning rate, then
once for each further rate with the pooling that scored best, and prints a table. Only demo:dev is scored; demo:test is not read.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.core import presets

POOLINGS = ("mean", "cls", "first_last", "static_last", "last2")
RATES = (5e-5, 3e-5, 7e-5, 1e-4, 2e-4)
"""The first is that of the trials of poolings."""
STEPS = 100
SEED = 0
PAIRS = "demo:dev"


@dataclass(frozen=True)
class Trial:
    """One training; scores are Spearman, -1 to 1, and the interval is that of the paired difference over pairs."""

    pooling: str
    learning_rate: float
    before: float
    after: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """After minus before."""
        return self.after - self.before


def trial(pooling: str, learning_rate: float, runs: Path, *, steps: int = STEPS) -> Trial:
    """Train once, and compare the last step with the encoder before fine-tuning on PAIRS."""
    from workbench import api
    from workbench.statistics.bootstrap import paired_difference

    settings: dict[str, Any] = {
        "model.pooling": pooling,
        "model.eval_pooling": pooling,
        "learning_rate": learning_rate,
        "steps": steps,
        "seed": SEED,
        "selection.metric": "none",
        "probe.every": steps,
        "probe.pairs": PAIRS,
        "evaluation.pairs": (PAIRS,),
    }
    run = api.train(presets.RECIPE, backbone=presets.TARGET, corpus="demo", runs=runs, **settings)
    parts = dict(list(run.cosines().sort_values("row").groupby("checkpoint")))
    gold, before, after = parts["step0"]["gold"], parts["step0"]["cosine"], parts["last"]["cosine"]
    difference = paired_difference(before.to_numpy(), after.to_numpy(), gold.to_numpy(), seed=SEED)
    scores = run.scores.set_index("checkpoint")["spearman"]
    return Trial(pooling, learning_rate, float(scores["step0"]), float(scores["last"]), difference.low, difference.high)


def trials(runs: Path, *, steps: int = STEPS) -> Iterator[Trial]:
    """The poolings at the first rate, then the other rates with the pooling that scored best."""
    first = []
    for pooling in POOLINGS:
        first.append(trial(pooling, RATES[0], runs, steps=steps))
        yield first[-1]
    best = max(first, key=lambda done: done.after).pooling
    for rate in RATES[1:]:
        yield trial(best, rate, runs, steps=steps)


def line(done: Trial) -> str:
    """A row of the table, scores x 100."""
    before, after, gain, low, high = (
        100 * value for value in (done.before, done.after, done.gain, done.low, done.high)
    )
    return f"| `{done.pooling}` | {done.learning_rate:g} | {before:.1f} | {after:.1f} | {gain:+.1f} ({low:.1f} to {high:.1f}) |"


def main(arguments: list[str] | None = None) -> int:
    """Run all trials and print them as they end; about a minute each on two cores."""
    parser = argparse.ArgumentParser(prog="python -m experiments.trials", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", default="", help="keep the runs in this folder; otherwise they are deleted")
    asked = parser.parse_args(arguments)
    print(
        f"{presets.RECIPE} from {presets.TARGET}, {STEPS} steps on the demo sentences, seed {SEED}; scored on {PAIRS}\n"
    )
    print("| pooling | learning rate | before | after | difference (95 %, over pairs) |\n|---|---|---|---|---|")
    # The folder's compute process may still be writing while the folder is removed.
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        for done in trials(Path(asked.runs or scratch).resolve()):
            print(line(done), flush=True)
    return 0


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
