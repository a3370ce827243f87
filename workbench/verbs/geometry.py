"""The geometry of the vectors of some texts."""

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadData, BadMethod, BadSetting, unknown
from workbench.core.method import Knob, Method, calling, wrong_return
from workbench.core.progress import Progress, part
from workbench.metrics.uniformity import EXACT
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, PairsOrNone, Texts, Words, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

LEAST = 3
"""Texts that a space needs."""
ABOVE = "Partners are the pairs with a gold score above this share of the scale: 0.8 is gold > 4 on 0 to 5."


@dataclass(frozen=True)
class Geometry:
    """Measure the geometry of the vectors of some texts, or of the sentences of a pair set: metrics and spectrum.

    With `pairs`, alignment is among the metrics: as published with `stsb:all@FOLDER` and all defaults. Prefer `score` for the
    rank correlation with alignment beside it.
    """

    texts: Annotated[tuple[str, ...], Texts(least=0)] = ()
    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    exact: Annotated[bool, Knob(help=EXACT)] = False
    pairs: Annotated[str, PairsOrNone()] = ""
    alpha: Annotated[float, Knob(0.5, 4.0, 0.5, "Exponent of the distance of partners, in alignment.")] = 2.0
    t: Annotated[float, Knob(0.5, 10.0, 0.5, "Sharpness of the kernel, in uniformity.")] = 2.0
    above: Annotated[float, Knob(0.0, 1.0, 0.05, ABOVE)] = 0.8
    repeated: Annotated[bool, Knob(help="With pairs: sentences that occur several times count as often.")] = True
    metrics: Annotated[tuple[str, ...], Words("Only these metrics, such as uniformity alignment; all by default.")] = ()


@dataclass(frozen=True)
class Space:
    """The geometry of a set of vectors."""

    metrics: dict[str, float | int | str | None]
    """Each metric of `workbench.metrics` by id, or each that was asked for, None where it is undefined; uniformity_error, its
    standard error, None where it was not sampled; target, precision, max_length, fitted_on, n. With pairs also alignment,
    alignment_on, what its partners are, and above, the gold score that they exceed."""
    spectrum: "DataFrame | None"
    """The spectrum of the vectors, see `workbench.analysis.spectrum`; None where no metric that follows from it was asked
    for."""


def check(request: Geometry) -> None:
    """That there are texts, or pairs, and that the metrics exist."""
    from workbench.metrics import METHODS

    if bool(request.texts) == bool(request.pairs):
        raise BadSetting("The geometry is that of texts, or of the sentences of pairs.", way_out="Give one of them.")
    if request.texts and len(request.texts) < LEAST:
        raise BadData(f"At least {LEAST} texts are needed.", got=str(len(request.texts)), way_out="Add some.")
    for name in request.metrics:
        if name not in METHODS:
            raise unknown("metric", name, METHODS)
        if METHODS[name].tags["inputs"] == "pairs" and not request.pairs:
            raise BadSetting(f"{name} is measured on the partners of pairs.", way_out="Give pairs instead of texts.")


def run(request: Geometry, models: "ModelCache", on_progress: Progress) -> Space:
    """The metrics and the spectrum; equal texts count once, unless they are of pairs and `repeated` is true."""
    from workbench.analysis.spectrum import MEASURES, spectrum
    from workbench.core.errors import WorkbenchError
    from workbench.core.rows import read_only
    from workbench.data.pairs import load_pairs
    from workbench.metrics import METHODS
    from workbench.metrics.alignment import alignment
    from workbench.metrics.uniformity import estimate, uniformity

    pair_set = load_pairs(request.pairs) if request.pairs else None
    given = pair_set.texts() if pair_set else list(request.texts)
    distinct = list(dict.fromkeys(given))
    encoding = part(on_progress, 0.0, 0.9)
    if pair_set:
        fitted = models.fit(request.target, encoding, scored=distinct)
    else:
        fitted = models.fit(request.target, encoding, asked=given)
    vectors = fitted.vectors(distinct, encoding)
    row_of = {text: row for row, text in enumerate(distinct)}
    slots = vectors[[row_of[text] for text in given]]
    vectors = slots if pair_set and request.repeated else vectors
    metrics: dict[str, float | int | str | None] = {}
    asked = {name: METHODS[name] for name in request.metrics or METHODS}
    directions = None
    if MEASURES.keys() & asked.keys():
        on_progress(0.9, "Measuring: singular values")
        directions = spectrum(vectors)
    for number, (name, method) in enumerate(asked.items()):
        on_progress(0.9 + 0.1 * number / len(asked), f"Measuring: {method.title}")
        if method.tags["inputs"] == "vectors":
            try:
                if method.fn is uniformity:
                    metrics[name], metrics["uniformity_error"] = estimate(vectors, scale=request.t, exact=request.exact)
                elif directions is not None and name in MEASURES:  # from the same singular values
                    metrics[name] = directions.attrs[name]
                else:
                    metrics[name] = _number(method, read_only(vectors))
            except BadMethod:
                raise
            except WorkbenchError:  # undefined for so few texts, or for a collapsed space
                metrics[name] = None
    of_pairs = {name: method for name, method in asked.items() if method.tags["inputs"] == "pairs"}
    if pair_set and of_pairs:
        limit = above_share(pair_set.scale, request.above)
        partners = pair_set.gold > limit
        first, second = (read_only(side[partners]) for side in (slots[: len(pair_set)], slots[len(pair_set) :]))
        for name, method in of_pairs.items():
            power = {"power": request.alpha} if method.fn is alignment else {}
            metrics[name] = _number(method, first, second, **power) if len(first) else None
        metrics["above"] = limit
        metrics["alignment_on"] = f"{pair_set.name}, gold > {limit:g}"
    about = models.about(request.target, fitted.on)
    metrics |= {name: value for name, value in about.items() if isinstance(value, str | int | None)}
    return Space({**metrics, "n": len(vectors)}, directions)


def _number(method: Method, *sides: "NDArray[floating]", **settings: float) -> float:
    """What a metric says of vectors, or of two sets of them.

    Raises:
        BadMethod: it fails, or does not return a number.
    """
    with calling("metric", method):
        value: object = method.fn(*sides, **settings)
    if not isinstance(value, Real):
        raise wrong_return("metric", method, "a number", repr(value))
    return float(value)


def above_share(scale: tuple[float, float], share: float) -> float:
    """The gold score that partners exceed, with six decimals as gold scores have; four fifths are those of `scoring`'s
    `threshold`.

    >>> above_share((0.0, 5.0), 0.8), above_share((1.0, 5.0), 0.8), above_share((0.0, 100.0), 0.55), above_share((-1.0, 1.0), 0.8)
    (4.0, 4.0, 55.0, 0.6)
    """
    low, high = scale
    lowest = min(low, 0.0)
    return round(lowest + share * (high - lowest), 6)


def slow(request: Geometry) -> bool:
    """Some metrics are cubic in the dimension, and a baseline has one dimension per word; pair sets may be large."""
    return bool(request.target.baseline or request.pairs)


VERB = Verb(Geometry, run, check=check, slow=slow, doing="Measuring the space")
