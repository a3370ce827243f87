"""The page Runs: the table, the live panel of one run, its files; and several runs side by side."""

from workbench.ui.runs.deletion import say_deleted
from workbench.ui.runs.files import import_archive
from workbench.ui.runs.listing import listed_runs, live_table, pick_run
from workbench.ui.runs.panel import show_details, show_live
from workbench.ui.runs.selection import selected_runs, show_selection

__all__ = [
    "import_archive",
    "listed_runs",
    "live_table",
    "pick_run",
    "say_deleted",
    "selected_runs",
    "show_details",
    "show_live",
    "show_selection",
]
