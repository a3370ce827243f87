"""A figure as a file for print."""

import json
from base64 import b64encode
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class PrintFigure:
    """Draw a figure for print, at the width of a column or of a page.

    Prefer `save_figure` for a figure at hand in Python.
    """

    figure: Annotated[str, "A figure of workbench.plots as Plotly's JSON."]
    format: Annotated[Literal["svg", "pdf", "png"], Knob(help="The format of the file.")] = "pdf"
    width: Annotated[Literal["single", "full"], Knob(help="3.33 inches, a column, or 6.75, a page.")] = "single"


def check(request: PrintFigure) -> None:
    """The text must be a figure."""
    try:
        parts = json.loads(request.figure)
        data, layout = parts["data"], parts["layout"]
    except (ValueError, KeyError, TypeError):
        data = layout = None
    if not isinstance(data, list) or not isinstance(layout, dict):
        raise BadData("This is not a figure.", rule="figure is what a Plotly figure's to_json writes.")


@dataclass(frozen=True)
class PrintedFigure:
    """A file."""

    format: str
    content: str
    """In base64."""


def run(request: PrintFigure, models: "ModelCache", on_progress: Progress) -> PrintedFigure:
    """The file's format and its content, in base64."""
    import plotly.io

    from workbench.plots.print_file import print_file

    import_module("pandas")  # Plotly uses it as it lies among the modules, where another thread may be importing it
    try:
        drawn = plotly.io.from_json(request.figure)
    except ValueError as error:
        raise BadData("This is not a figure.", reason=str(error)) from None
    return PrintedFigure(request.format, b64encode(print_file(drawn, request.format, width=request.width)).decode())


VERB = Verb(PrintFigure, run, check=check, doing="Drawing the figure for print")
