"""The angles that contrastive losses compare: between two dropout views of a text, and with the nearest other text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

CHUNK = 1024
"""Texts whose cosines with all others are held at once."""


@dataclass(frozen=True)
class Angles:
    """Measure, for each text, the angle between its two dropout views and the smallest one with a view of another text.

    A loss with an angular margin, such as ArcCSE's, asks that the second exceed the first by the margin.

    Prefer `dropout_views` for the vectors themselves.
    """

    texts: Annotated[tuple[str, ...], Texts(least=2)]
    target: Annotated[Target, Encoded(encoder="it has no dropout")] = unparsed(presets.TARGET)
    dropout: Annotated[float, Knob(0.0, 0.9, 0.05, "Rate of dropout in the backbone.")] = 0.1
    seed: Annotated[int, "Seed of the dropout masks."] = 0


def run(request: Angles, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns row, positive and negative (degrees), nearest (the row of the other text), text; one row per text.

    Equal texts are not negatives of each other. `.attrs` has target and dropout.
    """
    import pandas

    from workbench.core.rows import unit_rows

    texts = list(request.texts)
    views = models.views(request.target, texts, 2, request.dropout, request.seed, part(on_progress, 0.0, 0.8))
    first, second = (unit_rows(views[:, number].astype(np.float64)) for number in (0, 1))
    number_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    same = np.array([number_of[text] for text in texts])
    closest, nearest = np.empty(len(texts)), np.empty(len(texts), dtype=np.int64)
    for start in range(0, len(texts), CHUNK):
        rows = slice(start, start + CHUNK)
        cosines = first[rows] @ second.T
        cosines[same[rows, None] == same] = -np.inf
        nearest[rows] = cosines.argmax(axis=1)
        closest[rows] = cosines.max(axis=1)
        on_progress(0.8 + 0.2 * start / len(texts), "Measuring angles")
    table = pandas.DataFrame(
        {
            "row": np.arange(len(texts)),
            "positive": np.degrees(np.arccos(np.clip((first * second).sum(axis=1), -1.0, 1.0))),
            "negative": np.where(np.isfinite(closest), np.degrees(np.arccos(np.clip(closest, -1.0, 1.0))), np.nan),
            "nearest": nearest,
            "text": texts,
        }
    )
    table.attrs = {"target": request.target.text, "dropout": request.dropout}
    return table


VERB = Verb(Angles, run, doing="Encoding two dropout views of each text")
