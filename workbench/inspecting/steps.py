"""The batch of a step again: its rows, its term, and its views through an encoder in training."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Corpus, Evaluation, Probe, RunConfig, Selection, Term, View
from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.objectives._following import clean
from workbench.training.batches import batches, numbered
from workbench.training.row_filter import RowFilter, draw_number, drawn, filtering_views, row_filter, text_key
from workbench.training.texts import Texts
from workbench.training.views import Views

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder

MOST_ROWS = 256
"""Rows of a batch that are looked at."""


def bare(config: RunConfig) -> RunConfig:
    """What of a configuration decides about batches and views: equal ones are one question."""
    corpus = Corpus(config.corpus.source, sha256=config.corpus.sha256)
    return replace(
        config,
        corpus=corpus,
        selection=Selection(),
        probe=Probe(),
        evaluation=Evaluation(),
        origins={},
        name="",
    )


@dataclass(frozen=True)
class _Filtering:
    """What decides which rows of a corpus a training takes, and beside it what it takes to find them."""

    corpus: str
    views: tuple[View, ...]
    seed: int
    augmenting: Augmenting
    texts: "CorpusTexts" = field(compare=False, repr=False)
    lines: Lines | None = field(compare=False, repr=False)
    on_progress: Progress = field(compare=False, repr=False)

    @property
    def drawers(self) -> dict[str, Drawer]:
        """One for each augmentation of the views."""
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        every = Resources(lambda: [text for column in self.texts.columns.values() for text in column])
        return {
            line: Drawer(line, seed=self.seed, protection=protection, resources=every, lines=self.lines)
            for line in dict.fromkeys(view.augmentation for view in self.views)
        }


@lru_cache(maxsize=2)
def _row_filter(filtering: _Filtering) -> RowFilter | None:
    """See `training.row_filter.row_filter`; kept for the next step that is looked at."""
    drawers, labels = filtering.drawers, {}
    for view in filtering.views:
        drawer, texts = drawers[view.augmentation], filtering.texts.columns[view.role]
        number = draw_number(view, 0, filtering.augmenting)
        labels[text_key(view)] = [
            made.label for made in drawn(drawer, drawer.pipeline, texts, number, filtering.on_progress)
        ]
    return row_filter(
        (Term({str(place): view for place, view in enumerate(filtering.views)}),), labels, filtering.augmenting
    )


def rows_of(
    config: RunConfig,
    texts: "CorpusTexts",
    step: int,
    *,
    lines: Lines | None = None,
    on_progress: Progress = no_progress,
) -> tuple[int, np.ndarray]:
    """(epoch, row numbers) of the batch of a step, counted from 1: those that the training takes.

    Where a view keeps to what its augmentation changed, the texts of the corpus are drawn for it, once; `lines` keeps what
    a model writes, see `Drawer`.

    Raises:
        BadSetting: fewer texts than a batch.
    """
    training = config.training
    same_text = numbered(texts.columns.values()) if training.dedup_batch else None
    views = tuple(filtering_views(config.terms).values())
    kept = None
    if views:
        kept = _row_filter(_Filtering(texts.sha256, views, training.seed, config.augmenting, texts, lines, on_progress))
    if kept is not None:
        kept.check(training.batch_size)
    return next(
        batches(
            count_rows(texts),
            training.batch_size,
            seed=training.seed,
            start=step - 1,
            same_text=same_text,
            among=None if kept is None else kept.rows,
        )
    )


def term_of(config: RunConfig, step: int) -> tuple[int, Term]:
    """The first term of a step that compares vectors, and its number. Adversarial views are looked at in no term.

    Raises:
        BadData: none does.
    """
    for number, term in enumerate(config.terms):
        if term.acts(step - 1) and clean(term):
            return number, term
    raise BadData(
        f"No term of {config.recipe} compares vectors in step {step}.",
        rule="The similarity matrix is that of the vectors a loss is given.",
        way_out="Choose another step or another recipe.",
    )


def views_of(encoder: "Encoder", texts: "CorpusTexts", rows: np.ndarray, config: RunConfig) -> Views:
    """Views of these rows alone; corpus statistics stay those of the whole corpus."""
    every = Resources(
        lambda: [text for column in texts.columns.values() for text in column], device=str(encoder.device)
    )
    shown = Texts(
        encoder,
        config.terms,
        {role: [column[row] for row in rows.tolist()] for role, column in texts.columns.items()},
        max_length=config.training.max_length,
        seed=config.training.seed,
        pooling=config.model.pooling,
        augmenting=config.augmenting,
        resources=every,
    )
    return Views(shown, config.terms)


def encoded_in(views: Views, config: RunConfig, count: int, epoch: int, wanted: Sequence[View]) -> "dict[Any, Tensor]":
    """Vectors of the views that are wanted, by what a view is, with dropout as in training."""
    found = views.encode(
        np.arange(count),
        epoch=epoch,
        pooling=config.model.pooling,
        rate=config.training.dropout,
        heads=config.training.drophead,
        parts=config.training.parts,
        views=wanted,
    )
    assert found is not None
    return found


def headed(head: "nn.Module | None", vectors: "dict[Any, Tensor]") -> "dict[Any, Tensor]":
    """Vectors behind the head as in training; batch normalisation's counts are put back."""
    import torch

    if head is None or not vectors:
        return vectors
    kept = {name: tensor.clone() for name, tensor in head.state_dict().items()}
    head.train()
    try:
        joined = head(torch.cat(list(vectors.values())))
    finally:
        head.load_state_dict(kept)
        head.eval()
    return dict(zip(vectors, joined.split([len(tensor) for tensor in vectors.values()]), strict=True))


def count_rows(texts: "CorpusTexts") -> int:
    """Rows of a corpus: of pairs, the pairs."""
    return len(next(iter(texts.columns.values())))
