"""Draws of an augmentation from some texts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.augmentations.availability import missing_of
from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.protect import Protection
from workbench.core.errors import MissingResource
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.previews import text_preview
from workbench.verbs._fields import Corpus, Line, Texts, Words
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Augment:
    """Seeded draws of a pipeline from some texts.

    Prefer `scan` for rates and similarities over a whole corpus, and `states` for steps inside the encoder.
    """

    texts: Annotated[tuple[str, ...], Texts(least=0)]
    pipeline: Annotated[Pipeline, Line()]
    seed: Annotated[int, "Equal seeds give equal draws."] = 0
    draws: Annotated[int, Knob(1, text_preview.MOST_DRAWS, 1, "Variants of each text.")] = 1
    protect: Annotated[tuple[str, ...], Words("Terms that may not be changed.")] = ()
    protect_pattern: Annotated[str, "Text that matches this regular expression may not be changed."] = ""
    corpus: Annotated[str, Corpus("The corpus that statistics are counted over.")] = "demo"
    fetch: Annotated[bool, "Download models that are not on this machine."] = False

    @property
    def protection(self) -> Protection:
        """The protected terms."""
        return Protection(self.protect, self.protect_pattern)


def check(request: Augment) -> None:
    """The pattern must compile, and nothing be missing on this machine."""
    for title, reason in ({} if request.fetch else missing_of(str(request.pipeline))).items():
        raise MissingResource(f"“{title}” cannot be used here.", rule=reason)
    request.protection.check()


def run(request: Augment, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns sentence (row of the text), draw, before, text, changed, acted, label, again; one row per text and draw."""
    on_progress(0.0, "Preparing the augmentation")
    return text_preview.table(
        str(request.pipeline),
        list(request.texts),
        seed=request.seed,
        draws=request.draws,
        protection=request.protection,
        resources=text_preview.resources_of(request.corpus, text_preview.stamp(request.corpus), models.device),
        on_progress=on_progress,
    )


VERB = Verb(Augment, run, check=check, doing="Preparing and drawing")
