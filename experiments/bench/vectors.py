"""Cost of what is computed from vectors alone."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from experiments.bench import Row

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def uniformity(data: str, *, repeats: int = 3, count: int = 100_000, dim: int = 384) -> Iterator[Row]:
    """Uniformity of `count` vectors in a cone: sampled, `repeats` times, then over all pairs, which tells the true error."""
    from workbench.metrics.uniformity import estimate

    vectors = in_a_cone(count, dim)
    for repeat in range(repeats):
        start = time.perf_counter()
        sampled = estimate(vectors)
        seconds = time.perf_counter() - start
        note = f"{sampled.value:.5f}, standard error {sampled.error:.1g}"
        yield {"what": "sampled", "repeat": repeat, "seconds": seconds, "value": sampled.value, "note": note}
    start = time.perf_counter()
    exact = estimate(vectors, exact=True).value
    seconds = time.perf_counter() - start
    yield {"what": "over all pairs", "repeat": 0, "seconds": seconds, "value": exact, "note": f"{exact:.5f}"}


def umap(data: str, *, repeats: int = 5) -> Iterator[Row]:
    """UMAP here and by umap-learn, on sentences and on dropout views of the default encoder, a seed for each repeat.

    Trustworthiness is scikit-learn's, by cosine and over 15 neighbours: how far neighbours in the plane are neighbours.
    Seconds are without what is compiled in each process, which is timed before.
    """
    from sklearn.manifold import trustworthiness

    from workbench.analysis.projection import projection
    from workbench.core.rows import unit_rows

    kinds = {"ours": False, "umap-learn": True}
    for name, reference in kinds.items():
        start = time.perf_counter()
        projection(in_a_cone(100, 16), method="umap", reference=reference)
        yield {"what": f"first picture in a process, {name}", "repeat": 0, "seconds": time.perf_counter() - start}
    for what, vectors in _encoded().items():
        rows = unit_rows(vectors)
        for seed in range(repeats):
            for name, reference in kinds.items():
                start = time.perf_counter()
                points = projection(vectors, method="umap", seed=seed, reference=reference)[["x", "y"]].to_numpy()
                seconds = time.perf_counter() - start
                trust = float(trustworthiness(rows, points, n_neighbors=15, metric="cosine"))
                yield {"what": f"{what}, {name}", "repeat": seed, "seconds": seconds, "trustworthiness": trust}


def _encoded() -> "dict[str, NDArray[numpy.float32]]":
    """Vectors of 1,500 demo sentences, and of dropout views of a few."""
    from workbench.core import presets
    from workbench.data.demo import sentences
    from workbench.models.load import load

    texts = [text for _, text in sentences()]
    encoder = load(presets.TARGET, device="cpu")
    few, more = (encoder.dropout_views(texts[:: len(texts) // count][:count], 8) for count in (25, 75))
    return {
        "1,500 sentences": encoder.encode(texts[::3][:1500]),
        "8 views of 25 sentences": few.reshape(-1, encoder.dim),
        "8 views of 75 sentences": more.reshape(-1, encoder.dim),
    }


def in_a_cone(count: int, dim: int) -> "NDArray[numpy.float32]":
    """Vectors with a common direction and a falling spectrum, as encoders without contrast give them."""
    import numpy

    rows = numpy.random.default_rng(0).standard_normal((count, dim), dtype=numpy.float32)
    rows *= numpy.geomspace(1, 0.05, dim, dtype=numpy.float32)
    rows[:, 0] += numpy.linalg.norm(rows, axis=1).mean()
    return rows
