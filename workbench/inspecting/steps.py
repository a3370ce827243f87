"""Reconstructing the batch of a step: its rows, its term, and its encoded views."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Corpus, Evaluation, Probe, RunConfig, Selection, Term, View
from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.objectives._following import clean
from workbench.training.batches import batches, numbered
from workbench.training.requests import ViewKey
from workbench.training.row_filter import RowFilter, draw_number, drawn, filtering_views, row_filter, text_key
from workbench.training.texts import Texts
from workbench.training.views import Views

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder

MOST_ROWS = 256
"""The most rows of a batch that are inspected."""


def bare(config: RunConfig) -> RunConfig:
    """The configuration reduced to what determines batches and views, so that equal requests have equal keys."""
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
    """What determines the rows of a corpus that a training uses, and what is needed to find them."""

    corpus: str
    views: tuple[View, ...]
    seed: int
    augmenting: Augmenting
    texts: "CorpusTexts" = field(compare=False, repr=False)
    lines: Lines | None = field(compare=False, repr=False)
    on_progress: Progress = field(compare=False, repr=False)

    @property
    def drawers(self) -> dict[str, Drawer]:
        """A drawer for each augmentation of the views."""
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        every = Resources(lambda: [text for column in self.texts.columns.values() for text in column])
        return {
            line: Drawer(line, seed=self.seed, protection=protection, resources=every, lines=self.lines)
            for line in dict.fromkeys(view.augmentation for view in self.views)
        }


@lru_cache(maxsize=2)
def _row_filter(filtering: _Filtering) -> RowFilter | None:
    """See `training.row_filter.row_filter`; cached for the next step that is inspected."""
    drawers, labels = filtering.drawers, {}
    for view in filtering.views:
        drawer, texts = drawers[view.augmentation], filtering.texts.columns[view.role]
        number = draw_number(view, 0, filtering.augmenting)
        labels[text_key(view)] = [
            draw.label for draw in drawn(drawer, drawer.pipeline, texts, number, filtering.on_progress)
        ]
    return row_filter(
        (Term({str(index): view for index, view in enumerate(filtering.views)}),), labels, filtering.augmenting
    )


def rows_of(
    config: RunConfig,
    texts: "CorpusTexts",
    step: int,
    *,
    lines: Lines | None = None,
    on_progress: Progress = no_progress,
) -> tuple[int, np.ndarray]:
    """The epoch and the row numbers of the batch of a step, from 1, as in the training.

    Where a view keeps only rows that its augmentation changes, the whole corpus is augmented once; `lines` stores texts
    that a model writes, see `Drawer`.

    Raises:
        BadSetting: there are fewer rows than in a batch.
    """
    training = config.training
    same_text = numbered(texts.columns.values()) if training.dedup_batch else None
    views = tuple(filtering_views(config.terms).values())
    filtered = None
    if views:
        filtered = _row_filter(
            _Filtering(texts.sha256, views, training.seed, config.augmenting, texts, lines, on_progress)
        )
    if filtered is not None:
        filtered.check(training.batch_size)
    return next(
        batches(
            count_rows(texts),
            training.batch_size,
            seed=training.seed,
            start=step - 1,
            same_text=same_text,
            among=None if filtered is None else filtered.rows,
        )
    )


def term_of(config: RunConfig, step: int) -> tuple[int, Term]:
    """The number and the first term of a step that compares vectors. Terms with adversarial views are skipped.

    Raises:
        BadData: there is none.
    """
    for number, term in enumerate(config.terms):
        if term.acts(step - 1) and clean(term):
            return number, term
    raise BadData(
        f"No term of {config.recipe} compares vectors in step {step}.",
        rule="The similarity matrix is that of the vectors that a loss compares.",
        way_out="Choose another step or another recipe.",
    )


def views_of(encoder: "Encoder", texts: "CorpusTexts", rows: np.ndarray, config: RunConfig) -> Views:
    """The views of these rows; corpus statistics are those of the whole corpus."""
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


def encoded_in(
    views: Views, config: RunConfig, count: int, epoch: int, wanted: Sequence[View]
) -> "dict[ViewKey, Tensor]":
    """Vectors (count, dim) of the wanted views by their key, with dropout as in training."""
    vectors = views.encode(
        np.arange(count),
        epoch=epoch,
        pooling=config.model.pooling,
        rate=config.training.dropout,
        heads=config.training.drophead,
        parts=config.training.parts,
        views=wanted,
    )
    assert vectors is not None
    return vectors


def headed(head: "nn.Module | None", vectors: "dict[ViewKey, Tensor]") -> "dict[ViewKey, Tensor]":
    """The vectors after the head, as in training; the running statistics of batch normalisation are restored."""
    import torch

    if head is None or not vectors:
        return vectors
    state = {name: tensor.clone() for name, tensor in head.state_dict().items()}
    head.train()
    try:
        joined = head(torch.cat(list(vectors.values())))
    finally:
        head.load_state_dict(state)
        head.eval()
    return dict(zip(vectors, joined.split([len(tensor) for tensor in vectors.values()]), strict=True))


def count_rows(texts: "CorpusTexts") -> int:
    """The number of rows of a corpus, such as pairs."""
    return len(next(iter(texts.columns.values())))
