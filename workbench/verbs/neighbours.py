"""The nearest texts of each text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Neighbours:
    """Find the nearest other texts of each text, by cosine.

    Prefer `project` for an overview in the plane, where distances are distorted.
    """

    texts: Annotated[tuple[str, ...], Texts(least=2)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    count: Annotated[int, Knob(1, 100, 1, "Neighbours per text.")] = 10


def run(request: Neighbours, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns row, rank (from 1), neighbour (its row), cosine; `count` rows per text."""
    from workbench.analysis.neighbours import neighbours

    return neighbours(models.vectors(request.target, list(request.texts), on_progress), count=request.count)


VERB = Verb(Neighbours, run, doing="Looking for neighbours", command=True)
