"""How much the steps below the texts change of many texts: places of tokens, numbers of token states, vectors; dropout."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from workbench.augmentations.inside import alteration, gradient_wanted
from workbench.augmentations.pipeline import Pipeline, parse
from workbench.core.calls import read_call
from workbench.core.method import Knob, Method
from workbench.core.progress import Progress
from workbench.core.seeds import numpy_rng
from workbench.previews.states_preview import MOVED, WITHIN, gradient_of, moved, planned, pooled, scaled
from workbench.previews.token_changes import Watch, spaced

if TYPE_CHECKING:
    from workbench.models.alterations import Alteration
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

BATCH = 64
"""Texts of one batch: a gradient and the pool of other vectors are those of a batch, as in training."""
Views = Callable[[list[str], float, Progress], np.ndarray]


class Perturbed(NamedTuple):
    """A row for each text. What `share` is a share of depends on the level, see `previews.scan_lines.PERTURBED`."""

    before: np.ndarray
    """Vectors without the change, and `after` with it; of dropout two views."""
    after: np.ndarray
    share: np.ndarray
    size: np.ndarray
    """Length of the change in the length of what was changed: the matrix of token states, or the vector."""
    length: np.ndarray
    """Relative change of the number of tokens that are attended to: -0.1 for a tenth less."""
    changed: np.ndarray
    said: Callable[[int], str]
    """What was changed in one text, in words."""


def dropout(
    vectors: np.ndarray, *, rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of the numbers set to zero.")] = 0.1
) -> Perturbed:
    """`vectors` (texts, 2, dim) are two passes of each text, each with its own dropout throughout the encoder.

    The share is the rate itself: in expectation so many numbers of each layer, and attention weights, are zero.

    >>> found = dropout(np.array([[[2.0, 0.0], [2.0, 1.0]]]), rate=0.2)
    >>> found.size.tolist(), found.said(0)
    ([0.5], 'two passes at rate 0.2; their vectors lie 50 % of their length apart')
    """
    first, second = vectors[:, 0], vectors[:, 1]
    size = _relative(first, second)
    words = f"two passes at rate {rate:g}; their vectors lie {{:.0%}} of their length apart"
    return Perturbed(
        first,
        second,
        np.full(len(vectors), rate),
        size,
        np.zeros(len(vectors)),
        size > MOVED,
        lambda row: spaced(words.format(size[row])),
    )


DROPOUT = Method(
    dropout,
    title="Dropout twice",
    source="Gao et al. 2021 (SimCSE), https://aclanthology.org/2021.emnlp-main.552",
    tags={"class": "preserving", "role": "positive"},
)


def dropout_rate(line: str) -> float | None:
    """The rate of `dropout(rate=0.2)`; None of a pipeline.

    >>> dropout_rate("dropout"), dropout_rate("eda_swap")
    (0.1, None)
    """
    if line.split("(", 1)[0].strip() != DROPOUT.id:
        return None
    return float(DROPOUT.check(read_call(line)[1])["rate"])


class Inside:
    """Some texts inside one encoder, batch by batch; what they are without a change is computed once."""

    def __init__(
        self,
        encoder: "Callable[[], Encoder]",
        texts: Sequence[str],
        *,
        seed: int,
        views: Views,
        lock: AbstractContextManager[Any],
        after: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        """The encoder is asked for, and used, under the lock alone. `views` makes two dropout views of each text at a rate,
        and `after` transforms vectors; both come transformed.
        """
        self.encoder, self.texts, self.seed = encoder, list(texts), seed
        self.views, self.lock, self.after = views, lock, after

    @cached_property
    def table(self) -> "TokenTable":
        """The texts' tokens."""
        with self.lock:
            return self.encoder().tokenise(self.texts)

    @cached_property
    def mixed(self) -> list[np.ndarray]:
        """Batches as training draws them."""
        order = numpy_rng(self.seed, "scan", "batches").permutation(len(self.texts))
        # A last batch of one would have neither a gradient nor other vectors.
        return np.array_split(order, max(1, len(order) // BATCH))

    @cached_property
    def sorted(self) -> list[np.ndarray]:
        """Batches of texts of like length, where it does not matter which texts meet."""
        order = np.argsort(self.table.lengths, kind="stable")
        return np.array_split(order, max(1, len(order) // BATCH))

    @cached_property
    def plain(self) -> np.ndarray:
        """Vectors without a change, before a transform, not scaled."""
        return self._joined(self.sorted, [self._pooled(rows, None) for rows in self.sorted])

    def of(self, line: str, on_progress: Progress) -> Perturbed:
        """What a pipeline does whose steps are all at positions, all at states, or all at vectors; or `dropout(rate=...)`."""
        rate = dropout_rate(line)
        if rate is not None:
            return dropout(self.views(self.texts, rate, on_progress), rate=rate)
        pipeline = parse(line)
        return self._vectors(pipeline, on_progress) if pipeline.at("vectors") else self._states(pipeline, on_progress)

    def _vectors(self, pipeline: Pipeline, on_progress: Progress) -> Perturbed:
        plain = self.plain
        parts = []
        for number, rows in enumerate(self.mixed):
            on_progress(number / len(self.mixed), "")
            own = [self.texts[row] for row in rows]
            parts.append(moved(pipeline, own, plain[rows], seed=self.seed, draw=number))
        vectors = self._joined(self.mixed, parts)
        size = _relative(plain, vectors)
        return Perturbed(
            self._finished(plain),
            self._finished(vectors),
            size,
            size,
            np.zeros(len(size)),
            size > MOVED,
            lambda row: spaced(f"the vector moved by {size[row]:.0%} of its length"),
        )

    def _states(self, pipeline: Pipeline, on_progress: Progress) -> Perturbed:
        follows = gradient_wanted(pipeline.steps)
        batches = self.mixed if follows else self.sorted
        vectors, seen = [], []
        for number, rows in enumerate(batches):
            on_progress(number / len(batches), "")
            with self.lock:
                encoder = self.encoder()
                table = self._rows(rows)
                gradient = gradient_of(encoder, table, self.seed, number) if follows else None
                own = [self.texts[row] for row in rows]
                device = str(encoder.device)
                steps = planned(
                    pipeline, own, seed=self.seed, draw=number, device=device, levels=WITHIN, gradient=gradient
                )
                watch = Watch(encoder, table, alteration(steps), at=pipeline.steps[0].level)
                vectors.append(pooled(encoder, table, watch.watched))
                seen.append(watch.found())
        whole = self._joined(batches, vectors)
        share, size, length = self._joined(batches, [np.stack([one.share, one.size, one.length], 1) for one in seen]).T
        counts = [len(rows) for rows in batches]
        batch = self._joined(batches, [np.repeat(np.arange(len(batches)), counts)])
        within = self._joined(batches, [np.arange(count) for count in counts])

        def said(row: int) -> str:
            with self.lock:
                view = self.encoder().token_view(self.texts[row])
            return seen[batch[row]].said(within[row], [token.text for token in view if token.kind != "cut"])

        return Perturbed(
            self._finished(self.plain), self._finished(whole), share, size, length, (share > 0) | (length < 0), said
        )

    def _rows(self, rows: np.ndarray) -> "TokenTable":
        from workbench.models.tokens import TokenTable

        lengths, starts = self.table.lengths[rows], self.table.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return TokenTable(self.table.ids[places], offsets, self.table.pad)

    def _pooled(self, rows: np.ndarray, alter: "Alteration | None") -> np.ndarray:
        with self.lock:
            return pooled(self.encoder(), self._rows(rows), alter)

    def _finished(self, vectors: np.ndarray) -> np.ndarray:
        with self.lock:
            found = scaled(self.encoder(), vectors)
        return self.after(found)

    @staticmethod
    def _joined(batches: Sequence[np.ndarray], parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts)[np.argsort(np.concatenate(batches), kind="stable")]


def _relative(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Length of the difference in lengths of `before`."""
    length = np.maximum(np.linalg.norm(before, axis=1), 1e-12)
    return np.asarray(np.linalg.norm(after - before, axis=1) / length)
