"""Linked views: panels that share one selection of rows, drawn in the browser by assets/canvas."""

from workbench.ui.canvas.linked import Chosen, linked
from workbench.ui.canvas.panels import Histogram, Mark, Panel, Scatter, Stop, Table
from workbench.ui.canvas.rows import Category, Ends, EndText, Number, Rows, Text
from workbench.ui.canvas.scene import Scene, pack

__all__ = [
    "Category",
    "Chosen",
    "EndText",
    "Ends",
    "Histogram",
    "Mark",
    "Number",
    "Panel",
    "Rows",
    "Scatter",
    "Scene",
    "Stop",
    "Table",
    "Text",
    "linked",
    "pack",
]
