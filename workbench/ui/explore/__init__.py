"""The page Explore: its lenses."""

from workbench.ui.explore.lenses import cone_lens, gold_lens, spectrum_lens, views_lens, worst_lens
from workbench.ui.targets.choice import drop_absent, pick_other, pick_pairs, pick_target

__all__ = [
    "cone_lens",
    "drop_absent",
    "gold_lens",
    "pick_other",
    "pick_pairs",
    "pick_target",
    "spectrum_lens",
    "views_lens",
    "worst_lens",
]
