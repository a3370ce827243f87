"""What a pipeline does below the texts: to positions, token states and vectors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

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
    """What a pipeline does to token states, and how far that moves each sentence."""

    texts: Annotated[tuple[str, ...], Texts(help="The originals, then those of each draw.")]
    pipeline: Annotated[Pipeline, Line()]
    sentences: Annotated[int, "How many of the texts are originals."]
    target: Annotated[Target, Encoded(encoder="it has no states of tokens")] = unparsed(presets.TARGET)
    seed: int = 0
    max_length: Annotated[int, Knob(0, 512, 1, "Tokens kept of a text; 0 for the encoder's own.")] = 0
    sentence: Annotated[int, "Whose matrix is wanted."] = 0
    draw: Annotated[int, "In which draw."] = 0
    dims: Annotated[int, Knob(1, 512, 1, "Dimensions of the matrix that are shown.")] = 48


@dataclass(frozen=True)
class StateChanges:
    """What was changed."""

    cosines: "DataFrame"
    """Columns sentence, draw, cosine: each draw's vector with that of its original."""
    tokens: "DataFrame | None"
    """What became of each token of the one sentence and draw; None where no step is at positions or states."""
    values: "DataFrame | None"
    """Columns position, dim, before, after."""
    about: dict[str, Any]


def check(request: States) -> None:
    """As many texts in each draw as there are originals."""
    count = len(request.texts)
    within("sentences", request.sentences, 1, count)
    draws, over = divmod(count, request.sentences)
    if over or draws < 2:
        raise BadData("The texts are as many originals as each draw has texts.", got=f"{count}, {request.sentences}")
    within("sentence", request.sentence, 0, request.sentences - 1)
    within("draw", request.draw, 0, draws - 2)


def within(name: str, value: int, low: int, high: int) -> None:
    """Whether a number lies in a range that other fields set.

    Raises:
        BadSetting: it does not.
    """
    if not low <= value <= high:
        raise BadSetting(f"{name} cannot be {value!r}.", rule=f"It is a whole number from {low} to {high}.")


def run(request: States, models: "ModelCache", on_progress: Progress) -> StateChanges:
    """See `previews.states_preview`."""
    on_progress(0.0, f"Loading {request.target.label}")
    texts = list(request.texts)
    with models.lock:
        fitted = models.fit(request.target, on_progress)
        found = states_preview.states(
            fitted.encoder(),
            texts[: request.sentences],
            texts[request.sentences :],
            str(request.pipeline),
            seed=request.seed,
            max_length=request.max_length,
            sentence=request.sentence,
            draw=request.draw,
            dims=request.dims,
            on_progress=on_progress,
        )
    cosines = states_preview.cosines(fitted.after(found["originals"]), fitted.after(found["vectors"]))
    return StateChanges(cosines, found.get("tokens"), found.get("values"), found["about"])


VERB = Verb(States, run, check=check, doing="Applying the steps inside the encoder")
