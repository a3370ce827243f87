"""The numbers of one step of the lesson, for two encoders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from workbench.core import presets
from workbench.core.calls import write_call
from workbench.core.errors import BadSetting
from workbench.core.method import Knob
from workbench.core.progress import Progress, part, rising
from workbench.recipes.fits import needs_of
from workbench.recipes.load import Need
from workbench.store import user_recipes
from workbench.targets.target import WITHOUT, Target
from workbench.verbs._fields import Encoded, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache
    from workbench.lesson.numbers import Training
    from workbench.store.run import Run

SHOWN = 5
"""Words of each bin that are shown."""
NEAREST = 5
"""Nearest word embeddings whose distance is averaged."""
KINDS: dict[Need, str] = {
    "sentences": "sentences without labels",
    "documents": "documents without labels",
    "pairs": "pairs of texts that belong together",
    "triplets": "triplets of a text, one that belongs to it and one that does not",
    "labelled_pairs": "pairs with labels",
    "scored_pairs": "pairs with scores",
    "articles": "articles without labels",
}
"""What a run was trained on, in the words of the lesson."""


@dataclass(frozen=True)
class Lesson:
    """Compute what a step of the lesson shows, with an encoder before and after contrastive training.

    Prefer `score`, `layers` and `frequency` for the figures themselves, with their intervals.
    """

    step: Annotated[
        Literal[
            "strangers",
            "ranking",
            "mean",
            "centring",
            "layers",
            "frequency",
            "dropout",
            "temperature",
            "film",
            "augmentations",
        ],
        Knob(help="The step, by its name in the address."),
    ] = "strangers"
    before: Annotated[Target, Encoded(encoder="it has neither layers nor dropout")] = unparsed(presets.TARGET)
    after: Annotated[Target, Encoded(encoder="it has neither layers nor dropout")] = unparsed(presets.TARGET)


def check(request: Lesson) -> None:
    """Both are encoders as they are: the steps choose pooling and transform themselves."""
    for target in (request.before, request.after):
        if target.pooling or target.transform:
            raise BadSetting(
                f"{target.text} cannot be taught with.",
                rule="The steps of the lesson choose pooling and transform themselves.",
                way_out=f"Name {target.encoder.text}.",
            )


@dataclass(frozen=True)
class StepNumbers:
    """What a step shows."""

    numbers: dict[str, Any]
    """`shared`, `before`, `after` and `facts`, see `workbench.lesson.numbers`."""
    before: str
    after: str


def run(request: Lesson, models: "ModelCache", on_progress: Progress) -> StepNumbers:
    """The numbers of the step, in the form of those that are shipped."""
    from workbench.lesson.numbers import compute

    on_progress = rising(on_progress)  # a step encodes several times
    before, after = (
        Encoder(target, request.before, models, part(on_progress, 0.5 * number, 0.5 * number + 0.5))
        for number, target in enumerate((request.before, request.after))
    )
    return StepNumbers(compute(request.step, before, after, on_progress), request.before.text, request.after.text)


@dataclass(frozen=True)
class Encoder:
    """A target as `workbench.lesson.numbers.Side`."""

    target: Target
    first: Target
    """What is before training."""
    models: "ModelCache"
    on_progress: Progress

    @property
    def training(self) -> "Training | None":
        """See `Side.training`."""
        from workbench.lesson.numbers import Training

        run = self.target.run
        step = run.step_of(self.target.checkpoint) if run else None
        if not run or not step or run.config.pretrains or not _started_from(run, self.first):
            return None  # pretraining is on articles and not for sentences: not the training that the lesson is about
        config = run.config
        known = user_recipes.everything(self.models.folder)
        title = known[config.recipe].title if config.recipe in known else config.recipe
        return Training(step, title, config.corpus.rows, KINDS[needs_of(config.terms)])

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """See `Side.vectors`."""
        return self.models.vectors(self.target, list(texts), self.on_progress)

    def views(self, texts: Sequence[str], rate: float) -> np.ndarray:
        """See `Side.views`."""
        return self.models.views(self.target, list(texts), 2, rate, 0, self.on_progress)

    def layers(self, texts: Sequence[str]) -> np.ndarray:
        """See `Side.layers`."""
        return self.models.layers(self.target, list(texts), [presets.POOLING], self.on_progress)[presets.POOLING]

    def without(self, texts: Sequence[str], most: int) -> np.ndarray:
        """See `Side.without`: tokens are counted in these texts, as where they are scored."""
        pooling = write_call(presets.POOLING, {WITHOUT: most} if most else {})
        target = replace(self.target, text=f"{self.target.text}:{pooling}", pooling=pooling)
        fitted = self.models.fit(target, self.on_progress, scored=list(texts))
        return fitted.vectors(list(texts), self.on_progress)

    def frequencies(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """See `Side.frequencies`."""
        from workbench.models.frequency import NEIGHBOURS, by_frequency

        encoder = self.models.model(self.target)
        bins = by_frequency(encoder, texts, on_progress=self.on_progress, lock=self.models.lock)
        with self.models.lock:
            ids = encoder.tokens.table(texts, encoder.max_length).ids
            counts = np.bincount(ids)
            special = [number for number in encoder.tokenizer.all_special_ids if number < len(counts)]
            counts[special] = 0
            ranked = np.lexsort((np.arange(len(counts)), -counts))
            words = encoder.tokenizer.convert_ids_to_tokens(ranked.tolist())
        nearest = NEIGHBOURS.index(NEAREST)
        return [
            {
                "first": one["first"],
                "last": one["last"],
                "norm": one["norm"],
                "distance": one["distances"][nearest],
                "words": [word for word in words[one["first"] : one["last"] + 1] if word.isalpha()][:SHOWN],
            }
            for one in bins
        ]


def _started_from(run: "Run", first: Target) -> bool:
    """Whether a run began with the weights of `first`: its own untrained state, or the backbone of both."""
    if first.run and (first.checkpoint != "step0" or first.run.id == run.id):
        return first.checkpoint == "step0"
    configs = [run.config, first.run.config] if first.run else [run.config]
    if any(config.pretraining.start == "fresh" for config in configs):
        return False  # random weights, those of each run its own
    begun, *others = [(config.model.backbone, config.model.revision) for config in configs]
    return begun == (others[0] if others else (first.backbone, first.revision))


VERB = Verb(Lesson, run, check=check, slow=lambda _: True, doing="Computing the numbers of this step")
