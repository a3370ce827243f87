"""A method with its settings as a word, `whitening(k=64, on="my texts.txt")`: the one parser and the one writer of it.

Targets hold poolings, transforms and baselines so, pipelines their steps, and a loss that wraps another its inner one.

    CALL:    NAME or NAME(SETTING=VALUE, ...)
    VALUE:   a text in quotation marks, with JSON's escapes; or anything without spaces, commas, brackets and quotation
             marks: a number, `true` or `false` where it reads as one, else a text

What is more than a call (`@0.5`, ` + `, `[1]`, calls inside calls) a grammar of its own reads with the `Reader`, sign by sign.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress

from workbench.core.errors import BadSetting
from workbench.core.method import Settings

QUOTED = r'"(?:[^"\\]|\\.)*"'
CALL = rf"\w+(?:\((?:[^()\"]|{QUOTED})*\))?"
"""What a method with settings looks like, for those who look for it at the end of something longer."""
EXAMPLE = "whitening(k=64, normalise=true)"
_SPACE, _WORD = re.compile(r"\s*"), re.compile(r"[\w.:/~-]+")
_QUOTED, _VALUE = re.compile(QUOTED, re.DOTALL), re.compile(r"[^\s,()\"]+")
_BARE = re.compile(r"[^\s,()\"+=]+")


class Reader:
    """Reads a text from left to right. Spaces between words and signs do not matter."""

    def __init__(self, text: str, complaint: str = "", example: str = EXAMPLE) -> None:
        """`complaint` is the first sentence of every error, `example` what the text should look like."""
        self.text, self.position, self.example = text, 0, example
        self.complaint = complaint or f"{text!r} cannot be read."

    @property
    def rest(self) -> str:
        """What is still to be read; empty at the end."""
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        return self.text[self.position :]

    def wrong(self, wanted: str) -> BadSetting:
        """The error for finding something other than what is wanted."""
        rest = self.rest
        return BadSetting(
            self.complaint,
            rule=f"{wanted} was expected at character {self.position + 1}.",
            got=rest.strip()[:40] or "the end",
            way_out=f"Write it like {self.example}.",
        )

    def sees(self, sign: str) -> bool:
        """Whether this character is next."""
        return self.rest.startswith(sign)

    def skip(self, sign: str) -> bool:
        """Whether this sign was next; it is read then."""
        seen = self.sees(sign)
        self.position += len(sign) * seen
        return seen

    def take(self, sign: str) -> None:
        """Read this sign.

        Raises:
            BadSetting: something else is there.
        """
        if not self.skip(sign):
            raise self.wrong(f"'{sign}'")

    def word(self, wanted: str) -> str:
        """Read a name or number; `wanted` says which, for the error.

        Raises:
            BadSetting: something else is there.
        """
        found = self._matched(_WORD)
        if not found:
            raise self.wrong(wanted)
        return found

    def value(self) -> bool | int | float | str:
        """Read the value of a setting.

        Raises:
            BadSetting: there is none, or its quotation marks or escapes do not fit together.
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
        return word == "true" if word in ("true", "false") else number_or_word(word)

    def settings(self) -> Settings:
        """Read `(name=value, ...)`; none where no bracket is next.

        Raises:
            BadSetting: what cannot be read, or a setting that stands there twice.
        """
        found: Settings = {}
        if not self.skip("("):
            return found
        while not self.skip(")"):
            if found:
                self.take(",")
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
    """Name and settings, values as numbers, true, false or text; nothing is checked against what the method takes.

    >>> read_call('whitening(k=64, on="my texts.txt")')
    ('whitening', {'k': 64, 'on': 'my texts.txt'})

    Raises:
        BadSetting: what cannot be read, with its position.
    """
    reader = Reader(text, complaint, example)
    name, settings = reader.word("A name"), reader.settings()
    if reader.rest:
        raise reader.wrong("The end")
    return name, settings


def write_call(name: str, settings: Mapping[str, object], *, quoted: bool = False) -> str:
    """What `read_call` reads; quotation marks only where they are needed, or with `quoted` around every text.

    >>> write_call("whitening", {"k": 64, "normalise": True, "on": "demo:dev"})
    'whitening(k=64, normalise=true, on=demo:dev)'
    """
    inside = ", ".join(f"{key}={write_value(value, quoted=quoted)}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


def write_value(value: object, *, quoted: bool = False) -> str:
    """The value of a setting as `Reader.value` reads it.

    >>> write_value(True), write_value(0.5), write_value("demo:dev"), write_value("demo:dev", quoted=True)
    ('true', '0.5', 'demo:dev', '"demo:dev"')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = not quoted and _BARE.fullmatch(value) and Reader(value).value() == value
        return value if plain else json.dumps(value, ensure_ascii=False)
    return repr(value)


def number_or_word(word: str) -> int | float | str:
    """A whole number where it is one, else a number, else the word as it stands.

    >>> number_or_word("3"), number_or_word("3e-5"), number_or_word("cls")
    (3, 3e-05, 'cls')
    """
    for kind in (int, float):
        with suppress(ValueError):
            return kind(word)
    return word
