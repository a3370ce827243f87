"""The axes of a sweep: their names and values, as people write them and as a configuration takes them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import Pipeline, Step, parse
from workbench.core.config import LONGEST_NAME, RunConfig, Value
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.plots.sweep_takeaway import value_label
from workbench.recipes.naming import meaning
from workbench.sweeps.cells import Axes

MOST_RUNS = 10_000
MOST_AXES = 2
WHOLE = ("recipe", "backbone", "corpus")
"""Axes other than the settings of a run."""
BETWEEN = " · "
"""Between the parts of a run's name."""


def short_axis(axis: str) -> str:
    """The short name of a dotted one.

    >>> short_axis("terms.0.settings.temperature"), short_axis("terms.0.views.b.augmentation"), short_axis("probe.every")
    ('temperature', 'augment_b', 'probe.every')
    >>> short_axis("terms.0.more.a.augmentation"), short_axis("terms.1.dropout")
    ('augment_more_a', 'dropout_term_2')
    """
    parts = axis.split(".")
    if parts[0] == "terms" and parts[2:3] in (["views"], ["more"]):
        of = f"more_{parts[3]}" if parts[2] == "more" else parts[3]
        return f"{'augment' if parts[4] == 'augmentation' else parts[4]}_{of}"
    if parts[0] == "terms" and parts[2:] in (["dropout"], ["masks"]):
        return f"{parts[2]}_term_{int(parts[1]) + 1}"
    if parts[0] == "terms":
        return parts[-1]
    return axis if parts[-1] == "every" or augmentation_of(axis) else parts[-1]


def run_label(axes: Axes, seed: int) -> str:
    """The name of a cell's run: its values as far as there is room, and the seed. Without commas, see `config.check_name`.

    >>> run_label({"terms.0.settings.temperature": 0.05, "recipe": "una"}, 3)
    'temperature 0.05 · recipe una · seed 3'
    """
    last = _of_seed(seed)
    values = BETWEEN.join(f"{short_axis(axis)} {value_label(value)}" for axis, value in axes.items())
    return values.replace(",", ";")[: LONGEST_NAME - len(last)] + last


def is_run_label(name: str, seed: int) -> bool:
    """Whether a name may be the `run_label` of a cell with this seed.

    >>> is_run_label("recipe una · seed 3", 3), is_run_label("una", 3)
    (True, False)
    """
    return name.endswith(_of_seed(seed))


def _of_seed(seed: int) -> str:
    return f"{BETWEEN}seed {seed}"


def values_of(over: Mapping[str, object]) -> dict[str, tuple[Value, ...]]:
    """The values of each axis.

    Raises:
        BadSetting: the values of an axis are not a list.
    """
    axes = {}
    for axis, values in over.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise BadSetting(
                f"The values of {axis} are not a list.",
                got=repr(values),
                way_out="Give a list, such as [0.03, 0.05, 0.1].",
            )
        axes[axis] = tuple(plain(value) for value in values)
    return axes


def check_axes(axes: Mapping[str, tuple[Value, ...]], seeds: int) -> None:
    """Check the axes of a sweep.

    Raises:
        BadSetting: there is no axis, or too many; an axis has no values, or one twice; or there are too many runs.
    """
    if not 1 <= len(axes) <= MOST_AXES:
        raise BadSetting(f"A grid has one or {MOST_AXES} axes.", got=str(len(axes)))
    for axis, values in axes.items():
        if not values:
            raise BadSetting(f"{axis} has no values.", way_out="Give at least one, such as 0.03, 0.05, 0.1.")
        if len(set(map(repr, values))) < len(values):
            raise BadSetting(f"{axis} has the same value twice.", got=", ".join(map(value_label, values))[:80])
    if seeds < 1:
        raise BadSetting("A sweep needs at least one seed.", got=str(seeds))
    count = seeds
    for values in axes.values():
        count *= len(values)
    if count > MOST_RUNS:
        sizes = " × ".join(str(len(values)) for values in axes.values())
        raise BadSetting(
            f"That would be {count:,} runs: {sizes} settings, {seeds} seed{'s' * (seeds > 1)} each.",
            rule=f"A sweep has at most {MOST_RUNS:,}.",
            way_out="Use fewer values or seeds; a finer sweep reuses the runs of a coarser one.",
        )


def augmentation_of(axis: str) -> str:
    """The augmentation of an axis such as `arc_masks.rate`, which sets it in all views; empty for other axes."""
    name, _, rest = axis.partition(".")
    return name if rest and "." not in rest and name in AUGMENTATIONS else ""


def lines_with(config: RunConfig, inner: Mapping[str, Value]) -> dict[str, str]:
    """The pipelines, by dotted name, that change if the settings `inner` of augmentations are set in all views.

    Raises:
        BadSetting: no view uses one of the augmentations.
    """
    changed_lines: dict[str, str] = {}
    used = set()
    for number, term in enumerate(config.terms):
        for kind, views in (("views", term.views), ("more", term.more)):
            for label, view in views.items():
                steps = []
                for step in parse(view.augmentation).steps:
                    changed, names_ = _with(step, inner)
                    used |= names_
                    steps.append(changed)
                line = str(Pipeline(tuple(steps)))
                if line != view.augmentation:
                    changed_lines[f"terms.{number}.{kind}.{label}.augmentation"] = line
    for axis in inner.keys() - used:
        raise BadSetting(f"No view uses {axis.partition('.')[0]}.", way_out="Use it in a view first.")
    return changed_lines


def _with(step: Step, inner: Mapping[str, Value]) -> tuple[Step, set[str]]:
    """A step with the values of its own axes, and the names of those axes."""
    if step.choices:
        parts = [_with(choice, inner) for choice in step.choices]
        return replace(step, choices=tuple(choice for choice, _ in parts)), set().union(*(axes for _, axes in parts))
    values = {axis: value for axis, value in inner.items() if augmentation_of(axis) == step.name}
    changed = {axis.partition(".")[2]: value for axis, value in values.items()}
    return replace(step, settings=step.method.check({**step.settings, **changed})), set(values)


def meant_by(name: str, base: RunConfig) -> str:
    """The dotted name of a setting in a run, or the name itself if the run has no such setting."""
    try:
        return meaning(name, base.terms)
    except WorkbenchError:  # a setting that only exists with another change
        return name


def plain(value: object) -> Value:
    """The value as a plain Python one: NumPy numbers become numbers, and other objects text."""
    number = value.item() if hasattr(value, "item") else value
    return number if isinstance(number, bool | int | float | str) else str(number)


def plain_changes(changes: Mapping[str, object] | None) -> dict[str, object]:
    """The changes as JSON has them: tuples become lists."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in (changes or {}).items()}
