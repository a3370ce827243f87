"""A figure as a file for print: SVG, PDF or PNG, at a column's width, the same bytes each time."""

from collections.abc import Sequence
from io import BytesIO

import plotly.graph_objects as go

from workbench.core.errors import BadSetting
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
    page = to_matplotlib(drawn, width=width)
    contents = []
    with mpl.rc_context(STYLE):
        for kind in kinds:
            file = BytesIO()
            page.savefig(file, format=kind, dpi=_DPI, metadata=known[kind])
            contents.append(file.getvalue())
    return contents
