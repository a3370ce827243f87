"""What a sweep found: one table of cells and seeds, and each setting over its seeds."""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import unknown
from workbench.data.marks import of_scores
from workbench.evaluation.sts import METHOD as STS
from workbench.statistics.paired_seeds import settings_over_seeds
from workbench.store import events, names
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.run import Run
from workbench.store.shapes import Probe, Score, Step, read_rows
from workbench.sweeps.cells import BASELINE, TOURNAMENT

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.sweeps.store import Sweep

SUITE = "STS tasks, mean"
"""Stands for the mean over the tasks of the folder that a run names."""
CHECKPOINTS = ("best", "last")


@dataclass(frozen=True)
class Measure:
    """What can be chosen to rank by."""

    words: str
    higher: bool
    scale: float = 1.0
    """What is shown is the value times this."""
    on_pairs: bool = True


MEASURES = {
    "spearman": Measure("Spearman × 100", higher=True, scale=100.0),
    "alignment": Measure("alignment, lower is better", higher=False),
    "uniformity": Measure("uniformity, lower is better", higher=False),
    "mean_cosine": Measure("mean cosine of random pairs", higher=False),
    "isoscore": Measure("IsoScore", higher=True),
    "masked_loss": Measure("masked loss of a pretraining (nats), lower is better", higher=False, on_pairs=False),
    "masked_accuracy": Measure("masked accuracy of a pretraining", higher=True, on_pairs=False),
    "best_step": Measure("step of the best checkpoint, lower is better", higher=False, on_pairs=False),
    "best_samples": Measure("texts seen until the best checkpoint, lower is better", higher=False, on_pairs=False),
    "seconds": Measure("training seconds", higher=False, on_pairs=False),
}


def measure_of(name: str) -> Measure:
    """The measure called `name`.

    Raises:
        UnknownName: with the nearest.
    """
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    return MEASURES[name]


def pair_sets(sweep: "Sweep") -> list[str]:
    """The pair sets that its finished runs were scored on, those that chose the best step first."""
    found: dict[str, None] = {}
    for run in sweep.runs.values():
        if run.state != events.DONE or run.problem:
            continue
        rows = _rows(run)
        chosen = {pairs.partition("@")[0] for pairs in run.config.selection.pairs}
        own = dict.fromkeys(row["pairs"] for row in rows if row["suite"] == "pairs" and "pairs" in row)
        found |= dict.fromkeys([*(name for name in own if name in chosen), *own])
        found |= dict.fromkeys([SUITE] if any(row["suite"] == STS.id for row in rows) else [])
    return list(found)


def value_of(run: Run, measure: str, pairs: str, checkpoint: str) -> float:
    """What a finished run measured; NaN if it is not finished or did not measure it."""
    if run.problem or run.state != events.DONE:
        return math.nan
    if measure.startswith("masked_"):
        return _looked(run, measure, run.step_of(checkpoint))
    if measure.startswith("best_"):
        return _converged(run, measure.removeprefix("best_"))
    if not measure_of(measure).on_pairs:
        seconds = [row["seconds"] for row in read_rows(run.folder / names.STEPS, Step) if "seconds" in row]
        return sum(seconds) if seconds else math.nan
    return _scored(run, measure, pairs, checkpoint)


def _looked(run: Run, measure: str, step: int | None) -> float:
    """What the look at a step found on held-out text; NaN where none was."""
    found = [row.get(measure) for row in read_rows(run.folder / names.PROBES, Probe) if row["step"] == step]
    value = found[-1] if found else None
    return float(value) if isinstance(value, int | float) else math.nan


def _converged(run: Run, counted: str) -> float:
    """Steps, or samples, until the checkpoint that the run's selection chose: step 0 where training brought nothing."""
    best = run.checkpoints.get("best")
    found = (best["step"] if counted == "step" else best.get("samples")) if best else None
    return float(found) if found is not None else math.nan


def _scored(run: Run, measure: str, pairs: str, checkpoint: str) -> float:
    suite = STS.id if pairs == SUITE else "pairs"
    own = [
        row.get(measure)
        for row in _rows(run)
        if (row["suite"], row["checkpoint"]) == (suite, checkpoint) and (suite == STS.id or row.get("pairs") == pairs)
    ]
    known = [float(value) for value in own if isinstance(value, int | float)]
    return sum(known) / len(known) if known and len(known) == len(own) else math.nan


def _rows(run: Run) -> list[Score]:
    """The rows of `Run.scores` without making a table of each: a page reads hundreds of them again and again."""
    path = run.folder / names.EVALUATIONS / SCORES
    try:
        about = path.stat()
    except OSError:
        return []
    return list(_read(path, about.st_mtime_ns, about.st_size))


@lru_cache(1024)
def _read(path: Path, _mtime_ns: int, _size: int) -> tuple[Score, ...]:
    return tuple(score_rows(path))


def marks(sweep: "Sweep", pairs: str, checkpoint: str) -> list[str]:
    """What stands beside scores, some runs of which were trained on the sentences or the gold scores of the pair set."""
    suite = STS.id if pairs == SUITE else "pairs"
    found = (
        of_scores(row)
        for run in sweep.runs.values()
        for row in _rows(run)
        if (row["suite"], row["checkpoint"]) == (suite, checkpoint) and (suite == STS.id or row.get("pairs") == pairs)
    )
    return sorted(filter(None, set(found)))


def results(sweep: "Sweep", measure: str, *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
    """One row a cell: its axes, seed, run, state (`missing` without a run), value and untrained, the same before step 1.

    `pairs` defaults to the first set that its runs were scored on. Stopped and failed runs have no value: their budget was
    another.

    Raises:
        UnknownName: no such measure or checkpoint.
    """
    import pandas

    measure_of(measure)
    if checkpoint not in CHECKPOINTS:
        raise unknown("checkpoint", checkpoint, CHECKPOINTS)
    chosen = pairs or next(iter(pair_sets(sweep)), "")
    there = sweep.runs
    known: dict[str, dict[str, Any]] = {}
    for key, run in there.items():
        before = math.nan
        if measure.startswith("masked_"):
            before = _looked(run, measure, 0)
        elif measure_of(measure).on_pairs and not run.problem:
            before = _scored(run, measure, chosen, "step0")
        value = value_of(run, measure, chosen, checkpoint)
        known[key] = {"run": run.id, "state": run.state, "value": value, "untrained": before}
    nothing = {"run": "", "state": "missing", "value": math.nan, "untrained": math.nan}
    rows = [{**cell.axes, "seed": cell.seed, **known.get(cell.key, nothing)} for cell in sweep.cells]
    table = pandas.DataFrame(rows)
    table.attrs = {
        "measure": measure,
        "pairs": chosen if measure_of(measure).on_pairs else "",
        "checkpoint": checkpoint,
    }
    return table


def summary(sweep: "Sweep", measure: str, *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
    """One row a setting: its axes, wanted (runs), then the columns of `settings_over_seeds`.

    A grid's reference is its best setting; a tournament's is the run without an augmentation, so rows say what each is worth.

    Raises:
        UnknownName: no such measure or checkpoint.
    """
    table = results(sweep, measure, pairs=pairs, checkpoint=checkpoint)
    return summarised(table, list(sweep.over), baseline=baseline_of(sweep.kind))


def baseline_of(kind: str) -> dict[str, str]:
    """The place on the axes of what a sweep's settings are held against; empty for the best one."""
    return {"augmentation": "", "role": BASELINE} if kind == TOURNAMENT else {}


def summarised(table: "DataFrame", axes: list[str], *, baseline: dict[str, Any] | None = None) -> "DataFrame":
    """See `summary`; `table` as from `results`."""
    import pandas

    places: list[tuple[Any, ...]] = list(dict.fromkeys(zip(*(table[axis] for axis in axes), strict=True)))
    scores: list[dict[int, float]] = []
    wanted = []
    for place in places:
        rows = table
        for axis, value in zip(axes, place, strict=True):
            rows = rows[rows[axis] == value]
        wanted.append(len(rows))
        known = rows.dropna(subset=["value"])
        scores.append({int(seed): float(value) for seed, value in zip(known["seed"], known["value"], strict=True)})
    reference = None
    if baseline:
        reference = places.index(tuple(baseline[axis] for axis in axes))
    higher = measure_of(table.attrs["measure"]).higher
    found = pandas.DataFrame(places, columns=axes, dtype=object)
    found["wanted"] = wanted
    found = found.join(settings_over_seeds(scores, reference, higher=higher))
    found.attrs = dict(table.attrs)
    return found
