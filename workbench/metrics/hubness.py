"""Hubness: whether a few texts are neighbours of very many others."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.core.rows import unit_rows
from workbench.metrics._rows import check_vectors, nearest


def hubness(
    vectors: NDArray[np.floating],
    *,
    neighbours: Annotated[int, Knob(1, 100, 1, "How many nearest texts count as neighbours.")] = 10,
) -> float:
    """Skewness of how often a text is among the nearest of others, by cosine; 0 is symmetric, higher has stronger hubs.

    Prefer it over metrics of the spectrum for what nearest-neighbour search will show; it compares all pairs of rows.

    Raises:
        BadData: not more rows than `neighbours`, or a number that is not finite.

    >>> angles = np.arange(12) * np.pi / 6
    >>> hubness(np.stack([np.cos(angles), np.sin(angles)], axis=1), neighbours=2)  # a ring: each has two
    0.0
    """
    counts = occurrences(vectors, neighbours=neighbours)
    spread = counts.std()
    return 0.0 if spread == 0 else float((((counts - counts.mean()) / spread) ** 3).mean())


def occurrences(vectors: NDArray[np.floating], *, neighbours: int = 10) -> NDArray[np.int64]:
    """How often each row is among the `neighbours` nearest of the others; they sum to n x neighbours.

    The largest is the strongest hub, a zero is an anti-hub. Ties go to the lower row number.

    Raises:
        BadData: not more rows than `neighbours`, or a number that is not finite.
    """
    rows = check_vectors(vectors, "hubness")
    if len(rows) <= neighbours:
        raise BadData(
            f"hubness needs more than {neighbours} vectors.",
            rule="A text is not its own neighbour.",
            got=str(len(rows)),
            way_out="Look at fewer neighbours.",
        )
    indices, _ = nearest(unit_rows(rows), neighbours)
    return np.bincount(indices.ravel(), minlength=len(rows))


METHOD = Method(
    hubness,
    title="Hubness",
    source="Radovanovic, Nanopoulos and Ivanovic 2010, Hubs in space, JMLR 11",
    formula=r"\frac{\mathbb{E}\left[(N_k - \mu)^3\right]}{\sigma^3},\quad "
    r"N_k(j) = \left|\{ i : j \text{ among the } k \text{ nearest of } i \}\right|",
    tags={"direction": "lower is more even", "inputs": "vectors"},
)
