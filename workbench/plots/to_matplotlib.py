"""A figure of this project as a matplotlib figure, for print: trace type by trace type, whichever figure it is.

Plotly's pixels become points at one rate, so a figure looks the same on a page and in a paper, and everything that is not a
trace (axes, annotations, shapes, legend, colour bar) is read from the figure and its template. What has no counterpart here
is refused by name, so that nothing is left out unnoticed.
"""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from workbench.core.errors import BadSetting
from workbench.plots.printing.arrange import arrange
from workbench.plots.printing.axes import dress_axes, open_plots, set_range
from workbench.plots.printing.notes import draw_annotations, draw_shapes
from workbench.plots.printing.page import Page
from workbench.plots.printing.traces import draw_colour_axis, draw_trace
from workbench.plots.printing.values import rgba

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTHS = {"single": 3.33, "full": 6.75}
"""Inches: one column of a page with two, and the whole page."""
STYLE: Any = {
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "text.parse_math": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "contrastive-workbench",
}
"""matplotlib's settings while a figure is drawn and saved; only the first typeface is needed, and comes with matplotlib."""
_FALLBACKS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "PingFang SC", "Microsoft YaHei", "SimHei")
"""Typefaces for signs that matplotlib's own lacks, where installed."""


def to_matplotlib(drawn: go.Figure, *, width: str = "single") -> "Figure":
    """The figure at a column's width, with its own height or three quarters of the width; a light one stands on white.

    `width` is a key of `WIDTHS`. Texts are shown literally: neither HTML tags nor dollar signs are interpreted.

    Raises:
        BadSetting: an unknown width, one too narrow for labels that were placed for a wide page, or something in the figure
            that has no counterpart.
    """
    import matplotlib as mpl
    import matplotlib.style

    if width not in WIDTHS:
        raise BadSetting(f"There is no width {width!r}.", rule=f"Widths: {', '.join(WIDTHS)}.")
    with mpl.rc_context():
        mpl.style.use("default")
        mpl.rcParams.update({**STYLE, "font.family": _families()})
        page = Page.of(drawn, WIDTHS[width])
        page.figure.set_facecolor(rgba(page.layout("paper_bgcolor", "#FFFFFF")))
        open_plots(page)
        for number, trace in enumerate(drawn.data):
            if trace.visible is None or trace.visible is True:
                draw_trace(page, number, trace)
        draw_colour_axis(page)
        draw_shapes(page)
        draw_annotations(page)
        for (x, y), plot in page.plots.items():
            set_range(page, plot, x, y)
        for (x, y), plot in page.plots.items():
            dress_axes(page, plot, x, y)
        arrange(page)
    return page.figure


def _families() -> list[str]:
    from matplotlib import font_manager

    there = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _FALLBACKS if name in there), "sans-serif"]
