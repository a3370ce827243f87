"""A grid: every combination of the values of one or two settings."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from workbench.core.config import Value
from workbench.core.errors import BadSetting
from workbench.recipes.linked_settings import moved
from workbench.recipes.naming import meaning
from workbench.store.names import RunsFolder
from workbench.sweeps.axes import (
    WHOLE,
    augmentation_of,
    check_axes,
    lines_with,
    meant_by,
    plain_changes,
    short_axis,
    values_of,
)
from workbench.sweeps.cells import GRID
from workbench.sweeps.planning import Plan, asked_for, planned, settled
from workbench.sweeps.reading import read, taken_by


def grid(
    folder: RunsFolder,
    recipe: str,
    over: Mapping[str, Sequence[Value]],
    *,
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    changes: Mapping[str, Any] | None = None,
) -> Plan:
    """Every combination of the values of one or two settings, each with `seeds` seeds.

    A value is what its setting takes it for: `on` a word or a switch, `none` a word or nothing. What belongs together moves
    together, see `workbench.recipes.linked_settings`.

    Raises:
        BadSetting: no axis, too many, an axis without values or with one twice, or too many runs.
        WorkbenchError: a name or value that cannot be used, or a corpus that lacks what a recipe needs.
    """
    changes = plain_changes(changes)
    axes = values_of(over)
    check_axes(axes, seeds)
    asked = asked_for(folder, recipe, backbone, corpus, official)
    base = settled(folder, {**asked, **{axis: axes[axis][0] for axis in axes if axis in WHOLE}}, {})
    terms = _terms(folder, asked, axes, changes)
    meant = {axis: axis if axis in WHOLE or augmentation_of(axis) else meaning(axis, terms) for axis in axes}
    if len(set(meant.values())) < len(meant):
        raise BadSetting("Both axes are the same setting.", got=" and ".join(axes))
    for dotted in meant.values():
        if dotted in ("training.seed", "name"):
            raise BadSetting(f"{dotted} is no axis.", way_out="Seeds are repeated: say how many.")
    axes = {axis: tuple(read(value, taken_by(meant[axis], terms)) for value in values) for axis, values in axes.items()}
    check_axes(axes, seeds)  # once more: `on` and `true` may be one value
    over_all = {one for dotted in meant.values() for one in (dotted, *moved(dotted, terms))}
    kept = {key: value for key, value in changes.items() if meant_by(key, base) not in over_all}
    settings = []
    for values in product(*axes.values()):
        place = dict(zip(axes, values, strict=True))
        whole = {axis: str(value) for axis, value in place.items() if axis in WHOLE}
        own = {axis: value for axis, value in place.items() if axis not in WHOLE and not augmentation_of(axis)}
        config = settled(folder, {**asked, **whole}, kept | own)
        if inner := {axis: value for axis, value in place.items() if augmentation_of(axis)}:
            config = settled(folder, {**asked, **whole}, kept | own | lines_with(config, inner))
        settings.append((place, config))
    title = name or f"{asked['recipe']}: {' × '.join(map(short_axis, axes))}"
    return planned(folder, GRID, title, axes, settings, seeds, {**asked, "changes": kept}, sorted(meant.values()))


def _terms(folder: RunsFolder, asked: Mapping[str, Any], axes: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
    """The terms in which an axis is looked up: those of the first cell as far as they are the user's."""
    whole = {axis: str(values[0]) for axis, values in axes.items() if axis in WHOLE}
    losses = {axis: values[0] for axis, values in axes.items() if axis.endswith("loss")}
    kept = {key: value for key, value in changes.items() if key not in axes}
    return settled(folder, {**asked, **whole}, kept | losses).terms
