"""Dropout views: the same text encoded several times, and how well the texts stay separated."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.projection import Way, projection
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows

if TYPE_CHECKING:
    from pandas import DataFrame


def dropout_views(
    vectors: NDArray[np.floating],
    *,
    method: Annotated[Way, Knob(help="pca is immediate; cone keeps the origin.")] = "pca",
    neighbours: Annotated[int, Knob(2, 200, 1, "umap: neighbours that determine a point's position.")] = 15,
    perplexity: Annotated[float, Knob(2.0, 100.0, 1.0, "tsne: about how many neighbours count for a point.")] = 30.0,
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "umap, tsne: the random seed.")] = 0,
) -> "DataFrame":
    """One point per view, from (texts, views, dim): row, view, x, y, mean_x, mean_y, silhouette.

    `mean_x, mean_y` is the mean of the text's drawn points. `silhouette` is the silhouette of the view in the full space by
    cosine distance: near 1 it is among the views of its text, below 0 it is nearer to those of another text.

    attrs: those of `projection`, and `within_cosine` and `between_cosine`, the mean cosine of two views of one text and
    of two texts; `separation`, the ratio of the mean cosine distance between views of two texts to that between views of one
    text; `silhouette`, the mean of that column (-1..1); `views`, `texts`. What is undefined for a single text or view is None.

    Prefer it over `projection` to see how far dropout moves a text compared with the distance to other texts.

    Raises:
        BadData: not of shape (texts, views, dim), too few points to project, or a number that is not finite.
    """
    views = np.asarray(vectors)
    if views.ndim != 3:
        raise BadData("dropout_views needs (texts, views, dim).", got=f"shape {views.shape}")
    texts, count, dim = views.shape
    rows = views.reshape(-1, dim)
    table = projection(rows, method=method, neighbours=neighbours, perplexity=perplexity, seed=seed)
    attrs = table.attrs
    table["row"], table["view"] = np.repeat(np.arange(texts), count), np.tile(np.arange(count), texts)
    for axis in ("x", "y"):
        table[f"mean_{axis}"] = table.groupby("row")[axis].transform("mean")
    unit = unit_rows(views.astype(np.float64))
    silhouettes = silhouette(unit)
    table["silhouette"] = silhouettes.ravel()
    sums = unit.sum(axis=1)  # (texts, dim)
    inside = np.square(sums).sum() - np.square(unit).sum()
    everything = np.square(sums.sum(axis=0)).sum() - np.square(unit).sum()
    pairs_within = texts * count * (count - 1)
    pairs_between = texts * (texts - 1) * count**2
    within = float(inside / pairs_within) if pairs_within else None
    between = float((everything - inside) / pairs_between) if pairs_between else None
    separation = None
    # Without any spread of the views, as with dropout 0, the ratio is not finite.
    if within is not None and between is not None and within < 1 - 1e-9:
        separation = (1 - between) / (1 - within)
    table.attrs = {
        **attrs,
        "texts": texts,
        "views": count,
        "within_cosine": within,
        "between_cosine": between,
        "separation": separation,
        "silhouette": None if np.isnan(silhouettes).any() else float(silhouettes.mean()),
    }
    return table[["row", "view", "x", "y", "mean_x", "mean_y", "silhouette"]]


def silhouette(unit: NDArray[np.floating]) -> NDArray[np.floating]:
    """Silhouette of each of (texts, views, dim) unit vectors by cosine distance; NaN with one text or one view.

    The mean cosine with a set is the dot product with its mean, so no distance between two views is ever formed.
    """
    texts, count, _ = unit.shape
    if texts < 2 or count < 2:
        return np.full((texts, count), np.nan)
    sums = unit.sum(axis=1)
    distance = 1 - np.einsum("tvd,sd->tvs", unit, sums) / count  # to each text's views
    own = np.arange(texts)
    # A view is at distance 0 from itself, so the mean for its text is over the other views.
    within = distance[own, :, own] * count / (count - 1)
    # A zero vector has cosine 0 with itself; harmless, but the distance to itself is then 1.
    within -= (1 - np.square(unit).sum(axis=2)) / (count - 1)
    distance[own, :, own] = np.inf
    between = distance.min(axis=2)
    larger = np.maximum(within, between)
    score = np.zeros_like(within)
    np.divide(between - within, larger, out=score, where=larger > 1e-12)
    return np.clip(score, -1, 1)


METHOD = Method(
    dropout_views,
    title="Dropout views",
    source="Figure after Zhang et al. 2022, ArcCSE; silhouette: Rousseeuw 1987",
)
