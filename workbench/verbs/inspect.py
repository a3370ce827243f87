"""Inspecting one batch of a training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.progress import Progress
from workbench.inspecting.batch import BatchAbout
from workbench.verbs._in_a_step import InAStep, check, depends, lines_of, opened
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Inspect(InAStep):
    """Inspect the batch of a step: its texts, their candidates, and the softmax of its loss.

    Prefer `gradients` to compare augmentations.
    """


@dataclass(frozen=True)
class Batch:
    """One batch, see `workbench.inspecting.batch`. Arrays are (rows, candidates), but weights and partner (rows,)."""

    similarity: np.ndarray
    scores: np.ndarray
    bonus: np.ndarray
    weights: np.ndarray
    among: np.ndarray
    partner: np.ndarray
    rows: "DataFrame"
    candidates: "DataFrame"
    about: BatchAbout


def run(request: Inspect, models: "ModelCache", on_progress: Progress) -> Batch:
    """Cosines and scores of all rows with all candidates, in fp32, and the texts."""
    from workbench.inspecting.batch import batch

    config = request.training
    texts, encoder, head = opened(request, models, on_progress)
    lines = lines_of(config, models, on_progress)
    arrays = batch(
        encoder, head, texts, config, step=request.step, on_progress=on_progress, lock=models.lock, lines=lines
    )
    return Batch(**arrays)


VERB = Verb(Inspect, run, check=check, depends=depends, doing="Encoding the batch")
