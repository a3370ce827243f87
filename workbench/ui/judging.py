"""People judge drawn pairs without knowing which augmentation made them."""

from workbench.ui.notices import quiet


def judge_tab() -> None:
    """The blind tab of the Augment page."""
    quiet("This tab is being built.")
