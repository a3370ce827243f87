"""Augmented texts beside their originals, in the space of an encoder."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import numpy as np

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.core.seeds import some_rows
from workbench.verbs._fields import Lines, unparsed
from workbench.verbs._over_corpus import OverCorpus, common
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

ORIGINAL = "original"
"""What stands in place of an augmentation for texts that have none."""


@dataclass(frozen=True)
class AugmentationSpace(OverCorpus):
    """Place augmented texts beside their originals, and measure whether a linear probe can guess the augmentation.

    Each augmentation is drawn once for each text of a sample, and what it leaves unchanged is left out. The more of an
    augmentation the vectors hold, the easier it is to guess; an encoder trained to ignore augmentations leaves less of them.

    Prefer `scan` for how much each augmentation changes texts.
    """

    pipelines: Annotated[tuple[str, ...], Lines("The pipelines; by default all rule-based ones.", texts=True)] = (
        unparsed(None)
    )
    n: Annotated[int, Knob(5, 2000, 1, "Texts of the sample.")] = 200
    method: Annotated[Literal["pca", "umap"], Knob(help="The method of projection.")] = "pca"


class SpaceAbout(TypedDict):
    """The probe, the projection and the sample."""

    accuracy: float | None
    """How often the probe guesses right: mean of the augmentations' shares (0..1); None with fewer than two augmentations."""
    low: float | None
    high: float | None
    chance: float | None
    trustworthiness: float
    """Of the projection (0..1), see `workbench.analysis.projection`."""
    n: int
    texts: int
    method: str
    target: str


@dataclass(frozen=True)
class Space:
    """Originals and augmented texts in the plane, and how far the augmentation can be guessed."""

    points: "DataFrame"
    """Columns row (of the original text), augmentation (or original), x, y, text."""
    guessed: "DataFrame"
    """Columns augmentation, n (texts that it changed), accuracy (0..1; missing where too few were changed), cosine (mean with the
    originals)."""
    about: SpaceAbout


def check(request: AugmentationSpace) -> None:
    """The pattern must compile."""
    request.protection.check()


def run(request: AugmentationSpace, models: "ModelCache", on_progress: Progress) -> Space:
    """Points by PCA or UMAP of all of them together; the probe sees whole vectors, not points."""
    import pandas

    from workbench.analysis.projection import projection
    from workbench.core.rows import unit_rows
    from workbench.data.corpora import load_corpus
    from workbench.previews import text_preview
    from workbench.previews.augmentation_probe import LEAST, guess
    from workbench.verbs.project import rotated

    known = common(request, models, on_progress)
    corpus = load_corpus(request.corpus).texts
    originals = [corpus[row] for row in some_rows(len(corpus), request.n, request.seed, "augmentation space")]
    rows = [pandas.DataFrame({"row": range(len(originals)), "augmentation": ORIGINAL, "text": originals})]
    for number, line in enumerate(request.pipelines):
        on_progress(0.4 * number / len(request.pipelines), f"Drawing {line}")
        drawn = text_preview.table(
            line,
            originals,
            seed=request.seed,
            draws=1,
            protection=request.protection,
            resources=known["resources"],
        )
        changed = drawn[drawn["changed"]]
        rows.append(pandas.DataFrame({"row": changed["sentence"], "augmentation": line, "text": changed["text"]}))
    points = pandas.concat(rows, ignore_index=True)
    if len(points) < 2 * LEAST:
        raise BadData(
            "There are too few texts for a picture.",
            rule=f"At least {2 * LEAST} texts, augmented ones included.",
            got=str(len(points)),
            way_out="Choose a larger corpus.",
        )
    vectors = rotated(models.vectors(request.target, points["text"].tolist(), part(on_progress, 0.4, 0.8)))
    on_progress(0.8, "Projecting")
    plane = projection(vectors, method=request.method, seed=request.seed)
    points = points.assign(x=plane["x"], y=plane["y"])[["row", "augmentation", "x", "y", "text"]]
    points.attrs = plane.attrs
    on_progress(0.9, "Guessing the augmentation")
    unit = unit_rows(vectors.astype(np.float64))
    before = unit[points["row"].to_numpy()]  # the originals come first, in order
    cosines = (unit * before).sum(axis=1)
    counts = points["augmentation"].value_counts()
    classes = [line for line in request.pipelines if counts.get(line, 0) >= LEAST]
    chosen = points["augmentation"].isin(classes).to_numpy()
    result = None
    if len(classes) > 1:
        labels = points["augmentation"].map({line: number for number, line in enumerate(classes)})[chosen]
        result = guess(
            before[chosen],
            unit[chosen],
            labels.to_numpy(dtype=np.int64),
            points["row"].to_numpy()[chosen],
            seed=request.seed,
        )
    shares = dict(zip(classes, result.of_each, strict=True)) if result else {}
    guessed = pandas.DataFrame(
        [
            {
                "augmentation": line,
                "n": int(counts.get(line, 0)),
                "accuracy": shares.get(line, np.nan),
                "cosine": float(cosines[(points["augmentation"] == line).to_numpy()].mean())
                if line in counts
                else np.nan,
            }
            for line in request.pipelines
        ]
    )
    return Space(
        points,
        guessed,
        {
            "accuracy": result.accuracy if result else None,
            "low": result.low if result else None,
            "high": result.high if result else None,
            "chance": result.chance if result else None,
            "trustworthiness": plane.attrs["trustworthiness"],
            "n": len(originals),
            "texts": len(corpus),
            "method": request.method,
            "target": request.target.text,
        },
    )


def slow(request: AugmentationSpace) -> bool:
    """It encodes thousands of texts."""
    return True


VERB = Verb(AugmentationSpace, run, check=check, slow=slow, doing="Placing augmented texts", command=True)
