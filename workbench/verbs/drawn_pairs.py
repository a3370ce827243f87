"""Pairs for people to judge blindly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import MissingResource
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.previews import judging, scan_lines
from workbench.verbs._fields import Lines, unparsed
from workbench.verbs._over_corpus import OverCorpus, common, takes_long
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class DrawnPairs(OverCorpus):
    """Texts and their augmented versions, shuffled over the augmentations, for people to judge blindly.

    Prefer `scan` for measured similarity; only people can judge whether the meaning is preserved.
    """

    pipelines: Annotated[tuple[str, ...], Lines("The augmentations to judge.", texts=True)] = unparsed(())
    count: Annotated[int, Knob(1, judging.MOST_PAIRS, 1, "Pairs per pipeline.")] = judging.PAIRS


def check(request: DrawnPairs) -> None:
    """Nothing may be missing on this machine."""
    request.protection.check()
    for line in request.pipelines:
        if reason := scan_lines.absent(line):
            raise MissingResource(f"{line} cannot be used here.", rule=reason)


def run(request: DrawnPairs, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns pair (id), pipeline, title, before, text, cosine, tried; up to `count` rows per pipeline, shuffled."""
    target = request.target
    table = judging.drawn_pairs(
        request.corpus,
        list(request.pipelines),
        lambda texts, on_progress: models.vectors(target, texts, on_progress),
        on_progress,
        count=request.count,
        **common(request, models, on_progress),
    )
    table.attrs = dict(models.about(target, models.fit(target, on_progress).on))
    return table


def slow(request: DrawnPairs) -> bool:
    """See `takes_long`."""
    return takes_long(request.pipelines, request.corpus)


VERB = Verb(DrawnPairs, run, check=check, slow=slow, doing="Drawing pairs")
