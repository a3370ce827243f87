"""Differences from a baseline, in words."""

from workbench.ui.kit.words import score


def signed(value: float) -> str:
    """A difference of correlations times 100, with its sign."""
    shown = score(value)
    return shown if shown.startswith("−") else f"+{shown}"
