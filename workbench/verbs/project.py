"""Projecting texts, or dropout views of them, to the plane."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Project:
    """Project the vectors of texts, or `views` dropout views of each, to two dimensions.

    Prefer `neighbours` for true distances: a projection to the plane distorts them.
    """

    texts: Annotated[tuple[str, ...], Texts()]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    method: Annotated[Literal["pca", "umap", "tsne", "cone"], Knob(help="The method of projection.")] = "pca"
    views: Annotated[int, Knob(0, 200, 1, "Dropout views of each text; 0 shows each text once, without dropout.")] = 0
    dropout: Annotated[float, Knob(0.0, 0.9, 0.05, "Rate of dropout in the backbone.")] = 0.1
    neighbours: Annotated[int, Knob(2, 200, 1, "Neighbours that UMAP considers.")] = 15
    perplexity: Annotated[float, Knob(2.0, 100.0, 1.0, "About how many neighbours t-SNE considers.")] = 30.0
    seed: Annotated[int, "Seed of dropout masks, of UMAP and of t-SNE."] = 0


def check(request: Project) -> None:
    """Dropout views need an encoder, and t-SNE takes no more points than it can place in a minute or so."""
    from workbench.analysis.projection import check_size

    check_size(request.method, len(request.texts) * max(1, request.views))
    if request.views > 1 and request.target.baseline:
        raise BadSetting(
            f"{request.target.text} is not an encoder: it has no dropout.", way_out="Name a backbone or a run."
        )


def run(request: Project, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns row, view, x, y, text, with views also mean_x, mean_y and silhouette; one row per text and view.

    `.attrs` has the quality of the projection, see `workbench.analysis.projection`, and target, dropout and fitted_on.
    A picture that was computed before is read, see `workbench.store.coordinates`.
    """
    from workbench.store import coordinates

    name = coordinates.name_of(VERB.stem(request, without=""))
    table = coordinates.load(models.folder, name)
    if table is None:
        table = computed(request, models, on_progress)
        coordinates.save(models.folder, name, table)
    attributes = table.attrs
    table = table.assign(text=[request.texts[row] for row in table["row"]])
    table.attrs = attributes
    return table


def computed(request: Project, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """The table without its texts, computed anew and not stored."""
    from workbench.analysis.dropout_views import dropout_views
    from workbench.analysis.projection import projection

    texts, target = list(request.texts), request.target
    views = request.views if request.views > 1 else 0
    if views:
        vectors = models.views(target, texts, views, request.dropout, request.seed, part(on_progress, 0.0, 0.6))
        on_progress(0.6, "Projecting")
        table = dropout_views(
            vectors,
            method=request.method,
            neighbours=request.neighbours,
            perplexity=request.perplexity,
            seed=request.seed,
        )
    else:
        vectors = rotated(models.vectors(target, texts, part(on_progress, 0.0, 0.6)))
        on_progress(0.6, "Projecting")
        table = projection(
            vectors,
            method=request.method,
            neighbours=request.neighbours,
            perplexity=request.perplexity,
            seed=request.seed,
        )
        table.insert(1, "view", 0)
    table.attrs = {
        **table.attrs,
        "target": target.text,
        "dropout": request.dropout if views else None,
        "fitted_on": models.fit(target, part(on_progress, 0.9, 1.0), asked=texts).on,
    }
    return table


def rotated(vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, d) rotated to (n, min(n, d)); all lengths and angles are preserved.

    >>> rotated(np.array([[0.0, 3.0, 4.0]], np.float32)).round(4).tolist() in ([[5.0]], [[-5.0]])
    True
    """
    if vectors.shape[1] <= max(2, len(vectors)):
        return vectors
    corner = np.asarray(np.linalg.qr(vectors.T.astype(np.float64), mode="r"))
    return corner.T.astype(vectors.dtype)


def slow(request: Project) -> bool:
    """UMAP and t-SNE take seconds."""
    return request.method in ("umap", "tsne")


VERB = Verb(
    Project,
    run,
    check=check,
    slow=slow,
    doing="Projecting to two dimensions",
    command=True,
    beside=("target", "explained", "trustworthiness", "trust_neighbours", "fitted_on"),
)
