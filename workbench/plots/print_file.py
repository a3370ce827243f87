"""A figure as a file for print: SVG, PDF or PNG, at a column's width, the same bytes each time."""

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
    import matplotlib as mpl

    if kind not in FORMATS:
        raise BadSetting(f"A figure cannot be saved as {kind!r}.", rule=f"Formats: {', '.join(FORMATS)}.")
    title, words = takeaway_of(drawn), alt_text(drawn)
    known: dict[str, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": words, "Date": None},
        "pdf": {"Title": title, "Subject": words, "CreationDate": None},
        "png": {"Title": title, "Description": words, "Software": None},
    }
    page = to_matplotlib(drawn, width=width)
    file = BytesIO()
    with mpl.rc_context(STYLE):
        page.savefig(file, format=kind, dpi=_DPI, metadata=known[kind])
    return file.getvalue()
