"""The curves of several runs in one table: what was logged and probed, by step or by seconds of training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig
from workbench.data.references import set_name
from workbench.store import names
from workbench.store.differences import settings_but_seed
from workbench.store.listed import stamp
from workbench.store.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BY_STEPS = ("loss", "accuracy", "learning_rate", "gradient_norm")
"""What every step logs."""
BY_PROBES = ("spearman", "alignment", "uniformity", "mean_cosine", "masked_loss", "masked_accuracy")
"""What probes measure."""
_LOGGED = "losses."
_MOST_KEPT = 128
"""Runs whose curves are kept."""


@dataclass(frozen=True)
class Repetitions:
    """Runs that differ in nothing but the seed, newest first; one run if it has not been repeated."""

    runs: tuple[Run, ...]
    """Each with a seed of its own."""
    again: tuple[Run, ...] = ()
    """Runs with the settings and the seed of one of these, which are no further sample."""

    @property
    def id(self) -> str:
        """The id of the newest."""
        return self.runs[0].id


def repetitions(runs: Sequence[Run]) -> list[Repetitions]:
    """The runs in groups that differ in nothing but the seed. A damaged run is left out.

    Of several with one seed the one that got furthest counts, of those the newest.
    """
    groups: dict[str, dict[int, list[Run]]] = {}
    for run in runs:
        if not run.problem:
            groups.setdefault(settings_but_seed(run), {}).setdefault(run.config.training.seed, []).append(run)
    return [_counted(list(by_seed.values())) for by_seed in groups.values()]


def _counted(by_seed: Sequence[Sequence[Run]]) -> Repetitions:
    """The runs of each seed, of which one counts."""
    counted = [
        runs[0] if len(runs) == 1 else max(runs, key=lambda run: (run.progress.step, run.id)) for runs in by_seed
    ]
    ids = {run.id for run in counted}
    again = {run.id: run for runs in by_seed for run in runs if run.id not in ids}
    return Repetitions(tuple(sorted(counted, key=lambda run: run.id, reverse=True)), tuple(again.values()))


def measures(runs: Sequence[Run]) -> list[str]:
    """The names of everything that at least one of the runs has a curve of: `BY_STEPS`, terms and figures of objectives,
    then `BY_PROBES`.
    """
    known = {name for run in runs if not run.problem for name in _curves(run).columns}
    terms = sorted(known.difference(BY_STEPS, BY_PROBES))
    return [name for name in (*BY_STEPS, *terms, *BY_PROBES) if name in known]


def curve_table(
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    seconds: bool = False,
    repeated: bool = True,
    deviation: bool = False,
    window: int = 1,
) -> "DataFrame":
    """One row per measure, series and step: measure, target (the id of its newest run), step, x, value, low, high, n (runs
    that got so far), on (the pairs of its probes, empty for other measures).

    With a `window` of more than one step, what every step logs is the mean of that step and those before it, at most `window`
    of them and taken in each run alone, and `raw` is what was logged at the step itself; probes stay as they are, without it.
    With `repeated`, runs that differ in nothing but the seed are one series, see `repetitions`: `value` is their mean at each
    step, and low to high their range; with `deviation`, one standard deviation (n - 1) to either side. A single run has no low
    and high. x is the step, or the seconds spent in steps until then, without probes and evaluations (of several runs their
    mean).
    """
    import pandas

    groups = repetitions(runs) if repeated else [Repetitions((run,)) for run in runs if not run.problem]
    read = [(group, [_curves(run) for run in group.runs]) for group in groups]
    parts = []
    for measure in measures:
        for group, curves in read:
            known = [table for curve in curves if len(table := curve.of(measure, window))]
            if known:
                parts.append(
                    _joined(known, seconds, deviation).assign(
                        measure=measure, target=group.id, on=_pairs_of(group, measure)
                    )
                )
    columns = ["measure", "target", "step", "x", "value", *(["raw"] if window > 1 else []), "low", "high", "n", "on"]
    return pandas.concat(parts, ignore_index=True)[columns] if parts else pandas.DataFrame(columns=columns)


def _pairs_of(group: Repetitions, measure: str) -> str:
    """What the probes of these runs measure on, whose values on other texts cannot be compared; empty for what steps log."""
    config = group.runs[0].config
    if measure not in BY_PROBES or config.pretrains:
        return ""
    return set_name(config.probe.pairs) or "texts of the corpus"


def _joined(curves: "Sequence[DataFrame]", seconds: bool, deviation: bool) -> "DataFrame":
    """One row per step: step, x, value, low, high, n, raw."""
    import pandas

    by_step = pandas.concat(curves).groupby("step")
    value, count = by_step["value"].mean(), by_step["value"].count()
    if deviation:
        sd = by_step["value"].std(ddof=1)
        low, high = value - sd, value + sd
    else:
        low, high = by_step["value"].min(), by_step["value"].max()
    several = count > 1
    x = by_step["seconds"].mean() if seconds else value.index.to_series().astype(float)
    table = {"x": x, "value": value, "low": low.where(several), "high": high.where(several), "n": count}
    table["raw"] = by_step["raw"].mean()
    return pandas.DataFrame(table).reset_index()


def _curves(run: Run) -> "_Curves":
    """Everything that one run logged and measured, kept until one of its files changes."""
    return _read(run.folder, *(stamp(run.folder / file) for file in (names.CONFIG, names.STEPS, names.PROBES)))


@lru_cache(_MOST_KEPT)
def _read(folder: Path, *_stamps: str) -> "_Curves":
    return _Curves(Run(folder))


class _Curves:
    """See `_curves`. Its tables belong to all callers, which leave them as they are."""

    def __init__(self, run: Run) -> None:
        self.steps, self.probes = run.steps, run.probes
        self.columns = {name: (self.steps, name) for name in _measured(self.steps, BY_STEPS)}
        several = len(run.config.terms) > 1
        for column in map(str, self.steps):
            number, _, rest = column.removeprefix(_LOGGED).partition(".")
            # The only term is the loss itself.
            if column.startswith(_LOGGED) and (several or "." in rest) and self.steps[column].notna().any():
                self.columns[_named(run.config, number, rest)] = self.steps, column
        self.columns |= {name: (self.probes, name) for name in _measured(self.probes, BY_PROBES)}
        self.made: dict[tuple[str, int], DataFrame] = {}
        """What `of` returned."""

    @cached_property
    def seconds(self) -> "Mapping[int, float] | Series[float]":
        """Seconds in steps until the end of each step."""
        return _seconds(self.steps)

    def of(self, measure: str, window: int) -> "DataFrame":
        """Columns step, value, raw and seconds (in steps until then); empty if it has no such curve."""
        import pandas

        if measure not in self.columns:
            return pandas.DataFrame(columns=["step", "value", "raw", "seconds"])
        if (measure, window) not in self.made:
            source, column = self.columns[measure]
            table = pandas.DataFrame({"step": source["step"], "value": source[column].astype(float)}).dropna()
            table = table.drop_duplicates("step", keep="last").assign(raw=float("nan"))
            if window > 1 and measure not in BY_PROBES:
                table = table.assign(value=table["value"].rolling(window, min_periods=1).mean(), raw=table["value"])
            self.made[measure, window] = table.assign(seconds=table["step"].map(self.seconds))
        return self.made[measure, window]


def _seconds(steps: "DataFrame") -> "Mapping[int, float] | Series[float]":
    """Seconds in steps until the end of each step; step 0 is at 0."""
    if "seconds" not in steps or "step" not in steps:
        return {0: 0.0}
    spent = steps.drop_duplicates("step", keep="last").set_index("step")["seconds"].astype(float).fillna(0.0).cumsum()
    spent.loc[0] = 0.0
    return spent


def _named(config: RunConfig, number: str, rest: str) -> str:
    """A term or a figure of it: its method, and its number if another term has the same one.

    So the same loss of two recipes is one measure, whatever its place among the terms.
    """
    method = rest.partition(".")[0]
    alike = sum(term.name == method for term in config.terms)
    return f"term {int(number) + 1} {rest}" if alike > 1 and number.isdigit() else rest


def _measured(table: "DataFrame", names: Sequence[str]) -> list[str]:
    return [name for name in names if name in table and table[name].notna().any()]
