"""Parser and writer of a method call such as `whitening(k=64, on="my texts.txt")`: a method with its settings.

Targets write poolings, transforms and baselines this way, pipelines their steps, and a loss that wraps another its inner loss.

    CALL:    NAME or NAME(SETTING=VALUE, ...)
    VALUE:   a text in quotation marks, with JSON's escapes; or anything without spaces, commas, brackets and quotation
             marks: a number, `true` or `false` if it can be read as one, else a text

Grammars with more than calls (`@0.5`, ` + `, `[1]`, calls inside calls) use the `Reader` to read the text piece by piece.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress

from workbench.core.errors import BadSetting
from workbench.core.method import Settings, unwrapped

QUOTED = r'"(?:[^"\\]|\\.)*"'
CALL = rf"\w+(?:\((?:[^()\"]|{QUOTED})*\))?"
"""The pattern of a call, for finding one at the end of a longer text."""
EXAMPLE = "whitening(k=64, normalise=true)"
_SPACE, _WORD = re.compile(r"\s*"), re.compile(r"[\w.:/~-]+")
_QUOTED, _VALUE = re.compile(QUOTED, re.DOTALL), re.compile(r"[^\s,()\"]+")
_BARE = re.compile(r"[^\s,()\"+=]+")


class Reader:
    """Reads a text from left to right. Spaces between words and punctuation are ignored."""

    def __init__(self, text: str, complaint: str = "", example: str = EXAMPLE) -> None:
        """`complaint` is the first sentence of every error, `example` what the text should look like."""
        self.text, self.position, self.example = text, 0, example
        self.complaint = complaint or f"{text!r} cannot be read."

    @property
    def rest(self) -> str:
        """The text still to be read, without leading spaces; empty at the end."""
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        return self.text[self.position :]

    def wrong(self, wanted: str) -> BadSetting:
        """The error for finding something other than `wanted`."""
        rest = self.rest
        return BadSetting(
            self.complaint,
            rule=f"{wanted} was expected at character {self.position + 1}.",
            got=rest.strip()[:40] or "the end",
            way_out=f"Write it like {self.example}.",
        )

    def sees(self, sign: str) -> bool:
        """Whether `sign` is next."""
        return self.rest.startswith(sign)

    def skip(self, sign: str) -> bool:
        """Read `sign` if it is next; returns whether it was."""
        seen = self.sees(sign)
        self.position += len(sign) * seen
        return seen

    def take(self, sign: str) -> None:
        """Read `sign`.

        Raises:
            BadSetting: something else is next.
        """
        if not self.skip(sign):
            raise self.wrong(f"'{sign}'")

    def word(self, wanted: str) -> str:
        """Read a name or number; the error says that `wanted` was expected.

        Raises:
            BadSetting: something else is next.
        """
        found = self._matched(_WORD)
        if not found:
            raise self.wrong(wanted)
        return found

    def value(self) -> bool | int | float | str:
        """Read the value of a setting.

        Raises:
            BadSetting: there is none, or its quotation marks or escapes are malformed.
        """
        before = self.position
        if quoted := self._matched(_QUOTED):
            try:
                return str(json.loads(quoted))
            except ValueError:
                self.position = before
                raise self.wrong("A text in quotation marks") from None
        word = self._matched(_VALUE)
        if not word:
            raise self.wrong("A number, a word, or a text in quotation marks")
        return word.lower() == "true" if word in ("true", "True", "false", "False") else number_or_word(word)

    def settings(self) -> Settings:
        """Read `(name=value, ...)`; empty if no bracket is next.

        Raises:
            BadSetting: the settings cannot be read, or one is set twice.
        """
        found: Settings = {}
        if not self.skip("("):
            return found
        while not self.skip(")"):
            if found and not self.skip(","):
                raise self.wrong("',' or ')'")
            name = self.word("The name of a setting")
            if name in found:
                raise BadSetting(self.complaint, rule=f"{name} is set twice.", way_out="Leave out one of them.")
            self.take("=")
            found[name] = self.value()
        return found

    def _matched(self, pattern: "re.Pattern[str]") -> str:
        found = pattern.match(self.text, self.position) if self.rest else None
        self.position = found.end() if found else self.position
        return found[0] if found else ""


def read_call(text: str, complaint: str = "", example: str = EXAMPLE) -> tuple[str, Settings]:
    """(name, settings), values as numbers, booleans or text; nothing is checked against the method's settings.

    >>> read_call('whitening(k=64, on="my texts.txt")')
    ('whitening', {'k': 64, 'on': 'my texts.txt'})

    Raises:
        BadSetting: the call cannot be read; the message gives the position.
    """
    reader = Reader(text, complaint, example)
    name, settings = reader.word("A name"), reader.settings()
    if reader.rest:
        raise reader.wrong("The end")
    return name, settings


def write_call(name: str, settings: Mapping[str, object], *, quoted: bool = False) -> str:
    """A call that `read_call` reads back; texts are quoted only where needed, or always with `quoted`.

    >>> write_call("whitening", {"k": 64, "normalise": True, "on": "demo:dev"})
    'whitening(k=64, normalise=true, on=demo:dev)'
    """
    inside = ", ".join(f"{key}={write_value(value, quoted=quoted)}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


def write_value(value: object, *, quoted: bool = False) -> str:
    """The value of a setting in the form that `Reader.value` reads.

    >>> write_value(True), write_value(0.5), write_value("demo:dev"), write_value("demo:dev", quoted=True)
    ('true', '0.5', 'demo:dev', '"demo:dev"')
    """
    value = unwrapped(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = not quoted and _BARE.fullmatch(value) and Reader(value).value() == value
        return value if plain else json.dumps(value, ensure_ascii=False)
    return repr(value)


def number_or_word(word: str) -> int | float | str:
    """`word` as an int if it is one, else as a float, else unchanged.

    >>> number_or_word("3"), number_or_word("3e-5"), number_or_word("cls")
    (3, 3e-05, 'cls')
    """
    for kind in (int, float):
        with suppress(ValueError):
            return kind(word)
    return word
