"""The page Explore: its lenses."""

from workbench.ui.explore.lenses import cone_lens, gold_lens, spectrum_lens, views_lens, worst_lens
from workbench.ui.targets.choice import pick_other, pick_pairs, pick_target, say_absent

__all__ = [
    "cone_lens",
    "gold_lens",
    "pick_other",
    "pick_pairs",
    "pick_target",
    "say_absent",
    "spectrum_lens",
    "views_lens",
    "worst_lens",
]
