"""Encoding texts as vectors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

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
class Encode:
    """Encode texts with a target: one vector per text, without dropout.

    Prefer `dropout_views` for several encodings of each text with dropout, and `project` for points in the plane.
    """

    texts: Annotated[tuple[str, ...], Texts(least=0)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Knob(help="The precision of the encoder; auto is bf16 where that was timed to be faster."),
    ] = "fp32"


def run(request: Encode, models: "ModelCache", on_progress: Progress) -> np.ndarray:
    """float32 array (texts, dim), in the order of the texts, with the transform of the target applied."""
    from workbench.targets.opening import pooled

    if not request.texts:
        target = request.target
        dim = 0 if target.baseline else pooled(models.model(target), target).dim
        return np.zeros((0, dim), dtype=np.float32)
    return models.vectors(request.target, list(request.texts), on_progress, models.precision(request.precision))


VERB = Verb(Encode, run, doing="Encoding the texts")
