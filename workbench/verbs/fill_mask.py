"""Predicting masked words."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadData, BadRun, BadSetting
from workbench.core.json_values import Json
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.models.cards import EMBEDDED
from workbench.models.tokens import MASK, OTHER_MASK
from workbench.previews.fill_mask import MOST, fill, headless, model_of
from workbench.store.names import RunsFolder
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Field, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


class MaskedWords(Field[tuple[tuple[str, ...], ...]]):
    """The true words behind the masks of each text."""

    raw = "Sequence[Sequence[str]]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[tuple[str, ...], ...]:
        """A tuple for each text."""
        if not isinstance(value, Iterable):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a list of lists of words.")
        return tuple(tuple(map(str, words)) for words in value)

    def write(self, value: tuple[tuple[str, ...], ...], folder: RunsFolder) -> Json:
        """Lists."""
        return [list(words) for words in value]


@dataclass(frozen=True)
class FillMask:
    """Predict the word at each [MASK] of some texts with a masked language model."""

    texts: Annotated[tuple[str, ...], Texts()]
    words: Annotated[tuple[tuple[str, ...], ...], MaskedWords("The true words of each text, one per mask.")] = ()
    target: Annotated[Target, Encoded(encoder="it has no masked-language head")] = unparsed(presets.MASKED)
    top: Annotated[int, Knob(1, MOST, 1, "Predictions per mask.")] = 10


def check(request: FillMask) -> None:
    """The model must have a masked-language head, and each text a mask."""
    if request.words and len(request.words) != len(request.texts):
        raise BadData(
            "words must be empty, or have the masked words of each text.",
            got=f"{len(request.words)} for {len(request.texts)} texts",
        )
    target = request.target
    if target.pooling or target.transform:
        raise BadSetting(
            f"{target.text} is more than a model.", way_out=f"Leave out everything after {target.encoder.label}."
        )
    if target.run is not None:
        _check_run(target)
    if target.backbone in EMBEDDED and not EMBEDDED[target.backbone].masked:
        raise headless(target.backbone)
    for number, text in enumerate(request.texts, 1):
        if MASK not in text and OTHER_MASK not in text:
            raise BadData(f"Text {number} has no {MASK}.", way_out=f"Write {MASK} in place of a word.")


def _check_run(target: Target) -> None:
    run = target.run
    assert run is not None
    if not run.config.pretrains:
        raise BadSetting(
            f"{target.text} is a fine-tune, which has no masked-language head.",
            way_out=f"Use its backbone, {run.config.model.backbone}, or the run of a pretraining.",
        )
    if target.checkpoint != run.kept:
        raise BadSetting(
            f"{target.text} has no masked-language head.",
            way_out="Use the run without a checkpoint: its best step has one.",
        )
    if not Path(model_of(target)).is_dir():
        raise BadRun(f"{run.id} has no model yet.", got=run.state, way_out="Wait until it has finished.")


def run(request: FillMask, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns text, mask (both from 0), piece, pieces, rank (from 1), token, probability (0..1), true.

    One row per prediction: `top` for each piece of each mask, and the true one whatever its rank.
    """
    words = [list(masked) for masked in request.words]
    with models.lock:
        return fill(
            request.target, list(request.texts), words, top=request.top, device=models.device, on_progress=on_progress
        )


VERB = Verb(FillMask, run, check=check, doing="Predicting the masked words")
