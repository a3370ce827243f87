"""The curves of the selected runs over each other."""

from collections.abc import Sequence

import streamlit as st

from workbench import api
from workbench.store.curves import BY_PROBES, BY_STEPS, Repetitions, curve_table, measures, repetitions
from workbench.store.names import SLOTS
from workbench.targets.methods import said_of_again
from workbench.ui.kit.address import bound_field, choose_button, choose_several, follow_defaults
from workbench.ui.kit.figures import show_made
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import fragment, quiet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count
from workbench.ui.targets.names import BETWEEN, run_name
from workbench.ui.targets.styles import styles_of

_START = ("loss", "spearman", "uniformity", "mean_cosine", "masked_loss")
"""What is drawn first, as far as the runs have it."""
_LIVE_SECONDS = 5
MOST_LINES = SLOTS
"""Lines in a panel: more would share colour, symbol and dash."""
_AXES = {"step": "Steps", "seconds": "Seconds of training"}
_WINDOWS = (10, 50, 200)
"""Steps of a running mean."""
_SPREADS = {"range": "Lowest to highest", "sd": "± 1 standard deviation"}
_TITLES = {
    "loss": "Loss",
    "accuracy": "In-batch accuracy",
    "spearman": "Spearman",
    "masked_loss": "Masked loss",
    "masked_accuracy": "Masked accuracy",
}


def show_curves(runs: Sequence[api.Run]) -> None:
    """Everything that was logged and probed, of all runs in one figure; refreshed while one of them is live."""
    live = any(run.live for run in runs)

    @fragment(run_every=_LIVE_SECONDS if live else None)
    def part() -> None:
        _show(runs)

    part()


def show_all_curves(run: api.Run) -> None:
    """Everything that one run logged and probed, of which the figures above draw a part; in an expander."""
    if part := folded("All curves: terms, figures of objectives, learning rate", key=f"all.{run.id}"):
        with part:
            _show([run])


def _show(runs: Sequence[api.Run]) -> None:
    from workbench.plots.overlay import overlay

    known = measures(runs)
    if not known:
        none = "This run has not" if len(runs) == 1 else "None of these runs has"
        quiet(f"{none} taken a step yet: the curves start with the first.")
        return
    groups = repetitions(runs)
    start = [name for name in _START if name in known] or known[:1]
    pretrained = all(not run.problem and run.config.pretrains for run in runs)
    key = "curves.pretraining" if pretrained else "curves"  # they have few in common
    chosen = choose_several(
        "Curves", known, key=key, start=follow_defaults(key, start), shown=measure_name, typed=False
    )
    repeated, spread = False, "range"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        axis = choose_button("By", list(_AXES), key="by", start="step", shown=_AXES.__getitem__)
        window = _window(max(run.progress.step for run in runs))
        if any(len(group.runs) > 1 for group in groups):
            repeated = bound_field(
                st.toggle, "Seeds as one band", key="band", start=True, help="Runs that differ in nothing but the seed."
            )
            if repeated:
                spread = choose_button(
                    "The band is", list(_SPREADS), key="spread", start="range", shown=lambda name: _SPREADS[name]
                )
    if not chosen:
        quiet("Choose a curve to draw.")
        return
    lines = [list(group.runs) for group in groups] if repeated else [[run] for run in runs if not run.problem]
    if len(lines) > MOST_LINES:
        quiet(
            f"The first {count(MOST_LINES)} of {count(len(lines))} lines are drawn, those of the newest runs: no more can be "
            "told apart. Select fewer runs to see the others."
        )
    drawn = [run for line in lines[:MOST_LINES] for run in line]
    if repeated:
        for line in said_of_again(run_name(run) for group in groups for run in group.again):
            quiet(line)
    table = curve_table(
        drawn, chosen, seconds=axis == "seconds", repeated=repeated, deviation=spread == "sd", window=window
    )
    if table.empty:
        quiet("These runs have no values of that.")
        return
    labels = {group.id: _label(group) for group in groups} if repeated else {run.id: run_name(run) for run in runs}
    table = table.assign(label=table["target"].map(labels))
    mine = styles_of(list(dict.fromkeys(table["target"])))
    words = {name: measure_name(name) for name in chosen}
    named = "step" if axis == "step" else "seconds in training steps, without probes and evaluations"
    show_made(
        lambda: overlay(table, axis=named, dark=dark(), styles=mine, words=words),
        table,
        named,
        mine,
        words,
        key="overlaid",
        caption=" ".join([*([_caption(repeated, spread)] if len(runs) > 1 else []), *_smoothed(window, chosen)]),
        data=table,
    )


def measure_name(measure: str) -> str:
    """The name of a curve: a term's loss after its method, a figure of an objective after both.

    >>> measure_name("mean_cosine"), measure_name("objective.dropped_share"), measure_name("term 2 loss_name")
    ('Mean cosine', 'objective: dropped share', 'term 2 loss_name, weighted')
    """
    if measure in _TITLES:
        return _TITLES[measure]
    term, _, figure = measure.partition(".")
    if figure:
        return f"{term}: {figure.replace('_', ' ')}"
    return measure.replace("_", " ").capitalize() if measure in (*BY_STEPS, *BY_PROBES) else f"{measure}, weighted"


def _label(group: Repetitions) -> str:
    """The name of a series: the newest run, and how many seeds its mean is over."""
    several = f"{BETWEEN}mean of {len(group.runs)} seeds" if len(group.runs) > 1 else ""
    return f"{run_name(group.runs[0])}{several}"


def _window(steps: int) -> int:
    """Over how many steps curves are averaged, if the longest run has enough of them for a choice; 1 is not at all."""
    offered = {"off": 1} | {str(window): window for window in _WINDOWS if 2 * window <= steps}
    if len(offered) == 1:
        return 1
    chosen = choose_button(
        "Mean over steps",
        list(offered),
        key="window",
        start="off",
        shown=str.capitalize,
        help="Each point is then the mean of its step and those before it, and the faint line what was logged. Probes stay as "
        "they are.",
    )
    return offered[chosen]


def _smoothed(window: int, chosen: Sequence[str]) -> list[str]:
    if window == 1 or not set(chosen).difference(BY_PROBES):
        return []
    return [
        f"What steps log: means of up to {window} steps, over the faint lines of each step; probes are not averaged."
    ]


def _caption(repeated: bool, spread: str) -> str:
    if not repeated:
        return "One line for each run."
    band = (
        "from the lowest to the highest seed" if spread == "range" else "one standard deviation (n − 1) to either side"
    )
    return f"Lines are means over seeds, at each step over the runs that got so far; bands reach {band}."
