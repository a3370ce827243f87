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

Way = Literal["pca", "umap", "tsne", "cone"]

MOST_TSNE = 10_000
"""Most rows that t-SNE takes: beyond, minutes would pass."""
LEAST = {"umap": 5, "tsne": 5}
"""Fewest rows of a method, where it is more than 3."""


def projection(
    vectors: NDArray[np.floating],
    *,
    method: Annotated[
        Way, Knob(help="cone keeps the origin; pca, umap and tsne centre the vectors and thereby hide the cone.")
    ] = "cone",
    neighbours: Annotated[int, Knob(2, 200, 1, "umap: neighbours that determine a point's position.")] = 15,
    perplexity: Annotated[float, Knob(2.0, 100.0, 1.0, "tsne: about how many neighbours count for a point.")] = 30.0,
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "umap, tsne: the random seed; the others need none.")] = 0,
    reference: Annotated[bool, Knob(help="umap: with umap-learn, which first compiles for 20 s.")] = False,
) -> "DataFrame":
    """One point per vector, scaled to unit length first: row, x, y; what the picture cannot show is in the table's `attrs`.

    `cone`: uncentred. The origin is (0, 0), x is the cosine with the mean direction, y the coordinate along the direction with
    the largest squared length once the mean direction is removed. `pca`: centred, the two directions of largest variance, each
    signed so that its largest coordinate is positive: the same vectors give the same picture. `umap`: by cosine; neighbours
    are kept, distances and origin have no meaning. Its objective is umap-learn's, and it keeps neighbours
    as well; time is quadratic in the rows. `tsne`: the same can be said of it; scikit-learn's, from the first two principal
    components, with a perplexity of at most a third of the other rows.

    attrs, all plain numbers: `method`, `n`; `mean_cosine` and `mean_cosine_centred` of the vectors themselves, before
    and after their mean is subtracted; `drawn_mean_cosine` and `drawn_mean_cosine_centred`, the same for the points as drawn,
    from (0, 0) and from their mean (None for umap and tsne); `explained`, the shares of the squared length (cone) or variance
    (pca) along x and y; `mean_length`, the length of the mean unit vector; `trustworthiness` (0..1), whether points that are
    near in the plane are near by cosine too, over `trust_neighbours` neighbours of `trust_rows` rows.

    Prefer it over `neighbours` for an overview, and over `spectrum` to see single texts; distances in the plane are distorted.

    Raises:
        BadData: fewer than 3 vectors (umap, tsne: 5), too many for tsne, one dimension, or a number that is not finite.
    """
    from pandas import DataFrame

    from workbench.analysis._trustworthiness import trustworthiness

    rows = unit_rows(check_vectors(vectors, "projection", least=LEAST.get(method, 3)).astype(np.float64))
    check_size(method, len(rows))
    if rows.shape[1] < 2:
        raise BadData("projection needs at least 2 dimensions.", got="1")
    mean = rows.mean(axis=0)
    explained: list[float] | None = None
    if method == "cone":
        axes, explained = cone_axes(rows, mean)
        points = rows @ axes.T
    elif method == "pca":
        axes, explained = principal_axes(rows - mean)
        points = (rows - mean) @ axes.T
    elif method == "tsne":
        points = _tsne(rows, min(perplexity, (len(rows) - 1) / 3), seed)
    else:
        points = _umap(rows, min(neighbours, len(rows) - 1), seed, reference)
    trust = trustworthiness(rows, points)
    drawn = method in ("pca", "cone")
    table = DataFrame({"row": np.arange(len(rows)), "x": points[:, 0], "y": points[:, 1]})
    table.attrs = {
        "method": method,
        "n": len(rows),
        "mean_cosine": mean_cosine(rows),
        "mean_cosine_centred": mean_cosine(rows - mean),
        "drawn_mean_cosine": mean_cosine(points) if drawn else None,
        "drawn_mean_cosine_centred": mean_cosine(points - points.mean(axis=0)) if drawn else None,
        "explained": explained,
        "mean_length": float(np.linalg.norm(mean)),
        "trustworthiness": trust.value,
        "trust_neighbours": trust.neighbours,
        "trust_rows": trust.rows,
    }
    return table


def check_size(method: Way, n: int) -> None:
    """Check that a method can place so many rows in a time that one would wait.

    Raises:
        BadData: too many for t-SNE.
    """
    if method == "tsne" and n > MOST_TSNE:
        raise BadData(
            "These are too many points for t-SNE.",
            rule=f"It places at most {MOST_TSNE:,}.",
            got=f"{n:,}",
            way_out="Use fewer texts, or another projection.",
        )


def principal_axes(rows: NDArray[np.floating]) -> tuple[NDArray[np.floating], list[float]]:
    """The two directions with the largest squared length of `rows`, uncentred and signed, and their shares."""
    powers, directions = np.linalg.eigh(rows.T @ rows)  # ascending
    axes = directions[:, [-1, -2]].T
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.where(axes[[0, 1], largest] < 0, -1.0, 1.0)[:, None]
    total = max(float(powers.sum()), np.finfo(float).tiny)
    return axes, [max(0.0, float(powers[-1])) / total, max(0.0, float(powers[-2])) / total]


def cone_axes(rows: NDArray[np.floating], mean: NDArray[np.floating]) -> tuple[NDArray[np.floating], list[float]]:
    """The mean direction, and the top direction of the rest; their shares of the squared length of the rows."""
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
    return umap_points(rows, _principal_points(rows), neighbours=neighbours, seed=seed)


def _tsne(rows: NDArray[np.floating], perplexity: float, seed: int) -> NDArray[np.float64]:
    """By distances of unit rows. The start is scaled to 1e-4 along x, so that it decides nothing but where groups lie."""
    from sklearn.manifold import TSNE

    start = _principal_points(rows)
    start *= 1e-4 / max(float(start[:, 0].std()), 1e-9)
    model = TSNE(perplexity=perplexity, init=start.astype(np.float32), random_state=seed)
    return np.asarray(model.fit_transform(rows.astype(np.float32)), np.float64)


def _principal_points(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    centred = rows - rows.mean(axis=0)
    axes, _ = principal_axes(centred)
    return np.asarray(centred @ axes.T)


METHOD = Method(
    projection,
    title="Projection to the plane",
    source="cone: defined here; pca: Pearson 1901; umap: McInnes et al. 2018, arXiv:1802.03426; "
    "tsne: van der Maaten and Hinton 2008; trustworthiness: Venna and Kaski 2001",
)
