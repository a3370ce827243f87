"""Figures as files for print."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def save_figure(figure: "Figure", path: str | PathLike[str], *, width: str = "single") -> Path:
    """Save a figure of `workbench.plots` for print, as SVG, PDF or PNG by the ending of `path`; returns the path.

    `width` is single, 3.33 inches, or full, 6.75 inches; text is about 7 points in both. PDF embeds its letters, SVG keeps
    text as text, PNG has 300 dots an inch, and equal figures give equal files. A light figure stands on white.

    Raises:
        BadSetting: another ending or width, or a part of the figure that has no counterpart in print.
    """
    from workbench.core.writing import write_bytes
    from workbench.plots.print_file import print_file

    target = Path(path)
    write_bytes(target, print_file(figure, target.suffix.lower().removeprefix("."), width=width))
    return target
