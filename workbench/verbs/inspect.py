"""Inspecting one batch of a training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.progress import Progress, part
from workbench.inspecting.batch import Batch
from workbench.verbs._in_a_step import InAStep, check, depends, lines_of, opened
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Inspect(InAStep):
    """Inspect the batch of a step: its texts, their candidates, and the softmax of its loss.

    Prefer `gradients` to compare augmentations.
    """


def run(request: Inspect, models: "ModelCache", on_progress: Progress) -> Batch:
    """Cosines and scores of all rows with all candidates, in fp32, and the texts."""
    from workbench.inspecting.batch import batch

    config = request.training
    texts, encoder, head = opened(request, models, on_progress)
    lines = lines_of(config, models, on_progress)
    return batch(
        encoder,
        head,
        texts,
        config,
        step=request.step,
        on_progress=part(on_progress, 0.4, 1.0),
        lock=models.lock,
        lines=lines,
    )


VERB = Verb(Inspect, run, check=check, depends=depends, doing="Encoding the batch")
