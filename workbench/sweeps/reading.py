"""Reading the values of an axis as its setting takes them."""

from typing import get_type_hints

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core.calls import number_or_word
from workbench.core.config import SECTIONS, Term, Value, section_settings
from workbench.core.errors import WorkbenchError
from workbench.core.method import Setting
from workbench.objectives import method_of
from workbench.recipes.linked_settings import standing_for_several

Taken = tuple[type, tuple[str, ...]]
"""What a setting takes: a type, and the words allowed beside it, or the only words to choose from."""

_OF_A_TERM: dict[str, Taken] = {"weight": (float, ()), "every": (int, ()), "skip": (bool, ())}
_OF_A_VIEW: dict[str, Taken] = {"draw": (int, ()), "copy": (int, ()), "dropout": (float, ("on", "off"))}
_TEXT: Taken = (str, ())


def values_of(text: str) -> list[Value]:
    """The values of an axis, separated by commas, or by | if there is one. Words stay words, see `read`.

    >>> values_of("0.03, 0.05"), values_of("none | eda_swap(rate=0.2) | one_of(a, b)"), values_of("on, off")
    ([0.03, 0.05], ['none', 'eda_swap(rate=0.2)', 'one_of(a, b)'], ['on', 'off'])
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" or (sign == "," and "|" not in text and depth <= 0):
            parts.append("")
        else:
            parts[-1] += sign
    return [number_or_word(part.strip()) for part in parts if part.strip()]


def read(value: Value, taken: Taken) -> Value:
    """A value as the setting takes it: `on` may be a word or a switch, `none` a word or an empty text.

    A value that the setting does not take is returned as it is, for the setting to refuse.

    >>> read("on", (bool, ())), read("on", (float, ("on", "off"))), read("none", (str, ("none", "hard")))
    (True, 'on', 'none')
    >>> read("none", (str, ())), read("0.1", (float, ("on", "off"))), read(7, (str, ()))
    ('', 0.1, '7')
    """
    kind, words = taken
    if not isinstance(value, str):
        return str(value) if kind is str and not isinstance(value, bool) else value
    word = value.strip().lower()
    if word in words:
        return word
    if kind is bool:
        return word in ("true", "on") if word in ("true", "on", "false", "off") else value
    if kind is str:
        return "" if word == "none" and (not words or "" in words) else value
    return number_or_word(value)


def taken_by(dotted: str, terms: tuple[Term, ...]) -> Taken:
    """What a setting takes, by its dotted name in a run with these terms; text if that is not known."""
    parts = dotted.split(".")
    if dotted in (several := standing_for_several(terms)):
        return _of(several[dotted])
    if parts[0] == "terms" and len(parts) > 2:
        if parts[2] in ("views", "more"):
            return _OF_A_VIEW.get(parts[-1], _TEXT)
        if parts[2] == "settings":
            return _of(_setting(terms, parts))
        return _OF_A_TERM.get(parts[2], _TEXT)
    if len(parts) == 2 and parts[0] in SECTIONS:
        section = SECTIONS[parts[0]]
        return (
            _of(section_settings(section).get(parts[1]))
            if parts[1] in section_settings(section)
            else _plain(section, parts[1])
        )
    if len(parts) == 2 and parts[0] in AUGMENTATIONS:
        return _of(AUGMENTATIONS[parts[0]].settings.get(parts[1]))
    return _TEXT


def _plain(section: type, name: str) -> Taken:
    kind: type = get_type_hints(section).get(name, str)
    return kind, ()


def _setting(terms: tuple[Term, ...], parts: list[str]) -> Setting | None:
    try:
        return method_of(terms[int(parts[1])]).settings.get(parts[3])
    except (WorkbenchError, IndexError, ValueError):
        return None


def _of(setting: Setting | None) -> Taken:
    return (setting.kind, setting.choices) if setting else _TEXT
