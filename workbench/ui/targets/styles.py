"""Colour, symbol and dash of each target: the same in every view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.plots.template import Style
from workbench.store.names import runs_folder
from workbench.targets import styles
from workbench.targets.target import parse, split
from workbench.ui.kit.theme import dark
from workbench.ui.targets.names import is_untrained, target_name

if TYPE_CHECKING:
    from pandas import DataFrame


def styles_of(targets: Sequence[str]) -> dict[str, Style]:
    """Colour, symbol and dash of each target, in the theme of the session, see `workbench.targets.styles`."""
    untrained = [target for target in targets if is_untrained(target)]
    trained = {name: _lasting(name) for name in targets if name not in untrained}
    return styles.styles_of(trained, untrained, dark=dark())


def _lasting(target: str) -> str:
    """What a target is called whatever it was typed as; see `styles.spelled`."""
    parts = split(target)
    if styles.made_elsewhere(parts.name):
        try:
            return styles.spelled(parse(target, runs_folder()))
        except WorkbenchError:  # it cannot be used, but has a row in a table
            return target
    checkpoint = "" if parts.checkpoint == "best" else parts.checkpoint
    return str(replace(parts, name=api.run(parts.name).id, checkpoint=checkpoint))


def colour_of(target: str) -> str:
    """The colour of a target in every view."""
    return styles_of([target])[target].colour


def labelled(table: "DataFrame") -> "DataFrame":
    """A table with the column target, and for each the label and whether it is untrained, as figures need it."""
    targets = dict.fromkeys(table["target"])  # naming one looks its run up on the disk
    labels = {target: target_name(target) for target in targets}
    untrained = {target: is_untrained(target) for target in targets}
    return table.assign(
        label=[labels[target] for target in table["target"]],
        untrained=[untrained[target] for target in table["target"]],
    )
