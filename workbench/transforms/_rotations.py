"""The two transforms that use the principal axes. scikit-learn is imported here, so this module is imported late."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from workbench.core.errors import BadData
from workbench.core.rows import unit_rows
from workbench.metrics import check_vectors
from workbench.transforms._fewness import say

SMALLEST = 1e-9
"""Variances below this share of the largest are rounding errors of float32 vectors, not directions."""


def principal_axes(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Variances (divisor n - 1), largest first, and the axes as rows, of rows whose mean is zero.

    By singular values: an eigendecomposition of the covariance squares them first and loses half of the digits.
    """
    count = len(centred)
    if count > centred.shape[1]:
        centred = np.asarray(np.linalg.qr(centred, mode="r"))  # the same axes, in far fewer rows
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    return values**2 / (count - 1), axes


class _Rotation(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Mean and principal axes: the first step of both transforms."""

    def _axes(self, vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = np.asarray(vectors, np.float64)
        self.mean_ = rows.mean(axis=0)
        return principal_axes(rows - self.mean_)

    def _centred(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(vectors, np.float64) - self.mean_


class Whitening(_Rotation):
    """See `whitening.whitening`."""

    def __init__(self, k: int = 0, normalise: bool = False) -> None:
        self.k, self.normalise = k, normalise

    def fit(self, vectors: NDArray[np.floating], y: object = None) -> Self:
        """Learn mean, axes and variances of `vectors`.

        Raises:
            BadData: fewer than two different vectors, or a number that is not finite.
        """
        rows = check_vectors(vectors, "Fitting whitening")
        if (rows == rows[0]).all():
            raise BadData(
                "Fitting whitening needs vectors that differ.",
                rule="At least two different texts are needed.",
                got=f"{len(rows):,} equal vectors",
                way_out="Fit on other texts.",
            )
        variances, axes = self._axes(rows)
        sound = int((variances > SMALLEST * variances[0]).sum()) if variances[0] > 0 else 0
        kept = min(self.k or rows.shape[1], sound)
        self.matrix_ = axes[:kept].T / np.sqrt(variances[:kept])
        say(self, _few(len(rows), rows.shape[1], self.k, kept))
        return self

    def transform(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """`vectors` in whitened coordinates, in their dtype."""
        whitened = self._centred(vectors) @ self.matrix_
        return (unit_rows(whitened) if self.normalise else whitened).astype(np.asarray(vectors).dtype, copy=False)


def _few(texts: int, dim: int, wanted: int, kept: int) -> str:
    """The warning for whitening with these numbers; empty if there is no reason for one."""
    message = f"Whitening was fitted on {texts:,} texts for {dim} dimensions and keeps {kept}: "
    if texts <= dim and kept >= texts - 1:
        return message + "all of these texts are now equally far apart. Fit on more texts, or lower k."
    if texts <= max(dim, 2 * kept):
        return message + "with so few, the variances it divides by are mostly chance. Fit on more texts, or lower k."
    if kept < min(wanted or dim, dim):
        return message + "the texts do not vary along the others."
    if wanted > dim:
        return message + f"k, {wanted:,}, is larger than the {dim} dimensions."
    return ""


class AllButTheTop(_Rotation):
    """See `all_but_the_top.all_but_the_top`."""

    def __init__(self, directions: int = -1) -> None:
        self.directions = directions

    def fit(self, vectors: NDArray[np.floating], y: object = None) -> Self:
        """Learn the mean and the directions of largest variance of `vectors`.

        Raises:
            BadData: fewer than two vectors, or a number that is not finite.
        """
        rows = check_vectors(vectors, "Fitting all_but_the_top")
        variances, axes = self._axes(rows)
        wanted = int(rows.shape[1] / 100 + 0.5) if self.directions < 0 else self.directions
        kept = min(wanted, int((variances > SMALLEST * variances[0]).sum()) if variances[0] > 0 else 0)
        self.components_ = axes[:kept]
        few = f"All-but-the-top was fitted on {len(rows):,} texts for {rows.shape[1]} dimensions: "
        few += "the directions it removes are partly chance. Fit on more texts."
        say(self, few if kept and len(rows) <= rows.shape[1] else "")
        return self

    def transform(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """`vectors` without the mean and without their part along the directions, in their dtype."""
        rows = self._centred(vectors)
        return (rows - rows @ self.components_.T @ self.components_).astype(np.asarray(vectors).dtype, copy=False)
