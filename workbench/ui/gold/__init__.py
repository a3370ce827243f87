"""The page Gold: where people judge. Pairs to rate from 0 to 5, and augmentations to judge without their names."""

from workbench.ui.gold.judging import judge_tab
from workbench.ui.gold.rating import rate_tab

__all__ = ["judge_tab", "rate_tab"]
