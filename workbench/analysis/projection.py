"""Projection: vectors as points in a plane, and what the plane cannot show."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics import check_vectors
from workbench.metrics.mean_cosine import mean_cosine

if TYPE_CHECKING:
    from pandas import DataFrame

Way = Literal["pca", "umap", "cone"]


def projection(
    vectors: NDArray[np.floating],
    *,
    method: Annotated[
        Way, Knob(help="cone keeps the origin; pca and umap centre the vectors and thereby hide the cone.")
    ] = "cone",
    neighbours: Annotated[int, Knob(2, 200, 1, "umap: neighbours that determine a point's position.")] = 15,
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "umap: the random seed; the others need none.")] = 0,
    reference: Annotated[bool, Knob(help="umap: with umap-learn, which first compiles for 20 s.")] = False,
) -> "DataFrame":
    """One point per vector, scaled to unit length first: row, x, y; what the picture cannot show is in the table's `attrs`.

    `cone`: uncentred. The origin is (0, 0), x is the cosine with the mean direction, y the coordinate along the direction with
    the largest squared length once the mean direction is removed. `pca`: centred, the two directions of largest variance, each
    signed so that its largest coordinate is positive: the same vectors give the same picture. `umap`: by cosine; neighbours
    are kept, distances and origin have no meaning. Its objective is umap-learn's, and it keeps neighbours
    as well; time is quadratic in the rows.

    attrs, all plain numbers: `method`, `n`; `mean_cosine` and `mean_cosine_centred` of the vectors themselves, before
    and after their mean is subtracted; `drawn_mean_cosine` and `drawn_mean_cosine_centred`, the same for the points as drawn,
    from (0, 0) and from their mean (None for umap); `explained`, the shares of the squared length (cone) or variance (pca)
    along x and y; `mean_length`, the length of the mean unit vector.

    Prefer it over `neighbours` for an overview, and over `spectrum` to see single texts; distances in the plane are distorted.

    Raises:
        BadData: fewer than 3 vectors (umap: 5), one dimension, or a number that is not finite.
    """
    from pandas import DataFrame

    rows = unit_rows(check_vectors(vectors, "projection", least=5 if method == "umap" else 3).astype(np.float64))
    if rows.shape[1] < 2:
        raise BadData("projection needs at least 2 dimensions.", got="1")
    mean = rows.mean(axis=0)
    explained: list[float] | None = None
    if method == "cone":
        axes, explained = _cone_axes(rows, mean)
        points = rows @ axes.T
    elif method == "pca":
        axes, explained = principal_axes(rows - mean)
        points = (rows - mean) @ axes.T
    else:
        points = _umap(rows, min(neighbours, len(rows) - 1), seed, reference)
    table = DataFrame({"row": np.arange(len(rows)), "x": points[:, 0], "y": points[:, 1]})
    table.attrs = {
        "method": method,
        "n": len(rows),
        "mean_cosine": mean_cosine(rows),
        "mean_cosine_centred": mean_cosine(rows - mean),
        "drawn_mean_cosine": None if method == "umap" else mean_cosine(points),
        "drawn_mean_cosine_centred": None if method == "umap" else mean_cosine(points - points.mean(axis=0)),
        "explained": explained,
        "mean_length": float(np.linalg.norm(mean)),
    }
    return table


def principal_axes(rows: NDArray[np.floating]) -> tuple[NDArray[np.floating], list[float]]:
    """The two directions with the largest squared length of `rows`, uncentred and signed, and their shares."""
    powers, directions = np.linalg.eigh(rows.T @ rows)  # ascending
    axes = directions[:, [-1, -2]].T
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.where(axes[[0, 1], largest] < 0, -1.0, 1.0)[:, None]
    total = max(float(powers.sum()), np.finfo(float).tiny)
    return axes, [max(0.0, float(powers[-1])) / total, max(0.0, float(powers[-2])) / total]


def _cone_axes(rows: NDArray[np.floating], mean: NDArray[np.floating]) -> tuple[NDArray[np.floating], list[float]]:
    """The mean direction, and the top direction of the rest."""
    length = np.linalg.norm(mean)
    # Vectors that cancel exactly have no mean direction; any axis will do, and the arrow has length 0.
    first = mean / length if length > 1e-12 else np.eye(rows.shape[1])[0]
    along = rows @ first
    axes, _ = principal_axes(rows - along[:, None] * first)
    second = axes[0] - (axes[0] @ first) * first  # if nothing is left, any axis may come back, even the first
    norm = np.linalg.norm(second)
    second = second / norm if norm > 1e-9 else np.zeros_like(first)
    total = max(float(np.square(rows).sum()), np.finfo(float).tiny)
    shares = [float(np.square(along).sum()) / total, float(np.square(rows @ second).sum()) / total]
    return np.stack([first, second]), shares


def _umap(rows: NDArray[np.floating], neighbours: int, seed: int, reference: bool) -> NDArray[np.float64]:
    """From the first two principal components, since a spectral start fails on small or disconnected sets."""
    from workbench.analysis._umap import reference_points, umap_points

    if reference:
        return reference_points(rows, neighbours=neighbours, seed=seed)
    centred = rows - rows.mean(axis=0)
    axes, _ = principal_axes(centred)
    return umap_points(rows, centred @ axes.T, neighbours=neighbours, seed=seed)


METHOD = Method(
    projection,
    title="Projection to the plane",
    source="cone: defined here; pca: Pearson 1901; umap: McInnes et al. 2018, arXiv:1802.03426",
)
