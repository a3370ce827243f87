"""Several augmentations at once: by name, or in groups such as all rule-based ones."""

from collections.abc import Sequence

from workbench.augmentations.catalogue import LEVELS, find_augmentation
from workbench.core.errors import WorkbenchError
from workbench.previews import scan_lines
from workbench.previews.perturbation import DROPOUT
from workbench.ui.kit.address import choose_several

RULES, INSIDE = "rules", "inside"
"""Choices that stand for all available rule-based augmentations, and for dropout and all steps inside the encoder."""


def pick_pipelines(key: str, start: Sequence[str], *, inside: bool = False) -> list[str]:
    """Text augmentations, those that run a model labelled as such; `inside` also offers those inside the encoder.

    Whole pipelines can be typed in.
    """
    names = [RULES, *(name for level in ("text", "models") for name in LEVELS[level])]
    said = "By default all rule-based ones. A pipeline can be typed in: `eda_swap(rate=0.2) + typo_noise@0.5`."
    if inside:
        names = [RULES, INSIDE, *names[1:], *scan_lines.inside_lines()]
        said = "By default all that need no other model. " + said.split(". ", 1)[1][:-1] + ", or `dropout(rate=0.3)`."
    return choose_several("Augmentations", names, key=key, start=start, shown=choice_title, help=said)


def choice_title(name: str) -> str:
    """The label of a choice."""
    if name in (RULES, INSIDE):
        return {RULES: "All rule-based", INSIDE: "All inside the encoder"}[name]
    if name == DROPOUT.id:
        return DROPOUT.title
    try:
        method = find_augmentation(name)
    except WorkbenchError:  # a pipeline that was typed in
        return name
    return method.title + next((f" ({label})" for level, label in _LEVELS.items() if name in LEVELS[level]), "")


_LEVELS = {"models": "model", "positions": "positions", "states": "token states", "vectors": "vectors"}


def chosen_pipelines(chosen: Sequence[str]) -> list[str]:
    """The chosen pipelines, without duplicates."""
    groups = {RULES: scan_lines.default_pipelines, INSIDE: scan_lines.inside_lines}
    lines = [line for choice in chosen for line in (groups[choice]() if choice in groups else [choice])]
    return list(dict.fromkeys(lines))
