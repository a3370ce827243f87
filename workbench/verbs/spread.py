"""How the vectors of a set, or of a part of it, spread: their spectrum, and the cosines of random pairs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.core.seeds import numpy_rng
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Spread:
    """The spectrum of the vectors of some texts, or of a part of them, and the cosines of random pairs.

    Prefer `geometry` for the metrics of a space, and `score` for the cosines of pairs that people scored.
    """

    texts: Annotated[tuple[str, ...], Texts(least=3)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    part: Annotated[tuple[str, ...], Texts(least=0)] = ()
    pairs: Annotated[int, Knob(1, 1_000_000, 1, "Random pairs; all pairs where there are no more.")] = 10_000
    seed: Annotated[int, "Seed of the draw of pairs."] = 0


@dataclass(frozen=True)
class SpreadOfVectors:
    """The spectrum of vectors, and cosines of random pairs."""

    spectrum: "DataFrame"
    """See `workbench.analysis.spectrum`; the mean is not subtracted."""
    random: "DataFrame"
    """Columns first and second (rows of the distinct texts, in their order) and cosine; one row per pair, none twice."""


def run(request: Spread, models: "ModelCache", on_progress: Progress) -> SpreadOfVectors:
    """Those of `part` if it is given, in a space whose transform is fitted on all `texts`; equal texts count once."""
    from pandas import DataFrame

    from workbench.analysis.spectrum import spectrum
    from workbench.core.rows import row_cosines

    texts = list(dict.fromkeys(request.part or request.texts))
    fitted = models.fit(request.target, on_progress, asked=list(request.texts))
    vectors = fitted.vectors(texts, on_progress)
    first, second = random_pairs(len(texts), request.pairs, request.seed)
    cosines = row_cosines(vectors[first], vectors[second]).astype(np.float64)
    return SpreadOfVectors(spectrum(vectors), DataFrame({"first": first, "second": second, "cosine": cosines}))


def random_pairs(n: int, most: int, seed: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Two different rows of n each, no pair twice, in a fixed order: all pairs if there are at most `most`.

    >>> [rows.tolist() for rows in random_pairs(3, 10, 0)]
    [[0, 0, 1], [1, 2, 2]]
    """
    every = n * (n - 1) // 2
    if every <= most:
        first, second = np.triu_indices(n, 1)
        return first, second
    rng = numpy_rng("spread", seed)
    chosen: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    while len(chosen) < most:  # so few are drawn twice that one round more is rare
        chosen = np.unique(np.concatenate([chosen, rng.integers(0, every, size=2 * most)]))
    chosen = np.sort(rng.permutation(chosen)[:most])
    # Pair number p is the p-th below the diagonal: second * (second - 1) / 2 + first, with first < second.
    second = np.floor((1 + np.sqrt(1 + 8 * chosen.astype(np.float64))) / 2).astype(np.int64)
    second -= second * (second - 1) // 2 > chosen
    second += second * (second + 1) // 2 <= chosen
    return chosen - second * (second - 1) // 2, second


VERB = Verb(Spread, run, doing="Measuring how the vectors spread")
