"""What a training needs, by two steps of it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.config import RunConfig
from workbench.core.progress import Progress, no_progress
from workbench.inspecting.steps import count_rows

if TYPE_CHECKING:
    from workbench.data.texts import CorpusTexts

_REHEARSED_ROWS = 5_000
_FILTERED_ROWS = 2_000
"""Where all of them are drawn first."""
_MODELLED_ROWS = 32


def rehearse(config: RunConfig, *, device: str, precision: str, on_progress: Progress = no_progress) -> dict[str, Any]:
    """Plain dict: what a training needs, by a rehearsal of two steps, and what is to be known before it starts.

    needed_bytes, free_bytes, fitting_parts (`memory_parts` that would fit, 0 for none), seconds_per_step, seconds, rows,
    sampled, device, precision, cautions, must_accept (words by the name under which they are accepted). Of a large corpus, or
    one that a model would rewrite, only some rows are taken.
    """
    from dataclasses import asdict, replace

    from workbench.augmentations.pipeline import parse
    from workbench.models.load import load
    from workbench.preflight.acknowledgements import needed
    from workbench.preflight.training_warnings import Caution, cautions_of
    from workbench.recipes.fits import corpus_of
    from workbench.training.batches import in_steps
    from workbench.training.dryrun import estimate
    from workbench.training.loop import Loop
    from workbench.training.requests import mentioned
    from workbench.training.row_filter import filtering_views

    on_progress(0.0, "Reading the corpus")
    texts = corpus_of(config, on_progress=lambda share, note: on_progress(0.3 * share, note))
    config = in_steps(replace(config, corpus=replace(config.corpus, rows=count_rows(texts))))
    modelled = any(parse(view.augmentation).modelled for view in mentioned(config.terms))
    least = _FILTERED_ROWS if filtering_views(config.terms) else _REHEARSED_ROWS
    most = _MODELLED_ROWS if modelled else max(least, 2 * config.training.batch_size)
    rows = _some_rows(texts, most)
    on_progress(0.4, "Loading the backbone")
    encoder = load(config.model.backbone, config.model.revision, device=device)
    on_progress(0.5, "Two steps, for a trial")
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
    found = estimate(loop)
    on_progress(0.9, "Reading what came out")
    said = cautions_of(config, texts.columns, encoder)
    if loop.row_filter is not None:
        tried = f" So it is in a sample of {len(rows):,} rows." if len(rows) < count_rows(texts) else ""
        few = loop.row_filter.share * count_rows(texts) < config.training.batch_size
        refused = f" That would be fewer than a batch of {config.training.batch_size}, which is refused." if few else ""
        said = [Caution(f"{loop.row_filter.message}{tried}{refused}"), *said]
    return {
        **asdict(found),
        "rows": count_rows(texts),
        "sampled": len(rows),
        "device": device,
        "precision": precision,
        "cautions": [one.text for one in said if not one.accept],
        "must_accept": needed(said),
    }


def _some_rows(texts: "CorpusTexts", most: int) -> list[int]:
    """All rows, or evenly spaced ones."""
    rows = count_rows(texts)
    return [int(row) for row in np.unique(np.linspace(0, rows - 1, min(most, rows)).round())]
