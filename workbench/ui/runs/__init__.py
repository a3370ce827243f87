"""The page Runs: the table, the live panel of one run, its files."""

from workbench.ui.runs.files import import_archive
from workbench.ui.runs.listing import live_table, pick_run
from workbench.ui.runs.panel import details, live

__all__ = ["details", "import_archive", "live", "live_table", "pick_run"]
