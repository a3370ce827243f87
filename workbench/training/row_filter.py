"""Rows that a training leaves out: those whose text an augmentation left unchanged, where a view has `only_changed`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.augmentations.draw import NONE, Draw, Drawer
from workbench.augmentations.pipeline import Pipeline, parse
from workbench.core.config import Augmenting, Term, View
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import derive

TextKey = tuple[str, int, str]

_AT_ONCE = 1000
"""Texts between two progress reports."""


def text_key(view: View) -> TextKey:
    """What identifies the texts of a view: views with equal keys have the same texts."""
    return (view.role, view.draw, view.augmentation)


def draw_number(view: View, epoch: int, augmenting: Augmenting) -> int:
    """The draw number of a view in an epoch."""
    return derive("view", epoch if augmenting.resample else 0, view.draw) % 2**31


def filtering_views(terms: Sequence[Term]) -> dict[TextKey, View]:
    """The views that have `only_changed` and whose augmentation acts on texts, one for each text key.

    >>> changed = View(augmentation="eda_swap", only_changed=True)
    >>> list(filtering_views([Term({"a": View(), "negatives": changed})]).values()) == [changed]
    True
    """
    every = (view for term in terms for view in (*term.views.values(), *term.more.values()))
    return {text_key(view): view for view in every if view.only_changed and parse(view.augmentation).on_texts}


def drawn(
    drawer: Drawer, pipeline: Pipeline, texts: Sequence[str], number: int, on_progress: Progress = no_progress
) -> list[Draw]:
    """One draw for each text. Texts that a model writes are stored for the whole list, so those take a single call."""
    if pipeline.modelled:
        return drawer.many(list(texts), number)
    found: list[Draw] = []
    for start in range(0, len(texts), _AT_ONCE):
        on_progress(start / len(texts), f"{start:,} of {len(texts):,} texts")
        found += drawer.many(list(texts[start : start + _AT_ONCE]), number)
    return found


@dataclass(frozen=True)
class RowFilter:
    """The rows that are trained on, in the order of the corpus, and why the others are left out."""

    rows: np.ndarray
    corpus_rows: int
    """Rows of the corpus."""
    by: tuple[str, ...]
    """The augmentations that had to change a row's text."""
    resample: bool = False

    @property
    def share(self) -> float:
        """The share of the corpus that is kept."""
        return len(self.rows) / max(1, self.corpus_rows)

    @property
    def message(self) -> str:
        """A sentence or two on how many rows are kept, and why."""
        several = len(self.by) > 1
        again = (
            f" Where {'one of them' if several else 'it'} leaves a text unchanged when it is drawn again in a later epoch, "
            "the text keeps its first draw."
        )
        return (
            f"{' and '.join(self.by)} {'change' if several else 'changes'} the text in {len(self.rows):,} of "
            f"{self.corpus_rows:,} rows ({100 * self.share:.1f} %): the others are removed, and batches are drawn from these."
            + (again if self.resample else "")
        )

    def check(self, batch_size: int) -> None:
        """Check that the remaining rows fill at least one batch.

        Raises:
            BadSetting: fewer rows are left than a batch needs.
        """
        if len(self.rows) < batch_size:
            several = len(self.by) > 1
            raise BadSetting(
                f"{' and '.join(self.by)} {'change' if several else 'changes'} the text in {len(self.rows):,} of "
                f"{self.corpus_rows:,} rows, fewer than one batch of {batch_size}.",
                rule="Rows that an augmentation leaves unchanged are removed before the first step where its view says "
                "only_changed, and a batch is never filled up or shrunk silently.",
                way_out="Use another augmentation, a larger corpus, or a smaller batch.",
            )


def row_filter(
    terms: Sequence[Term], labels: Mapping[TextKey, Sequence[str]], augmenting: Augmenting
) -> RowFilter | None:
    """The rows that every view with `only_changed` changed in its first draw; None if there is no such view.

    `labels` gives, for at least those views, the augmentation that changed each text, see `Draw`. All terms train on the
    same rows.
    """
    views = filtering_views(terms)
    if not views:
        return None
    changed = np.array([[label != NONE for label in labels[name]] for name in views])
    by = tuple(dict.fromkeys(view.augmentation for view in views.values()))
    again = augmenting.resample and not all(parse(line).modelled for line in by)
    return RowFilter(np.flatnonzero(changed.all(axis=0)), changed.shape[1], by, again)
