"""A method with its settings as a word: `whitening(k=64, on="my texts.txt")`. Targets and addresses hold it."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workbench.core.errors import BadSetting

QUOTED = r'"(?:[^"\\]|\\.)*"'
CALL = rf"\w+(?:\((?:[^()\"]|{QUOTED})*\))?"
"""What a method with settings looks like, for those who look for it at the end of something longer."""
_PARTS = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_SETTING = re.compile(rf"\s*(\w+)\s*=\s*({QUOTED}|[^\s,()\"]+)\s*(,|$)")
_BARE = re.compile(r"[^\s,()\"+=]+")


def read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and settings, values as numbers, true, false or text; nothing is checked against what the method takes.

    >>> read_call('whitening(k=64, on="my texts.txt")')
    ('whitening', {'k': 64, 'on': 'my texts.txt'})

    Raises:
        BadSetting: brackets, equals signs or commas that do not fit together.
    """
    parts = _PARTS.fullmatch(text)
    settings: dict[str, Any] = {}
    inside = (parts[2] or "") if parts else ""
    place = 0
    while parts and inside.strip() and place < len(inside):
        found = _SETTING.match(inside, place)
        if not found:
            break
        settings[found[1]] = _value(found[2])
        place = found.end()
    if not parts or inside[place:].strip() or inside.rstrip().endswith(","):
        raise BadSetting(f"{text!r} cannot be read.", way_out="Write it like whitening(k=64, normalise=true).")
    return parts[1], settings


def write_call(name: str, settings: Mapping[str, Any]) -> str:
    """What `read_call` reads; quotation marks only where they are needed.

    >>> write_call("whitening", {"k": 64, "normalise": True, "on": "demo:dev"})
    'whitening(k=64, normalise=true, on=demo:dev)'
    """
    inside = ", ".join(f"{key}={_spelled(value)}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


def _value(word: str) -> Any:
    if word.startswith('"'):
        try:
            return json.loads(word)
        except ValueError:
            raise BadSetting(f"{word} cannot be read.", rule="It is a text in quotation marks.") from None
    if word in ("true", "false"):
        return word == "true"
    return number_or_word(word)


def number_or_word(word: str) -> int | float | str:
    """A whole number where it is one, else a number, else the word as it stands.

    >>> number_or_word("3"), number_or_word("3e-5"), number_or_word("cls")
    (3, 3e-05, 'cls')
    """
    for kind in (int, float):
        with suppress(ValueError):
            return kind(word)
    return word


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = _BARE.fullmatch(value) and _value(value) == value
        return value if plain else json.dumps(value, ensure_ascii=False)
    return repr(value)
