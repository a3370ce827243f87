"""A figure of a paper that is a curve of runs, drawn from those that are in the runs folder."""

import math

from workbench import api
from workbench.data.paper_figures import PaperFigure
from workbench.store.by_setting import WINDOWS, curve_by_setting, having
from workbench.store.lookup import NEWEST
from workbench.store.names import runs_folder
from workbench.ui.kit.figures import show
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count


def own_runs(entry: PaperFigure) -> None:
    """The curve of the figure over training, one line for each value of its setting; read once somebody opens it."""
    part = folded("Drawn from your own runs", key=f"own.{entry.id}")
    if not part:
        return
    with part:
        runs = having(api.runs(newest=NEWEST), entry.logged, entry.setting)
        if (every := len(runs_folder().newest_names())) > NEWEST:
            quiet(f"Only the newest {count(NEWEST)} of {count(every)} runs were searched.")
        if not runs:
            quiet("No run here has this curve yet. The link above fills the form that trains them.")
            return
        _curves(entry, runs)


def _curves(entry: PaperFigure, runs: list[api.Run]) -> None:
    from workbench.plots.overlay import overlay
    from workbench.plots.template import styles

    name = entry.setting.rpartition(".")[2]
    table = curve_by_setting(runs, entry.logged, entry.setting)
    table["label"] = [
        f"{name} {value}" + (f", mean of {count} seeds" if count > 1 else "")
        for value, count in zip(table["setting"], table["runs"], strict=True)
    ]
    colours = styles(list(dict.fromkeys(table["target"])), dark=dark())
    figure = entry.logged.partition(".")[2].replace("_", " ")
    by_epoch = bool(table["epoch"].notna().all())
    classes = set(table["classes"])
    count = classes.pop() if len(classes) == 1 else math.nan
    even = None if count != count else (1 / count, f"guessing evenly among its {count:.0f} classes")
    show(
        overlay(
            table.assign(x=table["epoch"]) if by_epoch else table,
            axis="epoch" if by_epoch else "step",
            dark=dark(),
            styles=colours,
            words={entry.logged: f"{figure} over training"},
            level=even,
        ),
        key=f"own.figure.{entry.id}",
        caption=f"{len(runs):,} run{'s' * (len(runs) != 1)}; each point is the mean of a window of steps, at most {WINDOWS} in "
        "all" + ("; always naming the most frequent class reaches more than guessing evenly" if even else ""),
        data=table,
    )
