"""Several encodings of each text with dropout."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class DropoutViews:
    """Encode each text several times with dropout on, as SimCSE does for its two views.

    Prefer `encode` for the vector that is used after training, and `project` with `views` to see the views in the plane.
    """

    texts: Annotated[tuple[str, ...], Texts()]
    target: Annotated[Target, Encoded(encoder="it has no dropout")] = unparsed(presets.TARGET)
    views: Annotated[int, Knob(1, 200, 1, "Encodings of each text.")] = 8
    dropout: Annotated[float, Knob(0.0, 0.9, 0.05, "Rate of dropout in the backbone.")] = 0.1
    seed: Annotated[int, "Seed of the dropout masks."] = 0


def run(request: DropoutViews, models: "ModelCache", on_progress: Progress) -> np.ndarray:
    """float32 array (texts, views, dim), with the transform of the target applied to each view."""
    return models.views(request.target, list(request.texts), request.views, request.dropout, request.seed, on_progress)


VERB = Verb(DropoutViews, run, doing="Encoding each text several times with dropout on")
