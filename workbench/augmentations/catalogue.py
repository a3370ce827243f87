"""All augmentations: the names that a pipeline, a form or a command may use."""

from collections import Counter
from functools import cache

from workbench.augmentations import models, positions, states, text, vectors
from workbench.core.errors import BadMethod, BadSetting
from workbench.core.method import Method, find

LEVELS = {
    "text": text.METHODS,
    "models": models.METHODS,
    "positions": positions.METHODS,
    "states": states.METHODS,
    "vectors": vectors.METHODS,
}
"""In the order in which a pipeline applies them."""


def _one_name_each() -> None:
    """Leave out those of other packages that use an id of another level, or would change a published name or set.

    Raises:
        BadMethod: two files of the workbench have one name.
    """
    files = Counter(name for methods in LEVELS.values() for name in methods.keys() - methods.packages)
    if twice := next((name for name, count in files.items() if count > 1), ""):
        where = [f"augmentations/{level}/{twice}.py" for level, methods in LEVELS.items() if twice in methods]
        raise BadMethod(
            f"{' and '.join(where)} have one name.", rule="A pipeline names a step by it.", way_out="Rename one."
        )
    names = {name: "the workbench itself" for methods in LEVELS.values() for name in methods.keys() - methods.packages}
    included = [methods[name] for methods in LEVELS.values() for name in methods.keys() - methods.packages]
    names |= {alias: f"{method.id}, as its published name" for method in included for alias in _words(method, "alias")}
    published = {pool for method in included for pool in _words(method, "pools")}
    for level, methods in LEVELS.items():
        for name, package in list(methods.packages.items()):
            words = [name, *_words(methods[name], "alias")]
            taken = next((word for word in words if word in names), "")
            pool = next((word for word in _words(methods[name], "pools") if word in published), "")
            if taken:
                reason = f"the name {taken} is already used by {names[taken]}."
            elif pool:
                reason = f"the set {pool} is published and takes no further members."
            else:
                names |= dict.fromkeys(words, package)
                continue
            methods.leave_out(name, f"workbench.augmentations.{level}", reason)


def _words(method: Method, tag: str) -> list[str]:
    return method.tags.get(tag, "").split()


_one_name_each()
AUGMENTATIONS: dict[str, Method] = {name: method for level in LEVELS.values() for name, method in level.items()}


@cache
def _aliases() -> dict[str, str]:
    return {alias: name for name, method in AUGMENTATIONS.items() for alias in _words(method, "alias")}


@cache
def pools() -> dict[str, tuple[str, ...]]:
    """Published sets of augmentations by name, such as `augcse_12`: one member is drawn for each text."""
    members: dict[str, list[str]] = {}
    for name, method in AUGMENTATIONS.items():
        for pool in _words(method, "pools"):
            members.setdefault(pool, []).append(name)
    return {pool: tuple(names) for pool, names in sorted(members.items())}


def find_augmentation(name: str) -> Method:
    """The augmentation called `name`, or published under that name (`RandomCrop`).

    Raises:
        UnknownName: with the nearest ids.
    """
    return find(AUGMENTATIONS, "augmentation", _aliases().get(name, name))


def level(name: str) -> str:
    """The level an augmentation acts on: text, models (texts by a model), positions, states or vectors.

    Raises:
        BadSetting: no such augmentation.

    >>> level("eda_swap")
    'text'
    """
    for level_name, methods in LEVELS.items():
        if name in methods:
            return level_name
    raise BadSetting(f"{name} is not an augmentation.")
