"""The page Explore: its lenses, each a tab that draws the targets side by side."""

from collections.abc import Callable

from workbench.ui.configs.cloning import drop_unusable
from workbench.ui.explore.cosine import cosine_lens
from workbench.ui.explore.dropout import views_lens
from workbench.ui.explore.frequency import frequency_lens
from workbench.ui.explore.layers import layers_lens
from workbench.ui.explore.lenses import cone_lens
from workbench.ui.explore.linked import linked_lens
from workbench.ui.explore.margin import margin_lens
from workbench.ui.targets.choice import before_training, pick_other, pick_pairs, pick_target

LENSES: dict[str, Callable[[list[str], str], None]] = {
    "Linked views": linked_lens,
    "The cone": cone_lens,
    "Dropout views": views_lens,
    "Margin": margin_lens,
    "One cosine": cosine_lens,
    "Layers": layers_lens,
    "Word frequency": frequency_lens,
}
"""The tabs in order: each function takes the targets and the name of a pair set."""


def in_order(target: str, other: str) -> list[str]:
    """The targets from left to right: as they were chosen, but a run stands after its backbone before fine-tuning."""
    chosen = [name for name in (target, other) if name]
    return chosen[::-1] if other and other == before_training(target) else chosen


__all__ = ["LENSES", "drop_unusable", "in_order", "pick_other", "pick_pairs", "pick_target"]
