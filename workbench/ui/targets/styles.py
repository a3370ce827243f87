"""Colour, symbol and dash of each target: the same in every view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench import api
from workbench.plots.template import Style
from workbench.targets import styles
from workbench.targets.target import split
from workbench.ui.kit.theme import dark
from workbench.ui.targets.names import is_untrained, target_name
from workbench.ui.targets.raw import model_folder

if TYPE_CHECKING:
    from pandas import DataFrame


def styles_of(targets: Sequence[str]) -> dict[str, Style]:
    """Colour, symbol and dash of each target, in the theme of the session, see `workbench.targets.styles`."""
    untrained = [target for target in targets if is_untrained(target)]
    trained = {name: _lasting(name) for name in targets if name not in untrained}
    return styles.styles_of(trained, untrained, dark=dark())


def _lasting(target: str) -> str:
    """A target spelled with the id of its run; the default checkpoint, the best, is not named."""
    parts = split(target)
    if model_folder(parts.name):
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
