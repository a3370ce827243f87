"""The page Compare: score tables, the plane, suites, published results, sweeps."""

from workbench.ui.compare.literature import literature
from workbench.ui.compare.scores import comparison
from workbench.ui.compare.suites import sts_table, transfer_table
from workbench.ui.compare.sweeps import show_sweeps
from workbench.ui.targets.choice import pick_pairs, pick_targets, say_absent

__all__ = [
    "comparison",
    "literature",
    "pick_pairs",
    "pick_targets",
    "say_absent",
    "show_sweeps",
    "sts_table",
    "transfer_table",
]
