"""Draws: one augmented text for a seed, a draw number and a text, whatever else is drawn around it."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import normalised
from workbench.core.method import Method, find
from workbench.core.seeds import text_rng


class Draw(NamedTuple):
    """The augmented text, and whether it differs from the original with its white space tidied."""

    text: str
    changed: bool


Drawer = Callable[[str, int], Draw]


def method(name: str) -> Method:
    """The text augmentation called `name`, or published under that name (`RandomCrop`).

    Raises:
        UnknownName: with the nearest ids.
    """
    return find(METHODS, "text augmentation", _aliases().get(name, name))


def drawer(name: str, *, seed: int, **settings: Any) -> Drawer:
    """A function (text, draw number) -> Draw with the settings checked once: what a loop over texts calls.

    Raises:
        UnknownName: no such augmentation or setting.
        BadSetting: a setting out of range.
    """
    found = method(name)
    checked = found.check(settings)
    fn, key = found.fn, found.id

    def one(text: str, draw: int = 0) -> Draw:
        result = fn(text, **checked, rng=text_rng(seed, key, draw, text))
        return Draw(result, result != normalised(text))

    return one


def draw(name: str, text: str, *, seed: int, draw: int = 0, **settings: Any) -> Draw:
    """One draw. It depends on seed, method, draw number and text only, so a higher rate extends the same edits.

    Raises:
        UnknownName: no such augmentation or setting.
        BadSetting: a setting out of range.

    >>> draw("eda_swap", "all dogs", seed=0)
    Draw(text='dogs all', changed=True)
    """
    return drawer(name, seed=seed, **settings)(text, draw)


@cache
def _aliases() -> dict[str, str]:
    return {found.tags["alias"]: name for name, found in METHODS.items() if "alias" in found.tags}
