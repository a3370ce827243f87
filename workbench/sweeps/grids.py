"""A grid: every combination of the values of one or two settings."""

from collections.abc import Mapping, Sequence
from itertools import product

from workbench.core.config import Term, Value
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
from workbench.sweeps.planning import Asked, Plan, asked_for, planned, settled
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
    changes: Mapping[str, object] | None = None,
) -> Plan:
    """The plan of every combination of the values of one or two settings, each with `seeds` seeds.

    Values are read as their setting takes them: `on` may be a word or a switch, `none` a word or an empty one. Linked
    settings change together, see `workbench.recipes.linked_settings`.

    Raises:
        BadSetting: there is no axis, or too many; an axis has no values, or one twice; or there are too many runs.
        WorkbenchError: a name or value cannot be used, or the corpus lacks what the recipe needs.
    """
    changes = plain_changes(changes)
    axes = values_of(over)
    check_axes(axes, seeds)
    asked = asked_for(folder, recipe, backbone, corpus, official)
    base = settled(folder, asked, {}, {axis: str(axes[axis][0]) for axis in axes if axis in WHOLE})
    terms = _terms(folder, asked, axes, changes)
    meant = {axis: axis if axis in WHOLE or augmentation_of(axis) else meaning(axis, terms) for axis in axes}
    if len(set(meant.values())) < len(meant):
        raise BadSetting("Both axes are the same setting.", got=" and ".join(axes))
    for dotted in meant.values():
        if dotted in ("training.seed", "name"):
            raise BadSetting(f"{dotted} cannot be an axis.", way_out="Repeat runs with seeds instead.")
    axes = {axis: tuple(read(value, taken_by(meant[axis], terms)) for value in values) for axis, values in axes.items()}
    check_axes(axes, seeds)  # again, since `on` and `true` may be the same value
    over_all = {name for dotted in meant.values() for name in (dotted, *moved(dotted, terms))}
    kept = {key: value for key, value in changes.items() if meant_by(key, base) not in over_all}
    settings = []
    for values in product(*axes.values()):
        cell = dict(zip(axes, values, strict=True))
        whole = {axis: str(value) for axis, value in cell.items() if axis in WHOLE}
        set_here = {axis: value for axis, value in cell.items() if axis not in WHOLE and not augmentation_of(axis)}
        config = settled(folder, asked, kept | set_here, whole)
        if inner := {axis: value for axis, value in cell.items() if augmentation_of(axis)}:
            config = settled(folder, asked, kept | set_here | lines_with(config, inner), whole)
        settings.append((cell, config))
    title = name or f"{asked['recipe']}: {' × '.join(map(short_axis, axes))}"
    return planned(folder, GRID, title, axes, settings, seeds, {**asked, "changes": kept}, sorted(meant.values()))


def _terms(
    folder: RunsFolder, asked: Asked, axes: Mapping[str, tuple[Value, ...]], changes: Mapping[str, object]
) -> tuple[Term, ...]:
    """The terms in which the names of axes are looked up: those of the first cell, before other axes are applied."""
    whole = {axis: str(values[0]) for axis, values in axes.items() if axis in WHOLE}
    losses = {axis: values[0] for axis, values in axes.items() if axis.endswith("loss")}
    kept = {key: value for key, value in changes.items() if key not in axes}
    return settled(folder, asked, kept | losses, whole).terms
