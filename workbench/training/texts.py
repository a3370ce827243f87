"""The texts of views for the rows of a batch: drawn by their augmentations, and tokenised."""

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.augmentations.draw import Draw, Drawer, Lines
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Term, View
from workbench.core.progress import Progress, no_progress
from workbench.training.requests import Columns, check_roles, mentioned
from workbench.training.row_filter import TextKey, draw_number, drawn, filtering_views, row_filter, text_key

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable


class Shown(NamedTuple):
    """The texts of a view for some rows. Their tokens are in the rows `rows` of `table`.

    `labels` names the augmentation that changed each text; it is None if the view augments no texts.
    """

    table: "TokenTable"
    rows: np.ndarray
    texts: Callable[[], list[str]]
    labels: list[str] | None


class Texts:
    """The texts of all views of a run. Whatever stays the same between batches is made once."""

    def __init__(
        self,
        encoder: "Encoder",
        terms: Sequence[Term],
        columns: Columns,
        *,
        max_length: int,
        seed: int,
        pooling: str = "",
        augmenting: Augmenting | None = None,
        lines: Lines | None = None,
        resources: Resources | None = None,
        on_progress: Progress = no_progress,
    ) -> None:
        """`lines` returns what models write for many texts, and may cache it, see `Drawer`. Texts are tokenised for
        `pooling`, by default the encoder's. Pass `resources` if `columns` is only part of a corpus: they are those of
        the whole. `on_progress` reports drawing.

        Raises:
            BadData: the corpus lacks a text column that a term needs.
            MissingResource: an augmentation needs a lexicon, parser or model that is not on this machine.
        """
        check_roles(terms, columns)
        self.encoder, self.columns, self.max_length, self.seed = encoder, columns, max_length, seed
        self.pooling = pooling or encoder.pooling
        every = mentioned(terms)
        self.pipelines = {view.augmentation: parse(view.augmentation) for view in every}
        self.augmenting = augmenting or Augmenting()
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        # Corpus statistics are counted over every text that a view may show.
        resources = resources or Resources(
            lambda: [text for texts in columns.values() for text in texts], device=str(encoder.device)
        )
        self.drawers = {
            line: Drawer(pipeline, seed=seed, protection=protection, resources=resources, lines=lines)
            for line, pipeline in self.pipelines.items()
            if pipeline.on_texts
        }
        # Texts that models write, and texts that decide which rows are trained on, are drawn for the whole corpus at once
        # and kept: for all epochs or, where texts are drawn again in each epoch, as the first draw.
        self.written: dict[TextKey, tuple[TokenTable, list[str], list[str]]] = {}
        self.first: dict[TextKey, list[Draw]] = {}
        wanted, labels = filtering_views(terms), {}
        for view in every:
            name, pipeline = text_key(view), self.pipelines[view.augmentation]
            if name in labels or not (pipeline.modelled or name in wanted):
                continue
            own = drawn(
                self.drawers[view.augmentation], pipeline, columns[view.role], self.number(view, 0), on_progress
            )
            labels[name] = [made.label for made in own]
            if pipeline.modelled or not self.augmenting.resample:
                texts = [made.text for made in own]
                self.written[name] = self.tokenise(texts), texts, labels[name]
            else:
                self.first[name] = own
        self.row_filter = row_filter(terms, labels, self.augmenting)
        """The rows to train on, if a view filters them; None means all rows."""
        self.shown: dict[TextKey, Shown] = {}
        """The texts of the latest batch."""
        self.plain = sorted({view.role for view in every if view.augmentation not in self.drawers})
        """The roles whose texts views show as they are."""
        self._beside = copy.copy(encoder)
        self._beside.tokens, self._beside.pooling = encoder.tokens.copy(), self.pooling
        self._thread = ThreadPoolExecutor(1, "tokenising")
        self._ahead: list[tuple[np.ndarray, Future[dict[str, TokenTable]]]] = []
        """The rows of this batch and the next, with their tokens."""

    def number(self, view: View, epoch: int) -> int:
        """The draw number of a view in an epoch."""
        return draw_number(view, epoch, self.augmenting)

    def tokenise(self, texts: list[str]) -> "TokenTable":
        """The texts, tokenised as the training's pooling requires."""
        before, self.encoder.pooling = self.encoder.pooling, self.pooling
        try:
            return self.encoder.tokenise(texts, self.max_length)
        finally:
            self.encoder.pooling = before

    def tokenise_ahead(self, rows: np.ndarray) -> None:
        """Begin to tokenise the texts of the rows that `show` will be asked for next."""
        self._ahead = [*self._ahead[-1:], (rows, self._thread.submit(self._tokenised, rows))]

    def _tokenised(self, rows: np.ndarray) -> "dict[str, TokenTable]":
        return {role: self._beside.tokenise(self.picked(role, rows), self.max_length) for role in self.plain}

    def picked(self, role: str, rows: np.ndarray) -> list[str]:
        """The texts of a role in these rows, before any augmentation."""
        column = self.columns[role]
        return [column[row] for row in rows.tolist()]

    def lengths(self, rows: np.ndarray) -> list[np.ndarray]:
        """Numbers of tokens, (rows,) for each role whose texts views show as they are."""
        return [self.tokenise(self.picked(role, rows)).lengths for role in self.plain]

    def show(self, view: View, rows: np.ndarray, epoch: int) -> Shown:
        """The texts of a view for some rows, drawn once per batch."""
        if text_key(view) in self.shown:
            return self.shown[text_key(view)]
        if text_key(view) in self.written:
            table, written, labels = self.written[text_key(view)]
            own = rows.tolist()
            found = Shown(table, rows, lambda: [written[row] for row in own], [labels[row] for row in own])
        elif view.augmentation in self.drawers:
            draws = self._drawn(view, rows, epoch)
            made = [draw.text for draw in draws]
            labels = [draw.label for draw in draws]
            found = Shown(self.tokenise(made), np.arange(len(rows)), lambda: made, labels)
        else:
            ahead = next((tables for own, tables in self._ahead if np.array_equal(own, rows)), None)
            table = ahead.result()[view.role] if ahead else self.tokenise(self.picked(view.role, rows))
            found = Shown(table, np.arange(len(rows)), lambda: self.picked(view.role, rows), None)
        self.shown[text_key(view)] = found
        return found

    def _drawn(self, view: View, rows: np.ndarray, epoch: int) -> list[Draw]:
        """An epoch's draw for each row; with `only_changed`, the first draw where the epoch's own changed nothing."""
        first = self.first.get(text_key(view))
        kept = [first[row] for row in rows.tolist()] if first is not None else []
        if first is not None and self.number(view, epoch) == self.number(view, 0):
            return kept
        found = self.drawers[view.augmentation].many(self.picked(view.role, rows), self.number(view, epoch))
        return [new if new.changed else old for new, old in zip(found, kept, strict=True)] if kept else found
