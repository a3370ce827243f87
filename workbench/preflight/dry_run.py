"""The dry run of a training: a few steps, to measure time and memory."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from workbench.core.config import RunConfig
from workbench.core.progress import Progress, no_progress
from workbench.inspecting.steps import count_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from workbench.data.texts import CorpusTexts
    from workbench.training.dryrun import Estimate

_REHEARSED_ROWS = 5_000
_FILTERED_ROWS = 2_000
"""Where texts are drawn for all rows before the first step."""
_MODELLED_ROWS = 32


class Measured(TypedDict):
    """Time, memory and disk space of a training."""

    needed_bytes: int
    free_bytes: int
    fitting_parts: int
    """The `memory_parts` with which it would fit; 0 if with none."""
    seconds_per_step: float
    seconds: float
    disk_bytes: int
    """The most that its checkpoints take."""


class DryRunResult(Measured):
    """What a training needs, and the warnings about it."""

    evaluation_seconds: float | None
    """Time of all probes and evaluations, which `seconds` leaves out; None for a pretraining, where it is not measured."""
    rows: int
    """0 for a pretraining, whose articles are counted once they are tokenised."""
    sampled: int
    """Rows that the dry run read: of a large corpus, or one that a model rewrites, only some."""
    device: str
    precision: str
    cautions: list[str]
    """Warnings that need no acknowledgement."""
    must_accept: dict[str, str]
    """Warnings that must be accepted, by name."""


def rehearse(
    config: RunConfig,
    *,
    device: str,
    precision: Literal["fp32", "bf16"],
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
) -> DryRunResult:
    """Time and memory of a training by a few steps of it and a few sentences of its pairs, and all warnings. Weights stay as
    they are.

    The steps are taken with the lock held, if one is given: while others compute they would take longer.

    Raises:
        Diverged: the loss or its gradient is not finite from the first step on.
    """
    from dataclasses import replace

    from workbench.augmentations.pipeline import parse
    from workbench.models.load import load
    from workbench.preflight.acknowledgements import needed
    from workbench.preflight.evaluation_time import evaluation_seconds
    from workbench.preflight.training_warnings import TrainingWarning, warnings_of
    from workbench.recipes.fits import corpus_of
    from workbench.targets.opening import as_evaluated
    from workbench.training.batches import in_steps
    from workbench.training.dryrun import check_finite, estimate
    from workbench.training.loop import Loop
    from workbench.training.requests import mentioned
    from workbench.training.row_filter import filtering_views
    from workbench.training.timing import PATIENCE

    on_progress(0.0, "Reading the corpus")
    texts = corpus_of(config, on_progress=lambda share, note: on_progress(0.3 * share, note))
    config = in_steps(replace(config, corpus=replace(config.corpus, rows=count_rows(texts))))
    modelled = any(parse(view.augmentation).modelled for view in mentioned(config.terms))
    least = _FILTERED_ROWS if filtering_views(config.terms) else _REHEARSED_ROWS
    most = _MODELLED_ROWS if modelled else max(least, 2 * config.training.batch_size)
    rows = _some_rows(texts, most)
    on_progress(0.4, "Loading the backbone")
    encoder = load(config.model.backbone, config.model.revision, device=device)
    on_progress(0.5, "Running a few steps")
    with lock or nullcontext():
        loop = Loop(
            encoder,
            {role: [column[row] for row in rows] for role, column in texts.columns.items()},
            config,
            precision=precision,
            numbers={name: np.asarray(values)[rows] for name, values in texts.numbers.items()},
            on_progress=lambda share, note: on_progress(0.5, f"Augmenting: {note}"),
        )
        if len(rows) == count_rows(texts):
            loop.check_rows()
        check_finite(loop)
        beside = config.training.processes - 1 if device == "cpu" else 0
        estimated = estimate(loop, patience=PATIENCE, beside=beside)
        on_progress(0.8, "Encoding a few scored sentences")
        as_evaluated(encoder, config, loop.head)
        beyond = evaluation_seconds(loop.config, encoder, texts.texts, precision=precision, rivals=len(loop.rivals()))
    on_progress(0.9, "Looking for warnings")
    warnings = warnings_of(config, texts.columns, encoder)
    if loop.row_filter is not None:
        sampled = f" This is estimated on {len(rows):,} rows." if len(rows) < count_rows(texts) else ""
        few = loop.row_filter.share * count_rows(texts) < config.training.batch_size
        refused = f" That is fewer than a batch of {config.training.batch_size}, so it would be refused." if few else ""
        warnings = [TrainingWarning(f"{loop.row_filter.message}{sampled}{refused}"), *warnings]
    return {
        **measured_in(estimated, loop.weights(), config),
        "evaluation_seconds": beyond,
        "rows": count_rows(texts),
        "sampled": len(rows),
        "device": device,
        "precision": precision,
        "cautions": [warning.text for warning in warnings if not warning.accept],
        "must_accept": needed(warnings),
    }


def measured_in(estimate: "Estimate", weights: "Mapping[str, Tensor]", config: RunConfig) -> Measured:
    """The fields of an estimate, and what checkpoints of these weights take."""
    from workbench.store.checkpoints import most_bytes, written_again

    size = sum(tensor.numel() * tensor.element_size() for tensor in weights.values())
    return {
        "needed_bytes": estimate.needed_bytes,
        "free_bytes": estimate.free_bytes,
        "fitting_parts": estimate.fitting_parts,
        "seconds_per_step": estimate.seconds_per_step,
        "seconds": estimate.seconds,
        "disk_bytes": most_bytes(size, selects=config.selection.selects, again=written_again(estimate.seconds)),
    }


def _some_rows(texts: "CorpusTexts", most: int) -> list[int]:
    """At most `most` row numbers, evenly spaced."""
    rows = count_rows(texts)
    return [int(row) for row in np.unique(np.linspace(0, rows - 1, min(most, rows)).round())]
