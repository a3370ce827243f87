"""Cleans texts from users, and says what was changed or looks wrong."""

import re

from workbench.core import unicode

LONG_WORDS = 10_000
LONG_CHARACTERS = 50_000

# Control characters that `str.split` does not treat as white space. Joiners and direction marks stay: emoji and Arabic
# need them.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


class Cleaner:
    """Cleans texts: one space for each run of white space, no control characters. Records the rows it had to change or
    mark.
    """

    def __init__(self) -> None:
        self._rows: dict[str, tuple[int, int]] = {}  # of each kind how many and which first

    def __call__(self, text: str, row: int) -> str:
        """The cleaned text; `row` is its line in the file."""
        if _CONTROL.search(text):
            self._note("control", row)
            text = _CONTROL.sub("", text)
        text = unicode.whole(" ".join(text.split()))
        if len(text) >= 2 * LONG_WORDS - 1 and (text.count(" ") >= LONG_WORDS - 1 or len(text) >= LONG_CHARACTERS):
            self._note("long", row)
        if "\ufffd" in text:
            self._note("damaged", row)
        return text

    def _note(self, kind: str, row: int) -> None:
        count, first = self._rows.get(kind, (0, row))
        self._rows[kind] = count + 1, first

    def notices(self) -> list[str]:
        """Notices for the user about texts that were changed or look wrong, but were kept."""
        templates = {
            "control": "{} contained control characters, which were removed",
            "long": f"{{}} had at least {LONG_WORDS:,} words or {LONG_CHARACTERS:,} characters; they were kept, but a "
            "backbone reads only their beginning",
            "damaged": "{} contained damaged characters (shown as \ufffd); they were kept",
        }
        return [
            f"{template.format('1 text' if count == 1 else f'{count:,} texts')} (first in row {first})."
            for kind, template in templates.items()
            for count, first in [self._rows.get(kind, (0, 0))]
            if count
        ]
