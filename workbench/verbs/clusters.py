"""Clusters of texts, named by their words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Clusters:
    """Group texts by k-means on their whole vectors, and name each group by its most distinctive words.

    Prefer `neighbours` to see which texts are near a given one.
    """

    texts: Annotated[tuple[str, ...], Texts(least=2)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    count: Annotated[int, Knob(2, 20, 1, "Clusters.")] = 6
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "Of where the centres of the clusters begin.")] = 0


def run(request: Clusters, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns row, cluster (from 1, the largest first), cosine (with its centre), name (number and words), text.

    `.attrs` has n, count, target and the silhouette, see `workbench.analysis.clusters`.
    """
    from workbench.analysis.clusters import cluster_words, clusters

    texts = list(request.texts)
    vectors = models.vectors(request.target, texts, part(on_progress, 0.0, 0.8))
    on_progress(0.8, "Looking for clusters")
    table = clusters(vectors, count=request.count, seed=request.seed)
    words = cluster_words(texts, table["cluster"].to_numpy())
    names = [f"{number}: {found}" if found else str(number) for number, found in enumerate(words, 1)]
    attributes = table.attrs
    table = table.assign(name=[names[cluster - 1] for cluster in table["cluster"]], text=texts)
    table.attrs = {**attributes, "target": request.target.text}
    return table


VERB = Verb(Clusters, run, doing="Looking for clusters", command=True)
