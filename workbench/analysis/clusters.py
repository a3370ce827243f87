"""Clusters: groups of near texts, and the words that tell each from the others."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.core.seeds import some_rows
from workbench.metrics import check_vectors

if TYPE_CHECKING:
    from pandas import DataFrame

MANY_ROWS = 20_000
"""Above so many, k-means goes through batches."""
_SOME_ROWS = 1_000
"""As many rows as usually have enough different ones."""
_RARE = 1e-4
"""A mean TF-IDF that is as good as none."""
SILHOUETTE_ROWS = 2_000
"""Most rows among which the silhouette is measured."""


def clusters(
    vectors: NDArray[np.floating],
    *,
    count: Annotated[int, Knob(2, 20, 1, "Clusters; no more than there are different vectors.")] = 6,
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "Of where the centres begin.")] = 0,
) -> "DataFrame":
    """The cluster of each vector by k-means on unit vectors: row, cluster (from 1, the largest first), cosine with its centre.

    k-means finds clusters in any set, so attrs has `silhouette`, the mean silhouette of at most 2,000 unit vectors by their
    distance (-1..1): near 0 there are none worth the name. It is None if all are in one cluster, or each is in its own. `n`
    and `count` are the rows and the clusters.

    Prefer it over `projection` for groups that a plane would lay on each other.

    Raises:
        BadData: fewer than two vectors, or a number that is not finite.

    >>> clusters(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), count=2)["cluster"].tolist()
    [1, 1, 2]
    """
    from pandas import DataFrame
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.metrics import silhouette_score

    rows = unit_rows(check_vectors(vectors, "clusters")).astype(np.float32)
    if _different(rows[:_SOME_ROWS]) < count:
        count = min(count, _different(rows))
    method = MiniBatchKMeans if len(rows) > MANY_ROWS else KMeans
    labels = method(count, n_init=4, random_state=seed).fit_predict(rows)
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    place = np.empty(len(sizes), np.int64)
    place[np.argsort(-sizes, kind="stable")] = np.arange(1, len(sizes) + 1)
    cluster = place[labels]
    centres = unit_rows(np.stack([rows[cluster == number].mean(axis=0) for number in range(1, len(sizes) + 1)]))
    cosine = np.clip(np.einsum("ij,ij->i", rows, centres[cluster - 1], dtype=np.float64), -1, 1)
    asked = np.array(some_rows(len(rows), SILHOUETTE_ROWS, seed, "silhouette"))
    several = 1 < len(np.unique(cluster[asked])) < len(asked)
    table = DataFrame({"row": np.arange(len(rows)), "cluster": cluster, "cosine": cosine})
    table.attrs = {
        "n": len(rows),
        "count": len(sizes),
        "silhouette": float(silhouette_score(rows[asked], cluster[asked])) if several else None,
    }
    return table


def _different(rows: NDArray[np.floating]) -> int:
    return len(np.unique(rows.round(6), axis=0))


def cluster_words(texts: Sequence[str], cluster: NDArray[np.integer], *, words: int = 3) -> list[str]:
    """For each cluster, numbered from 1, its most distinctive words, separated by commas; empty where there is no word.

    By how far a word's mean TF-IDF in the cluster is above that in all other texts, times the logarithm of their ratio: words
    that are frequent everywhere stand back, in any language.

    >>> cluster_words(["a dog runs", "the dog sat", "rain falls", "heavy rain"], np.array([1, 1, 2, 2]), words=1)
    ['dog', 'rain']
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    count = int(cluster.max())
    model = TfidfVectorizer(token_pattern=r"(?u)\b[^\W\d_](?:['’]?[^\W_])+\b", sublinear_tf=True)
    try:
        weights = model.fit_transform(texts)
    except ValueError:  # no text has a word
        return [""] * count
    known = model.get_feature_names_out()
    total = np.asarray(weights.sum(axis=0)).ravel()
    named = []
    for number in range(1, count + 1):
        inside = cluster == number
        own = np.asarray(weights[inside].sum(axis=0)).ravel()
        others = (total - own) / max(1, int((~inside).sum()))
        own = own / max(1, int(inside.sum()))
        distinctive = np.maximum(own - others, 0) * np.log((own + _RARE) / (others + _RARE))
        best = np.argsort(-distinctive, kind="stable")[:words]
        named.append(", ".join(str(known[word]) for word in best if distinctive[word] > 0))
    return named


METHOD = Method(
    clusters,
    title="Clusters",
    source="k-means: Lloyd 1982, with the start of Arthur and Vassilvitskii 2007; silhouette: Rousseeuw 1987",
)
