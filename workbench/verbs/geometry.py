"""The geometry of the vectors of some texts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.metrics.uniformity import EXACT
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Geometry:
    """Measure the geometry of the vectors of some texts: metrics and spectrum.

    Prefer `score` for alignment, which needs pairs.
    """

    texts: Annotated[tuple[str, ...], Texts(least=3)]
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    exact: Annotated[bool, Knob(help=EXACT)] = False


@dataclass(frozen=True)
class Space:
    """The geometry of a set of vectors."""

    metrics: dict[str, float | int | str | None]
    """Each metric of `workbench.metrics` by id, None where it is undefined; uniformity_error, its standard error,
    None where it was not sampled; target, precision, max_length, fitted_on, n."""
    spectrum: "DataFrame"
    """The spectrum of the vectors, see `workbench.analysis.spectrum`."""


def run(request: Geometry, models: "ModelCache", on_progress: Progress) -> Space:
    """The metrics and the spectrum; equal texts count once."""
    from workbench.analysis.spectrum import spectrum
    from workbench.core.errors import WorkbenchError
    from workbench.metrics import METHODS
    from workbench.metrics.uniformity import estimate, uniformity

    vectors = models.vectors(request.target, list(dict.fromkeys(request.texts)), on_progress)
    metrics: dict[str, float | int | str | None] = {}
    for number, (name, method) in enumerate(METHODS.items()):
        on_progress(number / len(METHODS), f"Measuring: {method.title}")
        if method.tags.get("inputs", "vectors") == "vectors":
            try:
                if method.fn is uniformity:
                    metrics[name], metrics["uniformity_error"] = estimate(vectors, exact=request.exact)
                else:
                    metrics[name] = method.fn(vectors)
            except WorkbenchError:  # undefined for so few texts, or for a collapsed space
                metrics[name] = None
    about = models.about(request.target, models.fit(request.target, on_progress, asked=list(request.texts)).on)
    metrics |= {name: value for name, value in about.items() if isinstance(value, str | int | None)}
    return Space({**metrics, "n": len(vectors)}, spectrum(vectors))


def slow(request: Geometry) -> bool:
    """Some metrics are cubic in the dimension, and a baseline has one dimension per word."""
    return bool(request.target.baseline)


VERB = Verb(Geometry, run, slow=slow, doing="Measuring the space")
