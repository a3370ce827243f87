"""Words that no augmentation may touch: product names, codes, placeholders, quotations."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.core.errors import BadSetting
from workbench.models.tokens import MASK

if TYPE_CHECKING:
    import regex

_FIRST, _LAST = 0xE000, 0xF8FF  # private use: these characters have no meaning in texts
_SECONDS = 1.0
LONGEST_PATTERN = 500
_LONGEST_MATCH = 1000
"""The library prepares the search for a text that every match must contain in time cubic in its length, which its timeout does
not stop: 1,000 characters take a second, 5,000 a minute and a half."""
_RECURSION = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
_ATOM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<least>\d*)(?:,\d*)?\}|.", re.DOTALL)


@dataclass(frozen=True)
class Protection:
    """Literal terms and a regular expression; the protected spans of a text are the matches of either."""

    terms: tuple[str, ...] = ()
    pattern: str = ""

    def __bool__(self) -> bool:
        return bool(self.pattern or any(term.strip() for term in self.terms))

    @cached_property
    def _expression(self) -> "regex.Pattern[str]":
        # `regex` instead of `re`: it has a timeout, and a pattern that never ends is easily written.
        import regex

        _check_bounds(self.pattern)
        words = sorted({term.strip() for term in self.terms if term.strip()}, key=len, reverse=True)
        if words and len(words[0]) > LONGEST_PATTERN:
            raise BadSetting(
                "A protected term is too long.", rule=f"At most {LONGEST_PATTERN} characters.", got=words[0]
            )
        parts = [
            ("(?<!\\w)" if word[0].isalnum() and word[0].isascii() else "")
            + re.escape(word)
            + ("(?!\\w)" if word[-1].isalnum() and word[-1].isascii() else "")
            for word in words
        ]
        if self.pattern:
            parts.append(f"(?:{self.pattern})")
        try:
            if self.pattern:  # by itself, so that the position in a message is its own
                regex.compile(self.pattern, flags=regex.VERSION0)
            return regex.compile("|".join(parts), flags=regex.VERSION0)
        except (regex.error, ValueError, OverflowError, RecursionError) as error:
            raise BadSetting(
                "The pattern of protected terms is not a regular expression.", got=self.pattern, reason=str(error)
            ) from None

    def check(self) -> "Protection":
        """Itself, with the pattern compiled.

        Raises:
            BadSetting: a pattern that is invalid or too long.
        """
        if self:
            _ = self._expression
        return self

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end of each protected span, in order.

        Raises:
            BadSetting: the pattern takes longer than a second on one text.
        """
        try:
            return [m.span() for m in self._expression.finditer(text, timeout=_SECONDS) if m.end() > m.start()]
        except TimeoutError:
            raise BadSetting(
                "The pattern of protected terms takes too long.",
                rule=f"It may take {_SECONDS:g} second for one text.",
                got=self.pattern,
                way_out="Avoid repeats inside repeats, such as (a+)+.",
            ) from None

    def protected(self, text: str) -> Counter[str]:
        """The protected spans of `text` and how often each occurs."""
        return Counter(text[start:end] for start, end in self.spans(text))

    def hidden(self, text: str) -> tuple[str, dict[str, str]]:
        """`text` with each protected span replaced by a private-use character, and the span of each character.

        >>> hidden, spans = Protection(("red wine",)).hidden("a red wine stain")
        >>> hidden == "a \\ue000 stain", spans
        (True, {'\\ue000': 'red wine'})
        """
        parts, stands_for, end = [], {}, 0
        for (start, stop), sign in zip(self.spans(text), _free(text), strict=False):
            parts += [text[end:start], sign]
            stands_for[sign] = text[start:stop]
            end = stop
        return "".join([*parts, text[end:]]), stands_for

    @staticmethod
    def shown(text: str, stands_for: dict[str, str]) -> str | None:
        """`text` with the protected spans restored; None if one of them was lost or duplicated."""
        if any(text.count(sign) != 1 for sign in stands_for):
            return None
        return text.translate({ord(sign): span for sign, span in stands_for.items()})


def _check_bounds(pattern: str) -> None:
    """Check that a pattern can be compiled and tried in little memory: a timeout does not stop one that takes all memory.

    Raises:
        BadSetting: it is too long, recursive, or has nested repeats that are too long.
    """
    plain = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    if len(pattern) > LONGEST_PATTERN:
        wrong, rule = "is too long", f"At most {LONGEST_PATTERN} characters."
    elif _RECURSION.search(plain):
        wrong, rule = "calls itself or one of its groups", "The memory for such a pattern has no limit."
    elif _least_length(pattern) > _LONGEST_MATCH:
        wrong, rule = "repeats too often", f"Its shortest match may have at most {_LONGEST_MATCH:,} characters."
    else:
        return
    raise BadSetting(
        f"The pattern of protected terms {wrong}.", rule=rule, got=pattern, way_out="Write it without that."
    )


def _least_length(pattern: str) -> int:
    """An upper bound on the length of a pattern's shortest match: alternatives count as if they were concatenated.

    >>> _least_length("a{10}b{3,9}"), _least_length("(a{10}){100}"), _least_length("[0-9a-f]{8}-[0-9a-f]{4}")
    (13, 1000, 13)
    """
    groups = [[0, 0]]  # the length so far, and that of the last atom, which a count would repeat
    for atom in _ATOM.finditer(pattern):
        if atom[0] == "(":
            groups.append([0, 0])
        elif (least := atom["least"]) is not None:
            total, last = groups[-1]
            times = int(least[:9] or 1)
            groups[-1] = [total + last * (times - 1), last * times]
        else:
            length = groups.pop()[0] if atom[0] == ")" and len(groups) > 1 else 1
            groups[-1] = [groups[-1][0] + length, length]
    return sum(length for length, _ in groups)


def masks_locked(text: str) -> tuple[str, str]:
    """`text` with each [MASK] as one private-use character, and that character, so that later steps do not change masks.

    >>> masks_locked("a [MASK] b") == ("a \\ue000 b", "\\ue000")
    True
    """
    sign = next(_free(text), MASK) if MASK in text else MASK
    return text.replace(MASK, sign), sign


def _free(text: str) -> Iterator[str]:
    """Private-use characters that `text` does not hold."""
    return (chr(code) for code in range(_FIRST, _LAST + 1) if chr(code) not in text)
