"""A figure as a file for print: SVG, PDF or PNG, at a column's width, the same bytes each time."""

import re
import warnings
from collections.abc import Sequence
from io import BytesIO

import plotly.graph_objects as go

from workbench.core.errors import BadSetting, brief
from workbench.plots.template import alt_text, takeaway_of
from workbench.plots.to_matplotlib import STYLE, to_matplotlib

FORMATS = ("svg", "pdf", "png")
_DPI = 300


def print_file(drawn: go.Figure, kind: str, *, width: str = "single") -> bytes:
    """The content of a file of one of the `FORMATS`; `width` as for `to_matplotlib`.

    SVG keeps text as text, PDF embeds its letters as TrueType, and PNG has 300 dots an inch. The figure's sentence and its
    description stand in the file's metadata. No date is written, so equal figures give equal files.

    Raises:
        BadSetting: an unknown format or width, or a figure that cannot be converted.
    """
    return print_files(drawn, (kind,), width=width)[0]


def print_files(drawn: go.Figure, kinds: Sequence[str] = FORMATS, *, width: str = "single") -> list[bytes]:
    """The contents of files of several formats, each as `print_file` writes it: the figure is laid out once.

    Raises:
        BadSetting: as for `print_file`.
    """
    import matplotlib as mpl

    for kind in kinds:
        if kind not in FORMATS:
            raise BadSetting(f"A figure cannot be saved as {kind!r}.", rule=f"Formats: {', '.join(FORMATS)}.")
    title, words = takeaway_of(drawn), alt_text(drawn)
    known: dict[str, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": words, "Date": None},
        "pdf": {"Title": title, "Subject": words, "CreationDate": None},
        "png": {"Title": title, "Description": words, "Software": None},
    }
    contents = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        page = to_matplotlib(drawn, width=width)
        with mpl.rc_context(STYLE):
            for kind in kinds:
                file = BytesIO()
                page.savefig(file, format=kind, dpi=_DPI, metadata=known[kind])
                contents.append(file.getvalue())
    _say_lacking(caught, kinds)
    return contents


def _say_lacking(caught: "list[warnings.WarningMessage]", kinds: Sequence[str]) -> None:
    """One warning for all letters that the font lacks, in place of several for each; other warnings as they are."""
    lacking: dict[str, None] = {}
    for one in caught:
        if glyph := re.match(r"Glyph (\d+) ", str(one.message)):
            lacking[chr(int(glyph[1]))] = None
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if lacking and set(kinds) - {"svg"}:
        warnings.warn(
            f"The font of figures has no {brief(' '.join(lacking))}: boxes stand for them. In SVG they are text, in the fonts of "
            "whoever opens it.",
            stacklevel=3,
        )
