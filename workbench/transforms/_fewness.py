"""The warning for a transform that has too few texts to be fitted well."""

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class FewTexts(UserWarning):
    """A transform was fitted on so few texts that some of what it learned is chance."""


def say(transformer: "BaseEstimator", message: str) -> None:
    """Warn, and keep the message in the fitted transformer's attribute `few_`, for code that shows its results."""
    transformer.few_ = message
    if message:
        warnings.warn(message, FewTexts, stacklevel=3)
