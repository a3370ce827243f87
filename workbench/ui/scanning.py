"""Every augmentation over a sample of a corpus: which move the text little, and which much."""

from workbench.ui.notices import quiet


def scan_tab() -> None:
    """The whole-corpus tab of the Augment page."""
    quiet("This tab is being built.")
