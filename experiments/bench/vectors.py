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


def in_a_cone(count: int, dim: int) -> "NDArray[numpy.float32]":
    """Vectors with a common direction and a falling spectrum, as encoders without contrast give them."""
    import numpy

    rows = numpy.random.default_rng(0).standard_normal((count, dim), dtype=numpy.float32)
    rows *= numpy.geomspace(1, 0.05, dim, dtype=numpy.float32)
    rows[:, 0] += numpy.linalg.norm(rows, axis=1).mean()
    return rows
