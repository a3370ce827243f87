"""Transforms: post-processing fitted on one set of vectors and applied to others. scikit-learn transformers.

Each file's function builds an unfitted transformer and imports scikit-learn (which takes a second) only then.
Tags: `fitted`; `done`, what was done to vectors, in a word; `texts`, the quantity that the number of texts should exceed;
`progress`, if its `fit` takes `on_progress`.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.core.config import Value
from workbench.core.discovery import discover
from workbench.core.method import Method, calling, described, find, wrong_return
from workbench.core.progress import Progress, no_progress
from workbench.metrics import check_vectors
from workbench.transforms._fewness import FewTexts

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin

__all__ = ["METHODS", "FewTexts", "Transform", "fit", "transformed"]


class Transform(Protocol):
    """A fitted transform."""

    def transform(self, vectors: NDArray[np.floating], /) -> NDArray[np.floating]:
        """(n, d) to (n, e)."""


def _lacks(method: Method) -> str:
    """Why a transform cannot be shown, in one line; empty if it can."""
    return (
        "" if method.tags.get("done") else "its tag done must say in a word what was done to vectors, such as whitened."
    )


METHODS = discover(__name__, list(__path__), check=_lacks)


def fit(
    name: str, vectors: NDArray[np.floating], *, on_progress: Progress = no_progress, **settings: Value
) -> "TransformerMixin":
    """The transform called `name`, fitted on `vectors`: an object with `transform(vectors)`.

    A transform fitted on too few texts warns (`FewTexts`) and keeps the message in its attribute `few_`. Slow transforms call
    `on_progress`, which may raise an error to stop the fit.

    Raises:
        UnknownName: no such transform or setting.
        BadSetting: a setting out of range.
        BadData: fewer than two vectors (for whitening, two different ones), or a number that is not finite: nothing can be
            fitted on a single text.
        BadMethod: a plug-in's transform that fails, or one that is no transformer.

    >>> fit("centre", np.array([[1.0, 0.0], [3.0, 2.0]])).transform(np.array([[2.0, 2.0]])).tolist()
    [[0.0, 1.0]]
    """
    method = find(METHODS, "transform", name)
    extra = {"on_progress": on_progress} if "progress" in method.tags else {}
    with calling("transform", method):
        unfitted = method.fn(**method.check(settings))
    if isinstance(unfitted, type) or not (callable(getattr(unfitted, "fit", None)) and hasattr(unfitted, "transform")):
        raise wrong_return("transform", method, "a transformer with fit and transform", described(unfitted))
    with calling("transform", method):
        fitted = unfitted.fit(check_vectors(vectors, f"Fitting {name}"), **extra)
    if not hasattr(fitted, "transform"):
        raise wrong_return("transform", method, "a transformer whose fit returns itself", described(fitted))
    return fitted


def transformed(name: str, fitted: Transform, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """float32 `vectors` after the transform called `name`, which was fitted before.

    Raises:
        BadMethod: a plug-in's transform that fails, or a transform that gives no finite vector for each.

    >>> centred = fit("centre", np.array([[1.0, 0.0], [3.0, 2.0]]))
    >>> transformed("centre", centred, np.array([[2.0, 2.0]])).tolist()
    [[0.0, 1.0]]
    """
    method = METHODS[name]
    with calling("transform", method):
        made = fitted.transform(vectors)
    if not isinstance(made, np.ndarray) or made.ndim != 2 or len(made) != len(vectors) or made.dtype.kind not in "fiu":
        got = f"{described(made)}, for {len(vectors):,} vectors"
        raise wrong_return("transform", method, "an array with a vector for each vector, (texts, dim)", got)
    if lost := int((~np.isfinite(made).all(axis=1)).sum()):
        got = f"NaN or infinity for {lost:,} of {len(vectors):,}"
        raise wrong_return("transform", method, "finite numbers", got)
    return made.astype(np.float32)
