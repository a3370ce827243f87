"""Results of a sweep: a table of cells and seeds, and its summary over seeds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from workbench.core.config import Value
from workbench.core.errors import unknown
from workbench.data.marks import of_scores
from workbench.data.references import named_by
from workbench.evaluation.sts import METHOD as STS
from workbench.statistics.paired_seeds import settings_over_seeds
from workbench.store import events, names
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.fitting import read_rows
from workbench.store.run import Run
from workbench.store.shapes import Probe, Score, Step
from workbench.sweeps.cells import BASELINE, TOURNAMENT

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.sweeps.store import Sweep

SUITE = "STS tasks, mean"
"""The name of the mean over the STS tasks in the folder that a run names."""
CHECKPOINTS = ("best", "last")


@dataclass(frozen=True)
class Measure:
    """A measure to rank runs by."""

    words: str
    higher: bool
    scale: float = 1.0
    """Values are shown times this."""

    on_pairs: bool = True
    ends: tuple[float, float] = (-math.inf, math.inf)
    """The lowest and the highest value that there is, at which intervals are cut."""


MEASURES = {
    "spearman": Measure("Spearman × 100", higher=True, scale=100.0, ends=(-1, 1)),
    "alignment": Measure("alignment, lower is better", higher=False),
    "uniformity": Measure("uniformity, lower is better", higher=False),
    "mean_cosine": Measure("mean cosine of random pairs", higher=False, ends=(-1, 1)),
    "isoscore": Measure("IsoScore", higher=True, ends=(0, 1)),
    "masked_loss": Measure("masked loss of a pretraining (nats), lower is better", higher=False, on_pairs=False),
    "masked_accuracy": Measure("masked accuracy of a pretraining", higher=True, on_pairs=False, ends=(0, 1)),
    "best_step": Measure("step of the best checkpoint, lower is better", higher=False, on_pairs=False),
    "best_samples": Measure("texts seen until the best checkpoint, lower is better", higher=False, on_pairs=False),
    "seconds": Measure("training seconds", higher=False, on_pairs=False),
}


def measure_of(name: str) -> Measure:
    """The measure with this name.

    Raises:
        UnknownName: there is none; names the nearest.
    """
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    return MEASURES[name]


def pair_sets(sweep: "Sweep") -> list[str]:
    """The pair sets that finished runs were scored on, first those that chose the best step."""
    names_: dict[str, None] = {}
    known = set[tuple[tuple[str, str], ...]]()
    for run in sweep.runs.values():
        rows = _rows(run)
        kinds = tuple((row["suite"], row.get("pairs", "")) for row in rows)
        if kinds in known or run.state != events.DONE or run.problem:
            continue
        known.add(kinds)  # the next run that was scored on the same adds nothing, and its configuration is not read
        scored = dict.fromkeys(row["pairs"] for row in rows if row["suite"] == "pairs" and "pairs" in row)
        chosen_on = [name for name in scored if any(named_by(ref, name) for ref in run.config.selection.pairs)]
        names_ |= dict.fromkeys([*chosen_on, *scored])
        names_ |= dict.fromkeys([SUITE] if any(row["suite"] == STS.id for row in rows) else [])
    return list(names_)


def value_of(run: Run, measure: str, pairs: str, checkpoint: str) -> float:
    """The measure of a finished run; NaN if it is not finished or has no such measure."""
    if run.state != events.DONE or (measure.startswith("best_") and run.problem):
        return math.nan
    if measure.startswith("masked_"):
        return _probed(run, measure, run.step_of(checkpoint))
    if measure.startswith("best_"):
        return _converged(run, measure.removeprefix("best_"))
    if not measure_of(measure).on_pairs:
        seconds = [row["seconds"] for row in read_rows(run.folder / names.STEPS, Step) if "seconds" in row]
        return sum(seconds) if seconds else math.nan
    return _scored(run, measure, pairs, checkpoint)


def _probed(run: Run, measure: str, step: int | None) -> float:
    """The measure of the probe at a step, on held-out text; NaN without one."""
    values = [row.get(measure) for row in read_rows(run.folder / names.PROBES, Probe) if row["step"] == step]
    value = values[-1] if values else None
    return float(value) if isinstance(value, int | float) else math.nan


def _converged(run: Run, counted: str) -> float:
    """Steps, or samples, until the chosen checkpoint; 0 if training did not improve on step 0, NaN if none was chosen."""
    if not run.config.selection.selects:
        return math.nan
    best = run.checkpoints.get("best")
    value = (best["step"] if counted == "step" else best.get("samples")) if best else None
    return float(value) if value is not None else math.nan


def _scored(run: Run, measure: str, pairs: str, checkpoint: str) -> float:
    suite = STS.id if pairs == SUITE else "pairs"
    values = [
        row.get(measure)
        for row in _rows(run)
        if (row["suite"], row["checkpoint"]) == (suite, checkpoint) and (suite == STS.id or row.get("pairs") == pairs)
    ]
    known = [float(value) for value in values if isinstance(value, int | float)]
    return sum(known) / len(known) if known and len(known) == len(values) else math.nan


def _rows(run: Run) -> list[Score]:
    """The rows of `Run.scores`, cached and without a table: a page reads those of hundreds of runs repeatedly."""
    path = run.folder / names.EVALUATIONS / SCORES
    try:
        about = path.stat()
    except OSError:
        return []
    return list(_read(path, about.st_mtime_ns, about.st_size))


@lru_cache(16_384)
def _read(path: Path, _mtime_ns: int, _size: int) -> tuple[Score, ...]:
    return tuple(score_rows(path))


def marks(sweep: "Sweep", pairs: str, checkpoint: str) -> list[str]:
    """The marks beside scores of runs that were trained on sentences or gold scores of the pair set."""
    suite = STS.id if pairs == SUITE else "pairs"
    words = (
        of_scores(row)
        for run in sweep.runs.values()
        for row in _rows(run)
        if (row["suite"], row["checkpoint"]) == (suite, checkpoint) and (suite == STS.id or row.get("pairs") == pairs)
    )
    return sorted(filter(None, set(words)))


class _Result(TypedDict):
    """The result of one run."""

    run: str
    state: str
    value: float
    untrained: float


def results(sweep: "Sweep", measure: str, *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
    """One row per cell: its axes, seed, run, state (`missing` without a run), value, and untrained (the value before step 1).

    `pairs` defaults to the first pair set that the runs were scored on. Stopped and failed runs have no value, since their
    budget differs. Prefer `summary` to compare settings.

    Raises:
        UnknownName: there is no such measure or checkpoint.
    """
    import pandas

    measure_of(measure)
    if checkpoint not in CHECKPOINTS:
        raise unknown("checkpoint", checkpoint, CHECKPOINTS)
    chosen = pairs or next(iter(pair_sets(sweep)), "")
    known: dict[str, _Result] = {}
    for key, run in sweep.runs.items():
        before = math.nan
        if measure.startswith("masked_"):
            before = _probed(run, measure, 0)
        elif measure_of(measure).on_pairs:
            before = _scored(run, measure, chosen, "step0")
        value = value_of(run, measure, chosen, checkpoint)
        known[key] = {"run": run.id, "state": run.state, "value": value, "untrained": before}
    nothing: _Result = {"run": "", "state": "missing", "value": math.nan, "untrained": math.nan}
    rows = [{**cell.axes, "seed": cell.seed, **known.get(cell.key, nothing)} for cell in sweep.cells]
    table = pandas.DataFrame(rows)
    table.attrs = {
        "measure": measure,
        "pairs": chosen if measure_of(measure).on_pairs else "",
        "checkpoint": checkpoint,
    }
    return table


def summary(sweep: "Sweep", measure: str, *, pairs: str = "", checkpoint: str = "best") -> "DataFrame":
    """One row per setting: its axes, wanted (number of seeds), and the columns of `settings_over_seeds`.

    Differences are paired over seeds, with the best setting of a grid, and with the run without augmentation in a
    tournament, so that they are the effect of each augmentation.

    Raises:
        UnknownName: there is no such measure or checkpoint.
    """
    table = results(sweep, measure, pairs=pairs, checkpoint=checkpoint)
    return summarised(table, list(sweep.over), baseline=baseline_of(sweep.kind))


def baseline_of(kind: str) -> dict[str, str]:
    """The axes of the setting that others are compared with; empty for the best one."""
    return {"augmentation": "", "role": BASELINE} if kind == TOURNAMENT else {}


def summarised(table: "DataFrame", axes: list[str], *, baseline: Mapping[str, Value] | None = None) -> "DataFrame":
    """`summary` of a table of `results`; intervals end where the measure does."""
    import pandas

    by_setting: dict[tuple[Value, ...], dict[int, float]] = {}
    counts: dict[tuple[Value, ...], int] = {}
    for *values, seed, value in zip(*(table[axis] for axis in axes), table["seed"], table["value"], strict=True):
        setting = tuple(values)
        counts[setting] = counts.get(setting, 0) + 1
        of_setting = by_setting.setdefault(setting, {})
        if not math.isnan(value):
            of_setting[int(seed)] = float(value)
    settings, scores, wanted = list(by_setting), list(by_setting.values()), list(counts.values())
    reference = None
    if baseline:
        reference = settings.index(tuple(baseline[axis] for axis in axes))
    about = measure_of(table.attrs["measure"])
    summary_table = pandas.DataFrame(settings, columns=axes, dtype=object)
    summary_table["wanted"] = wanted
    over = settings_over_seeds(scores, reference, higher=about.higher)
    least, most = about.ends
    over[["low", "high"]] = over[["low", "high"]].clip(least, most)
    over[["delta_low", "delta_high"]] = over[["delta_low", "delta_high"]].clip(least - most, most - least)
    summary_table = summary_table.join(over)
    summary_table.attrs = dict(table.attrs)
    return summary_table
