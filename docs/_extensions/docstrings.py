"""Docstrings as they are written here, as reStructuredText: names in single backticks, everything else plain text.

Without this an asterisk or an underscore at the end of a word would be markup, and a warning.
"""

import re

from sphinx.application import Sphinx
from sphinx.ext.napoleon import GoogleDocstring

QUOTED = re.compile(r"`+([^`]+)`+(?=(\w)?)")
MARKUP = re.compile(r"(?m)((?<!^)\*|\*(?! )|\||(?<=\w)_(?!\w))")


def escape(text: str) -> str:
    """Prose in which quoted names are literals and no other character is markup.

    >>> escape("`row`s of 2 * N, see `fit`.")
    '``row``\\\\ s of 2 \\\\* N, see ``fit``.'
    """
    parts, end = [], 0
    for match in QUOTED.finditer(text):
        quoted = " ".join(match[1].split())
        parts += [MARKUP.sub(r"\\\1", text[end : match.start()]), f"``{quoted}``", "\\ " if match[2] else ""]
        end = match.end()
    return "".join([*parts, MARKUP.sub(r"\\\1", text[end:])])


def converted(lines: list[str]) -> list[str]:
    """The lines of a docstring; code stays as it is.

    Code is an example, which begins with `>>>` and ends with an empty line, and what stands four columns in from a line that
    ends in a colon, with an empty line between, as in Markdown.
    """
    found: list[str] = []
    prose: list[str] = []
    inside = ""
    margin = 0
    for number, line in enumerate([*lines, ""]):
        indent = len(line) - len(line.lstrip())
        if inside == "example":
            inside = inside if line.strip() else ""
        elif inside == "block":
            inside = inside if not line.strip() or indent >= margin else ""
        if not inside and line.lstrip().startswith(">>>"):
            inside = "example"
            found, prose = [*found, *escape("\n".join(prose)).split("\n"), ""], []
        elif not inside and line.strip() and number > 1 and not lines[number - 1].strip():
            before = lines[number - 2]
            margin = len(before) - len(before.lstrip()) + 4
            if before.rstrip().endswith(":") and indent >= margin:
                inside = "block"
                opening = " " * (margin - 4) + ".. code-block:: python"
                found, prose = [*found, *escape("\n".join(prose)).split("\n"), opening, ""], []
        (found if inside else prose).append(line)
    return found + escape("\n".join(prose)).split("\n")


def process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Change the lines in place. A field has no sections: a colon in its one line is prose."""
    lines[:] = converted(lines)
    if what not in ("attribute", "data", "property"):
        lines[:] = GoogleDocstring(lines, None, app, what, name, obj, options).lines()


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to autodoc."""
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
