"""Linked views: panels that share one selection of rows, drawn in the browser by assets/canvas."""

from workbench.ui.canvas.linked import Chosen, linked
from workbench.ui.canvas.panels import Buckets, Histogram, Mark, Panel, Sample, Scatter, Stop, Table
from workbench.ui.canvas.rows import Category, Ends, EndText, Number, Rows, Text, full_name
from workbench.ui.canvas.scene import Scene, pack
from workbench.ui.canvas.tables import rows_table

__all__ = [
    "Buckets",
    "Category",
    "Chosen",
    "EndText",
    "Ends",
    "Histogram",
    "Mark",
    "Number",
    "Panel",
    "Rows",
    "Sample",
    "Scatter",
    "Scene",
    "Stop",
    "Table",
    "Text",
    "full_name",
    "linked",
    "pack",
    "rows_table",
]
