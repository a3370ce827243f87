"""The page Compare: score tables, the plane, suites, published results, sweeps."""

from workbench.ui.compare.against import tested_call
from workbench.ui.compare.geometry import show_geometry
from workbench.ui.compare.literature import published_results
from workbench.ui.compare.report import show_report
from workbench.ui.compare.scores import show_comparison
from workbench.ui.compare.suites import show_suites
from workbench.ui.compare.sweeps import show_sweeps
from workbench.ui.configs.cloning import drop_unusable
from workbench.ui.targets.choice import pick_pairs, pick_targets, say_without_weights

__all__ = [
    "drop_unusable",
    "pick_pairs",
    "pick_targets",
    "published_results",
    "say_without_weights",
    "show_comparison",
    "show_geometry",
    "show_report",
    "show_suites",
    "show_sweeps",
    "tested_call",
]
