"""Word lists as regular expressions, and rewriting that leaves locked words and addresses alone."""

import re
from collections.abc import Callable, Iterable

from workbench.augmentations.text._tokens import has_address
from workbench.augmentations.text._words import locked

# A list entry must be a whole word: "red" does not match in "hundred" nor, with AFTER, in "red-eyed".
BEFORE = r"(?<![\w-])(?<!\w['’])"
AFTER = r"(?!['’-]?\w)"

Change = Callable[["re.Match[str]"], str]


def any_of(entries: Iterable[str]) -> str:
    """A regular expression for any of `entries`, longest first; either apostrophe matches.

    >>> any_of(["as", "as well"])
    'as well|as'
    """
    ordered = sorted(set(entries), key=lambda entry: (-len(entry), entry))
    return "|".join(re.escape(entry).replace(r"\ ", " ").replace("'", "['’]") for entry in ordered)


def whole_words(entries: Iterable[str], *, any_case: bool = True) -> "re.Pattern[str]":
    """One pattern for all of `entries` as whole words or phrases; without `any_case`, names with a capital.

    >>> whole_words(["red"]).findall("A hundred red-eyed Red red.")
    ['Red', 'red']
    """
    # Names begin with a capital: checking for one first makes matching thousands of names four times as fast.
    first = "" if any_case else r"(?=[^\W\d_a-z])"
    return re.compile(f"{BEFORE}{first}(?:{any_of(entries)}){AFTER}", re.IGNORECASE if any_case else 0)


def rewritten(pattern: "re.Pattern[str]", text: str, change: Change) -> str:
    """`text` with each match of `pattern` changed, except matches in or next to a locked word or in an address.

    >>> rewritten(whole_words(["red"]), "red \\ue000red www.red.com", lambda match: "blue")
    'blue \\ue000red www.red.com'
    """
    if not locked(text) and not has_address(text):
        return pattern.sub(change, text)

    def free(match: "re.Match[str]") -> str:
        start = text.rfind(" ", 0, match.start() + 1) + 1 if match.start() else 0
        end = text.find(" ", max(match.start(), match.end() - 1))
        unit = text[start : end if end >= 0 else len(text)]
        return match[0] if locked(unit) or has_address(unit) else change(match)

    return pattern.sub(free, text)
