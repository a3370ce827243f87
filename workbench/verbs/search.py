"""Searching texts by meaning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Search:
    """Search texts by meaning: those nearest to a query, by cosine.

    Prefer `neighbours` for the texts near each of them.
    """

    query: Annotated[str, "What to look for."]
    texts: Annotated[tuple[str, ...], Texts()]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    count: Annotated[int, Knob(1, 1000, 1, "Texts found.")] = 20


def check(request: Search) -> None:
    """There must be words to look for."""
    if not request.query.strip():
        raise BadData("There is nothing to look for.", rule="query is a text.", way_out="Name one.")


def run(request: Search, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns rank (from 1), row, cosine, text: the nearest first, and of equal ones the first."""
    import numpy as np
    import pandas

    from workbench.core.rows import unit_rows

    texts = list(request.texts)
    encoding = part(on_progress, 0.0, 0.9)
    fitted = models.fit(request.target, encoding, asked=texts)
    vectors = unit_rows(fitted.vectors(texts, encoding))  # by themselves: they may be encoded already
    wanted = unit_rows(fitted.vectors([request.query], part(on_progress, 0.9, 1.0)))[0]
    cosines = np.asarray(vectors, dtype=np.float64) @ wanted
    rows = np.argsort(-cosines, kind="stable")[: request.count]
    table = pandas.DataFrame(
        {"rank": range(1, len(rows) + 1), "row": rows, "cosine": cosines[rows], "text": [texts[row] for row in rows]}
    )
    table.attrs = {"target": request.target.text, "query": request.query, "fitted_on": fitted.on}
    return table


VERB = Verb(Search, run, check=check, doing="Looking for texts near in meaning", command=True)
