"""What a masked language model writes in the place of masks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core import presets
from workbench.core.errors import BadData, BadRun, BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.models.cards import EMBEDDED
from workbench.models.tokens import MASK, OTHER_MASK
from workbench.previews.fill_mask import MOST, fill, headless, model_of
from workbench.store.names import RunsFolder
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, Words, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


class MaskedWords(Words):
    """The words under the masks of each text."""

    raw = "Sequence[Sequence[str]]"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Any:
        """A tuple for each text."""
        return tuple(tuple(map(str, words)) for words in value)

    def write(self, value: Sequence[Sequence[str]], folder: RunsFolder) -> Any:
        """Lists."""
        return [list(words) for words in value]


@dataclass(frozen=True)
class FillMask:
    """What a masked language model writes at each [MASK] of some texts."""

    texts: Annotated[tuple[str, ...], Texts()]
    words: Annotated[tuple[tuple[str, ...], ...], MaskedWords("What the masks of each text cover.")] = ()
    target: Annotated[Target, Encoded(encoder="it has no masked-language head")] = unparsed(presets.MASKED)
    top: Annotated[int, Knob(1, MOST, 1, "Words shown for each mask.")] = 10


def check(request: FillMask) -> None:
    """A model with a masked-language head, and masks in the texts."""
    if request.words and len(request.words) != len(request.texts):
        raise BadData(
            "words has the masked words of each text, or nothing.",
            got=f"{len(request.words)} for {len(request.texts)} texts",
        )
    target = request.target
    if target.pooling or target.transform:
        raise BadSetting(
            f"{target.text} is more than a model.", way_out=f"Leave out all behind {target.encoder.label}."
        )
    if target.run is not None:
        _check_run(target)
    if target.backbone in EMBEDDED and not EMBEDDED[target.backbone].masked:
        raise headless(target.backbone)
    for number, text in enumerate(request.texts, 1):
        if MASK not in text and OTHER_MASK not in text:
            raise BadData(f"Text {number} has no {MASK}.", way_out=f"Write {MASK} in the place of a word.")


def _check_run(target: Target) -> None:
    run = target.run
    assert run is not None
    if not run.config.pretrains:
        raise BadSetting(
            f"{target.text} is a fine-tune: it has left the masked-language head behind.",
            way_out=f"Take its backbone, {run.config.model.backbone}, or a run that pretrains.",
        )
    if target.checkpoint != "best":
        raise BadSetting(
            f"{target.text} has no language head by itself.", way_out="Take the run: its best step has one."
        )
    if not Path(model_of(target)).is_dir():
        raise BadRun(f"{run.id} has no model yet.", got=run.state, way_out="Wait until it has ended.")


def run(request: FillMask, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns text, mask, piece, pieces, rank, token, probability, true, see `previews.fill_mask`."""
    words = [list(masked) for masked in request.words]
    with models.lock:
        return fill(
            request.target, list(request.texts), words, top=request.top, device=models.device, on_progress=on_progress
        )


VERB = Verb(FillMask, run, check=check, doing="Predicting the masked words")
