"""The page of the papers' figures: each with a link that draws it here, and what was published."""

from workbench.ui.gallery.cards import figure_cards

__all__ = ["figure_cards"]
