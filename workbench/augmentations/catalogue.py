"""All augmentations under one roof: what a pipeline, a form or a command may name."""

from functools import cache

from workbench.augmentations import models, positions, states, text, vectors
from workbench.core.errors import BadSetting
from workbench.core.method import Method, find

LEVELS = {
    "text": text.METHODS,
    "models": models.METHODS,
    "positions": positions.METHODS,
    "states": states.METHODS,
    "vectors": vectors.METHODS,
}
"""In the order in which a pipeline goes through them."""

AUGMENTATIONS: dict[str, Method] = {name: method for level in LEVELS.values() for name, method in level.items()}


@cache
def _aliases() -> dict[str, str]:
    return {alias: name for name, found in AUGMENTATIONS.items() for alias in found.tags.get("alias", "").split()}


@cache
def pools() -> dict[str, tuple[str, ...]]:
    """Published sets of augmentations by name, such as `augcse_12`: one member is drawn for each text."""
    found: dict[str, list[str]] = {}
    for name, method in AUGMENTATIONS.items():
        for pool in method.tags.get("pools", "").split():
            found.setdefault(pool, []).append(name)
    return {pool: tuple(names) for pool, names in sorted(found.items())}


def find_augmentation(name: str) -> Method:
    """The augmentation called `name`, or published under that name (`RandomCrop`).

    Raises:
        UnknownName: with the nearest ids.
    """
    return find(AUGMENTATIONS, "augmentation", _aliases().get(name, name))


def level(name: str) -> str:
    """On what an augmentation acts: text, models (texts by a model), positions, states or vectors.

    >>> level("eda_swap")
    'text'
    """
    for found, methods in LEVELS.items():
        if name in methods:
            return found
    raise BadSetting(f"{name} is not an augmentation.")
