"""A curve of runs that differ in one setting: one line for each of its values."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.store.curves import curve_table, measures, repetitions
from workbench.store.differences import settings_of
from workbench.store.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

WINDOWS = 20
"""Most points of a line: what is logged at each step is a mean over one batch, and jumps."""


def having(runs: Sequence[Run], curve: str, setting: str) -> list[Run]:
    """Those of the runs that have the curve and the setting; damaged ones have neither."""
    return [run for run in runs if not run.problem and setting in settings_of(run.config) and curve in measures([run])]


def curve_by_setting(runs: Sequence[Run], curve: str, setting: str, windows: int = WINDOWS) -> "DataFrame":
    """The curve over training, one series per value of the setting, of runs as from `having`; columns as for `plots.overlay`, and
    setting (its value as text), runs (how many have it), epoch (x in passes over the corpus; missing where its size is unknown),
    classes (how many the term of the setting tells apart; missing for other terms).

    Runs that differ in nothing but the seed are one series, with a band from the lowest to the highest. Where runs of one value
    differ in more, the series with most runs stands for it, of equally many the newest. Each value is the mean over a window of
    steps, of which there are at most `windows`.
    """
    import pandas

    groups: dict[str, list[Run]] = {}
    for group in sorted(repetitions(runs), key=lambda group: (len(group.runs), group.id)):
        groups[settings_of(group.runs[0].config)[setting]] = list(group.runs)  # the last one stays
    parts = []
    for value, chosen in groups.items():
        table = curve_table(chosen, [curve])
        width = max(1, -(-int(table["step"].max()) // windows))
        window = (table["step"] - 1).clip(lower=0) // width
        steps = _steps_of_an_epoch(chosen[0])
        parts.append(
            table.groupby(window, as_index=False)
            .agg({"step": "max", "x": "mean", "value": "mean", "low": "mean", "high": "mean", "n": "min"})
            .assign(measure=curve, target=chosen[0].id, setting=value, runs=len(chosen))
            .assign(epoch=lambda rows, steps=steps: rows["x"] / steps, classes=_classes(chosen[0], setting))
        )
    if not parts:
        names = ["measure", "target", "step", "x", "value", "low", "high", "setting", "runs", "epoch", "classes"]
        return pandas.DataFrame(columns=names)
    table = pandas.concat(parts, ignore_index=True)
    order = sorted(groups, key=_order)
    return table.sort_values(
        ["setting", "step"], key=lambda column: column.map(order.index) if column.name == "setting" else column
    ).reset_index(drop=True)


def _steps_of_an_epoch(run: Run) -> float:
    """Steps in which a run sees its corpus once: as logged, or where it saw no second epoch by the size of the corpus."""
    steps, config = run.steps, run.config
    epochs = steps["epoch"].dropna() if "epoch" in steps else steps["step"].iloc[:0]
    if len(epochs) and epochs.max() > epochs.min():
        return float((epochs == epochs.min()).sum())
    return float(config.corpus.rows // config.training.batch_size or math.nan)


def _classes(run: Run, setting: str) -> float:
    """How many kinds of texts the term that a setting belongs to tells apart: each that it names, and none of them."""
    section, number, *_ = [*setting.split("."), "", ""]
    terms = run.config.terms
    if section != "terms" or not number.isdigit() or int(number) >= len(terms):
        return math.nan
    named = terms[int(number)].settings.get("kinds")
    return len(str(named).split()) + 1 if named else math.nan


def _order(value: str) -> tuple[float, str]:
    """Numbers by their size, then words."""
    try:
        return float(value), ""
    except ValueError:
        return float("inf"), value
