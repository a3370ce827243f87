"""Previewing the steps of a pipeline inside the encoder: on positions, token states and vectors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.pipeline import Pipeline
from workbench.core import presets
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.previews import states_preview
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Line, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class States:
    """Apply the steps of a pipeline inside the encoder: how far each sentence moves, and the token states of one of them.

    Prefer `augment` for steps on texts.
    """

    texts: Annotated[tuple[str, ...], Texts(help="The originals, then the augmented texts of each draw.")]
    pipeline: Annotated[Pipeline, Line()]
    sentences: Annotated[int, "The number of originals."]
    target: Annotated[Target, Encoded(encoder="it has no states of tokens")] = unparsed(presets.TARGET)
    seed: Annotated[int, "Equal seeds give equal draws."] = 0
    max_length: Annotated[int, Knob(0, 512, 1, "Tokens kept of a text; 0 for the encoder's own.")] = 0
    sentence: Annotated[int, "The sentence whose token states are returned, from 0."] = 0
    draw: Annotated[int, "Its draw, from 0."] = 0
    dims: Annotated[int, Knob(1, 512, 1, "Dimensions of the token states that are returned.")] = 48


@dataclass(frozen=True)
class StateChanges:
    """The changes inside the encoder."""

    cosines: "DataFrame"
    """Columns sentence, draw, cosine: of the vector of each draw with that of its original."""
    tokens: "DataFrame | None"
    """The changes of each token of the sentence in the draw; None without steps at positions or states."""
    values: "DataFrame | None"
    """Columns position, dim, before, after."""
    about: states_preview.StatesAbout


def check(request: States) -> None:
    """Each draw must have as many texts as there are originals."""
    count = len(request.texts)
    within("sentences", request.sentences, 1, count)
    draws, over = divmod(count, request.sentences)
    if over or draws < 2:
        raise BadData(
            "The texts must be the originals and as many texts for each draw.",
            got=f"{count} texts, {request.sentences} originals",
        )
    within("sentence", request.sentence, 0, request.sentences - 1)
    within("draw", request.draw, 0, draws - 2)


def within(name: str, value: int, low: int, high: int) -> None:
    """Check that a number is in a range that depends on other fields.

    Raises:
        BadSetting: it is not.
    """
    if not low <= value <= high:
        raise BadSetting(f"{name} cannot be {value!r}.", rule=f"It is a whole number from {low} to {high}.")


def run(request: States, models: "ModelCache", on_progress: Progress) -> StateChanges:
    """The cosines of all draws with their originals, and the token states of one sentence before and after."""
    on_progress(0.0, f"Loading {request.target.label}")
    texts = list(request.texts)
    with models.lock:
        fitted = models.fit(request.target, on_progress)
        result = states_preview.states(
            fitted.encoder(),
            texts[: request.sentences],
            texts[request.sentences :],
            str(request.pipeline),
            seed=request.seed,
            max_length=request.max_length,
            sentence=request.sentence,
            draw=request.draw,
            dims=request.dims,
            on_progress=fitted.after_fitting(on_progress),
        )
    cosines = states_preview.cosines(fitted.after(result["originals"]), fitted.after(result["vectors"]))
    return StateChanges(cosines, result.get("tokens"), result.get("values"), result["about"])


VERB = Verb(States, run, check=check, doing="Applying the steps inside the encoder")
