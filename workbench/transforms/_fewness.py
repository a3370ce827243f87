"""What is said when a transform has too few texts to be fitted well."""

import warnings
from typing import Any


class FewTexts(UserWarning):
    """A transform was fitted on so few texts that some of what it learned is chance."""


def say(transformer: Any, message: str) -> None:
    """Warn, and leave the words on the fitted transformer as `few_` for whoever shows its results."""
    transformer.few_ = message
    if message:
        warnings.warn(message, FewTexts, stacklevel=3)
