"""A tournament: a run per augmentation and role, all with the same budget, and one without augmentation."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from workbench.core import presets
from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting, unknown
from workbench.store.names import RunsFolder
from workbench.sweeps.axes import check_axes, meant_by, plain_changes
from workbench.sweeps.cells import BASELINE, NEGATIVE, POSITIVE, TOURNAMENT, Axes
from workbench.sweeps.planning import Asked, Plan, asked_for, planned, settled


def tournament(
    folder: RunsFolder,
    augmentations: Sequence[str],
    *,
    recipe: str = presets.RECIPE,
    roles: Sequence[str] = (POSITIVE, NEGATIVE),
    seeds: int = 1,
    backbone: str = "",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    changes: Mapping[str, object] | None = None,
) -> Plan:
    """The plan of each augmentation as positive (view b of `recipe`) and as negative, and of the recipe without one.

    All runs have the same steps, batch size, learning rate and seeds: the values of recipe and user hold for negatives too.
    Prefer it over `grid` to compare augmentations.

    Raises:
        BadSetting: there is no augmentation, or one twice; the recipe has no view b; or there are too many runs.
        WorkbenchError: a name or value cannot be used.
    """
    changes = plain_changes(changes)
    lines = tuple(str(line).strip() for line in augmentations)
    for role in roles:
        if role not in (POSITIVE, NEGATIVE):
            raise unknown("role", role, (POSITIVE, NEGATIVE))
    if not roles:
        raise BadSetting("A tournament needs a role.", rule="positive, negative, or both.")
    if "" in lines:
        raise BadSetting(
            "An augmentation of the tournament is empty.", rule="The run without augmentation is the baseline."
        )
    check_axes({"augmentation": lines, "role": tuple(roles)}, seeds)
    asked = asked_for(folder, recipe, backbone, corpus, official)
    base = settled(folder, asked, {})
    if base.pretrains or "b" not in base.terms[0].views:
        raise BadSetting(
            f"{recipe} has no view b in its first term." if base.terms else f"{recipe} has no views.",
            rule="An augmentation as positive is view b.",
            way_out=f"Choose a recipe with two views, such as {presets.RECIPE}.",
        )
    view = "terms.0.views.b.augmentation"
    kept = {key: value for key, value in changes.items() if meant_by(key, base) != view}
    plain = settled(folder, asked, {**kept, view: ""})
    settings: list[tuple[Axes, RunConfig]] = [({"augmentation": "", "role": BASELINE}, plain)]
    if POSITIVE in roles:
        settings += [
            ({"augmentation": line, "role": POSITIVE}, settled(folder, asked, {**kept, view: line})) for line in lines
        ]
    if NEGATIVE in roles:
        other: Asked = {**asked, "recipe": presets.NEGATIVES, "official": False}
        same = _same_budget(plain, settled(folder, other, {}))
        negatives = "terms.0.views.negatives.augmentation"
        settings += [
            ({"augmentation": line, "role": NEGATIVE}, settled(folder, other, {**same, negatives: line}))
            for line in lines
        ]
    axes = {"augmentation": lines, "role": tuple(roles)}
    title = name or f"Tournament of {len(lines)} augmentations, {recipe}"
    return planned(folder, TOURNAMENT, title, axes, settings, seeds, {**asked, "changes": kept})


def _same_budget(plain: RunConfig, other: RunConfig) -> dict[str, object]:
    """The changes with which `other` is trained, pooled and evaluated exactly as `plain` is."""
    changes: dict[str, object] = {}
    for section in ("model", "training", "augmenting", "selection", "probe", "evaluation"):
        wanted, current = asdict(getattr(plain, section)), asdict(getattr(other, section))
        changes |= {f"{section}.{key}": value for key, value in wanted.items() if current[key] != value}
    shared = plain.terms[0].settings.keys() & other.terms[0].settings.keys()
    return changes | {f"terms.0.settings.{key}": plain.terms[0].settings[key] for key in shared}
