"""The shape of the space that some texts span."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core import presets
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Geometry:
    """Metrics and spectrum of the space that some texts span."""

    texts: Annotated[tuple[str, ...], Texts(least=3)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)


@dataclass(frozen=True)
class Space:
    """What was measured of a space."""

    metrics: dict[str, Any]
    """Each metric of `workbench.metrics` by id, None where it is not defined; target, precision, max_length, fitted_on, n."""
    spectrum: "DataFrame"
    """See `workbench.analysis.spectrum`."""


def run(request: Geometry, models: "ModelCache", on_progress: Progress) -> Space:
    """The metrics and the spectrum; each text counts once."""
    from workbench.analysis.spectrum import spectrum
    from workbench.core.errors import WorkbenchError
    from workbench.metrics import METHODS

    vectors = models.vectors(request.target, list(dict.fromkeys(request.texts)), on_progress)
    metrics: dict[str, Any] = {}
    for number, (name, method) in enumerate(METHODS.items()):
        on_progress(number / len(METHODS), f"Measuring: {method.title}")
        if method.tags.get("inputs", "vectors") == "vectors":
            try:
                metrics[name] = method.fn(vectors)
            except WorkbenchError:  # not defined on so few texts, or on a collapsed space
                metrics[name] = None
    about = models.about(request.target, models.fit(request.target, on_progress, asked=list(request.texts)).on)
    return Space({**metrics, **about, "n": len(vectors)}, spectrum(vectors))


def slow(request: Geometry) -> bool:
    """Some measures take the cube of the dimensions, and a baseline has one for each word."""
    return bool(request.target.baseline)


VERB = Verb(Geometry, run, slow=slow, doing="Measuring the space")
