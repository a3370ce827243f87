"""What is said when a transform has too few texts to be fitted well."""

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class FewTexts(UserWarning):
    """A transform was fitted on so few texts that some of what it learned is chance."""


def say(transformer: "BaseEstimator", message: str) -> None:
    """Warn, and leave the words on the fitted transformer as `few_` for whoever shows its results."""
    transformer.few_ = message
    if message:
        warnings.warn(message, FewTexts, stacklevel=3)
