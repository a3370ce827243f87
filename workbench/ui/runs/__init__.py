"""The page Runs: the table, the live panel of one run, its files."""

from workbench.ui.runs.files import import_archive
from workbench.ui.runs.listing import live_table, pick_run
from workbench.ui.runs.panel import show_details, show_live

__all__ = ["import_archive", "live_table", "pick_run", "show_details", "show_live"]
