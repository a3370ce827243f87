"""A curve of runs that differ in one setting: one line for each of its values."""

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
    setting (its value as text), runs (how many have it).

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
        parts.append(
            table.groupby(window, as_index=False)
            .agg({"step": "max", "x": "mean", "value": "mean", "low": "mean", "high": "mean", "n": "min"})
            .assign(measure=curve, target=chosen[0].id, setting=value, runs=len(chosen))
        )
    if not parts:
        return pandas.DataFrame(columns=["measure", "target", "step", "x", "value", "low", "high", "setting", "runs"])
    table = pandas.concat(parts, ignore_index=True)
    order = sorted(groups, key=_order)
    return table.sort_values(
        ["setting", "step"], key=lambda column: column.map(order.index) if column.name == "setting" else column
    ).reset_index(drop=True)


def _order(value: str) -> tuple[float, str]:
    """Numbers by their size, then words."""
    try:
        return float(value), ""
    except ValueError:
        return float("inf"), value
