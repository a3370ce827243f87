"""How often the intervals and tests of workbench.statistics are right, by simulation from distributions whose truth is known.

`python -m experiments.coverage [--sets 1000] [--out FILE]` prints a line for each question. For each seed, a method is a
bivariate normal distribution of gold and score: Spearman's rho is then 6 / pi asin(r / 2) of its correlation r, so that the mean
over all seeds is known. Of the variance of the scores that gold leaves over, a quarter differs from seed to seed; the rest
belongs to the pair.

Those pairs are independent. `python -m experiments.coverage --linked FILE ... [--encoders NAME ...]` measures what changes where
sentences recur in a pair set: how many times larger the standard deviations of rho, and of the difference of two encoders, are
over resampled groups of linked pairs than over resampled pairs (see `workbench.statistics.linked_pairs`).
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.statistics.bootstrap import paired_difference, resampled, spearman_interval, weighted_rhos
from workbench.statistics.correlation import spearman
from workbench.statistics.linked_pairs import group_of_pairs
from workbench.statistics.pairs_and_seeds import difference_over_seeds, mean_over_seeds, resampled_rhos

SEEDS = (3, 5, 10)
RATIOS = (0.1, 1, 4, 16, 100)
"""Of the variance over seeds to that over pairs."""
PAIRS, RESAMPLES = 600, 300
POWER_RESAMPLES = 1000
"""With fewer, the least p and its steps cost power."""
MEAN = 0.3
"""The mean rho over all seeds: in the middle of the range that 100 times the variance over pairs leaves."""
SHARED = 0.75
POWERS = (0.0, 1.0, 2.0, 2.8, 4.0)
"""True differences in standard errors; 2.8 is found with 80 %."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Coverage:
    """The share of simulated sets whose interval contains the truth, and of those that the percentile bootstrap's contains."""

    what: str
    sets: int
    covered: float
    percentile: float

    def __str__(self) -> str:
        return f"{self.what}: {self.covered:.1%} (percentile bootstrap {self.percentile:.1%}, n = {self.sets})"


def correlation(rho: float) -> float:
    """The correlation of a bivariate normal distribution whose Spearman's rho is `rho`."""
    return 2 * math.sin(math.pi * rho / 6)


def scores(rho: float, gold: Vector, of_pairs: Vector, rng: np.random.Generator) -> Vector:
    """Scores of one training of a method on pairs with those golds, and that difficulty of each pair."""
    noise = math.sqrt(SHARED) * of_pairs + math.sqrt(1 - SHARED) * rng.normal(size=len(gold))
    r = correlation(rho)
    return np.asarray(r * gold + math.sqrt(1 - r * r) * noise)


def deviation_over_pairs(rho: float = MEAN, sets: int = 400) -> float:
    """The standard deviation of rho over sets of pairs, by simulation."""
    rng = np.random.default_rng(0)
    rhos = []
    for _ in range(sets):
        gold, of_pairs = rng.normal(size=(2, PAIRS))
        rhos.append(spearman(scores(rho, gold, of_pairs, rng), gold))
    return float(np.std(rhos, ddof=1))


def over_seeds(sets: int) -> Iterator[Coverage]:
    """Of the mean over seeds, and of its paired difference between two methods; the percentile bootstrap resamples both."""
    deviation = deviation_over_pairs()
    for ratio in RATIOS:
        rng = np.random.default_rng(int(ratio))
        spread = math.sqrt(ratio) * deviation
        hits: dict[tuple[str, int], list[tuple[bool, bool]]] = {}
        for _ in range(sets):
            gold, first, second = rng.normal(size=(3, PAIRS))
            most = max(SEEDS)
            rows = []
            for of_pairs in (first, second):
                rhos = np.clip(rng.normal(MEAN, spread, most), MEAN - 0.67, MEAN + 0.67)  # symmetrical: the mean stays
                rows.append(
                    np.stack(
                        [resampled_rhos(scores(rho, gold, of_pairs, rng), gold, resamples=RESAMPLES) for rho in rhos]
                    )
                )
            drawn = int(rng.integers(0, 2**31))
            for seeds in SEEDS:
                mine, other = rows[0][:seeds], rows[1][:seeds]
                mean = mean_over_seeds(mine)
                hits.setdefault(("mean", seeds), []).append(
                    (mean.low <= MEAN <= mean.high, _percentile(mine, MEAN, drawn))
                )
                difference = difference_over_seeds(mine, other, paired=True)
                hits.setdefault(("paired difference", seeds), []).append(
                    (difference.low <= 0 <= difference.high, _percentile(other - mine, 0.0, drawn))
                )
        for (what, seeds), each in hits.items():
            shares = np.mean(each, axis=0)
            yield Coverage(f"{what}, {seeds} seeds, ratio {ratio:g}", sets, float(shares[0]), float(shares[1]))


def _percentile(rows: Vector, truth: float, drawn: int) -> bool:
    """Whether the percentile bootstrap over seeds and pairs contains the truth."""
    rng = np.random.default_rng(drawn)
    chosen = rng.integers(len(rows), size=(rows.shape[1] - 1, len(rows)))
    means = rows[chosen, np.arange(1, rows.shape[1])[:, None]].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return bool(low <= truth <= high)


def over_pairs(sets: int) -> Iterator[Coverage]:
    """Of Spearman's rho, and of its paired difference between two encoders: both are percentile bootstraps over pairs."""
    for rho, other in ((0.3, 0.3), (0.7, 0.75), (0.85, 0.8)):
        rng = np.random.default_rng(7)
        hits = []
        for _ in range(sets):
            gold, of_pairs = rng.normal(size=(2, PAIRS))
            one, two = (scores(each, gold, of_pairs, rng) for each in (rho, other))
            low, high = spearman_interval(one, gold, resamples=RESAMPLES)
            difference = paired_difference(one, two, gold, resamples=RESAMPLES)
            hits.append((low <= rho <= high, difference.low <= other - rho <= difference.high))
        shares = np.mean(hits, axis=0)
        yield Coverage(f"rho of {rho:g}", sets, float(shares[0]), float(shares[0]))
        yield Coverage(f"difference of {other:g} from {rho:g}", sets, float(shares[1]), float(shares[1]))


def null_p_values(sets: int, seeds: int) -> Vector:
    """p of no difference of two methods that are equally good, with as many seeds each, which are paired."""
    rng = np.random.default_rng(seeds)
    spread = deviation_over_pairs() if seeds > 1 else 0.0
    values = []
    for _ in range(sets):
        gold, first, second = rng.normal(size=(3, PAIRS))
        sides = [
            np.stack(
                [
                    resampled_rhos(scores(rho, gold, of_pairs, rng), gold, resamples=RESAMPLES)
                    for rho in rng.normal(MEAN, spread, seeds)
                ]
            )
            for of_pairs in (first, second)
        ]
        values.append(difference_over_seeds(sides[0], sides[1], paired=True).p)
    return np.asarray(values)


def power(sets: int) -> Iterator[tuple[float, float, float]]:
    """For true differences in standard errors: the share found at 5 %, and Phi(d - 1.96) + Phi(-d - 1.96)."""
    from scipy.special import ndtr

    deltas = []
    rng = np.random.default_rng(11)
    for _ in range(4000):  # known to about 1 %, which is 1 point of power
        gold, first, second = rng.normal(size=(3, PAIRS))
        rhos = [spearman(scores(MEAN, gold, own, rng), gold) for own in (first, second)]
        deltas.append(rhos[1] - rhos[0])
    error = float(np.std(deltas, ddof=1))
    for distance in POWERS:
        found = 0
        for _ in range(sets):
            gold, first, second = rng.normal(size=(3, PAIRS))
            one = scores(MEAN - distance * error / 2, gold, first, rng)
            two = scores(MEAN + distance * error / 2, gold, second, rng)
            found += paired_difference(one, two, gold, resamples=POWER_RESAMPLES).p < 0.05
        yield distance, found / sets, float(ndtr(distance - 1.96) + ndtr(-distance - 1.96))


def widened(
    cosines: Sequence[Vector], gold: Vector, group: NDArray[np.int64], resamples: int, seed: int
) -> tuple[list[float], list[float]]:
    """How many times larger standard deviations are over resampled groups than over resampled pairs: of the rho of each encoder,
    and of the difference of every two.

    `group` is the group of each pair. A resample of groups has another number of pairs, so their weights are scaled to it.
    """
    pairs, groups = len(gold), int(group.max()) + 1
    by_pair = [weighted_rhos(counts, cosines, gold) for counts in resampled(pairs, resamples, seed)]
    weights = (counts[group] for counts in resampled(groups, resamples, seed))
    by_group = [weighted_rhos(own * (pairs / own.sum(axis=0)), cosines, gold) for own in weights]
    one, other = np.concatenate(by_pair, axis=1), np.concatenate(by_group, axis=1)
    every_two = list(combinations(range(len(cosines)), 2))
    single = other.std(axis=1) / one.std(axis=1)
    differences = [float(np.std(other[b] - other[a]) / np.std(one[b] - one[a])) for a, b in every_two]
    return [float(ratio) for ratio in single], differences


def over_groups(files: Sequence[str], encoders: Sequence[str], repeats: int = 5) -> Iterator[dict[str, Any]]:
    """`widened` on each pair set, the mean of `repeats` bootstraps and their standard deviation."""
    from workbench.data.pairs import load_pairs
    from workbench.models.load import load
    from workbench.scoring.pair_scores import Scored

    for file in files:
        known = load_pairs(file)
        scored = Scored([known])
        cosines = [scored.cosines(load(name).encode(scored.texts)) for name in encoders]
        group, gold = group_of_pairs(known.first, known.second), np.asarray(known.gold, np.float64)
        found = [widened(cosines, gold, group, POWER_RESAMPLES, seed) for seed in range(repeats)]
        row: dict[str, Any] = {"pairs": known.name, "n": len(gold), "groups": int(group.max()) + 1}
        for name, values in zip(("rho", "difference"), zip(*found, strict=True), strict=True):
            table = np.asarray(values)
            row[name], row[f"{name}_spread"] = table.mean(axis=0).tolist(), table.std(axis=0, ddof=1).tolist()
        yield row


def main(arguments: list[str] | None = None) -> int:
    """Simulate, and print what was covered."""
    parser = argparse.ArgumentParser(prog="python -m experiments.coverage", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sets", type=int, default=1000, help="simulated sets for each row")
    parser.add_argument("--out", default="", help="write every figure to this JSON file")
    parser.add_argument(
        "--linked", nargs="+", default=[], help="pair sets: only measure what recurring sentences change"
    )
    parser.add_argument("--encoders", nargs="+", default=["minilm-l3", "minilm-l6", "mini-mlm"], help="two or more")
    asked = parser.parse_args(arguments)
    if asked.linked:
        for measured in over_groups(asked.linked, asked.encoders):
            print(json.dumps(measured), flush=True)
        return 0
    start, rows = time.perf_counter(), []
    for question in (over_pairs, over_seeds):
        for row in question(asked.sets):
            rows.append(vars(row))
            print(
                f"{row.what}: {row.covered:.1%} (percentile bootstrap {row.percentile:.1%}, n = {row.sets})", flush=True
            )
    made: dict[str, Any] = {"coverage": rows, "null": [], "power": []}
    for seeds in (1, 3, 5):
        values = null_p_values(asked.sets, seeds)
        shares = {level: float((values < level).mean()) for level in (0.01, 0.05, 0.1, 0.5)}
        made["null"].append({"seeds": seeds, "shares": shares})
        print(
            f"no difference, {seeds} seeds: p below " + ", ".join(f"{at}: {share:.1%}" for at, share in shares.items())
        )
    for distance, found, closed in power(asked.sets):
        made["power"].append({"distance": distance, "power": found, "closed_form": closed})
        print(
            f"a difference of {distance:g} standard errors: detected {found:.1%}, closed form {closed:.1%}", flush=True
        )
    print(f"{time.perf_counter() - start:.0f} s")
    if asked.out:
        Path(asked.out).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
