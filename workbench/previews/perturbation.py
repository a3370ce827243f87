"""How much the steps inside the encoder change many texts: positions of tokens, token states, vectors; and dropout."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from workbench.augmentations.inside import alteration, gradient_wanted
from workbench.augmentations.pipeline import Pipeline, parse
from workbench.core.calls import read_call
from workbench.core.method import Knob, Method
from workbench.core.progress import Progress
from workbench.core.seeds import numpy_rng
from workbench.previews.states_preview import MOVED, WITHIN, gradient_of, moved, planned, pooled, scaled
from workbench.previews.token_changes import Recorder, spaced

if TYPE_CHECKING:
    from workbench.models.alterations import Alteration
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

BATCH = 64
"""Texts of one batch: a gradient, and the other vectors that a step may use, are those of a batch, as in training."""
BATCH_TOKENS = 4096
"""Tokens of one such batch, padding included: the gradient under BERT-base takes some GB for so many."""
SORTED_BATCH = 16
"""Texts of one batch where the others do not matter: few, so that long texts are not padded to much longer ones."""
Views = Callable[[list[str], float, Progress], np.ndarray]
"""Texts, dropout rate and progress to (texts, 2, dim)."""


class Perturbation(NamedTuple):
    """How much each text was changed. What `share` is a share of depends on the level, see `scan_lines.SHARE_OF`."""

    before: np.ndarray
    """Vectors (texts, dim) without the change, and `after` with it; of dropout, two views."""
    after: np.ndarray
    share: np.ndarray
    """(texts,), 0..1."""
    size: np.ndarray
    """(texts,): norm of the change over the norm of what was changed, the matrix of token states or the vector."""
    length: np.ndarray
    """(texts,): relative change of the number of tokens attended to, -0.1 for a tenth fewer."""
    changed: np.ndarray
    """(texts,), bool."""
    describe: Callable[[int], str]
    """The change of one text in words."""


def dropout(
    vectors: np.ndarray, *, rate: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of the numbers set to zero.")] = 0.1
) -> Perturbation:
    """The difference of two passes of each text, `vectors` (texts, 2, dim), each with its own dropout masks.

    The share is the rate, which is the expected share of zeros in each layer and among the attention weights.

    >>> change = dropout(np.array([[[2.0, 0.0], [2.0, 1.0]]]), rate=0.2)
    >>> change.size.tolist(), change.describe(0)
    ([0.5], 'two passes at rate 0.2; their vectors differ by 50 % of their norm')
    """
    first, second = vectors[:, 0], vectors[:, 1]
    size = _relative(first, second)
    words = f"two passes at rate {rate:g}; their vectors differ by {{:.0%}} of their norm"
    return Perturbation(
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
    """The rate of `dropout(rate=0.2)`; None for a pipeline.

    >>> dropout_rate("dropout"), dropout_rate("eda_swap")
    (0.1, None)
    """
    if line.split("(", 1)[0].strip() != DROPOUT.id:
        return None
    return float(DROPOUT.check(read_call(line)[1])["rate"])


class Inside:
    """Some texts inside one encoder, batch by batch; their unchanged vectors are computed once."""

    def __init__(
        self,
        encoder: "Callable[[], Encoder]",
        texts: Sequence[str],
        *,
        seed: int,
        views: Views,
        lock: AbstractContextManager[object],
        after: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        """`encoder` is called, and its result used, only while the lock is held.

        `views` makes two dropout views of each text at a rate, transformed; `after` is the transform of vectors.
        """
        self.encoder, self.texts, self.seed = encoder, list(texts), seed
        self.views, self.lock, self.after = views, lock, after

    @cached_property
    def table(self) -> "TokenTable":
        """The tokens of the texts."""
        with self.lock:
            return self.encoder().tokenise(self.texts)

    @cached_property
    def mixed(self) -> list[np.ndarray]:
        """Row numbers in shuffled batches, as in training; in smaller ones where texts are long."""
        order = numpy_rng(self.seed, "scan", "batches").permutation(len(self.texts))
        most = max(2, min(BATCH, BATCH_TOKENS // int(self.table.lengths.max(initial=1))))
        # A batch of one would have neither a gradient nor other vectors.
        return np.array_split(order, max(1, len(order) // most))

    @cached_property
    def sorted(self) -> list[np.ndarray]:
        """Row numbers in batches of similar length, where the composition of batches does not matter."""
        order = np.argsort(self.table.lengths, kind="stable")
        return np.array_split(order, max(1, len(order) // SORTED_BATCH))

    @cached_property
    def plain(self) -> np.ndarray:
        """float32 (texts, dim) without a change, before normalisation and transform."""
        return self._joined(self.sorted, [self._pooled(rows, None) for rows in self.sorted])

    def of(self, line: str, on_progress: Progress) -> Perturbation:
        """The effect of a pipeline whose steps are all at positions, at states, or at vectors; or of `dropout(rate=...)`."""
        rate = dropout_rate(line)
        if rate is not None:
            return dropout(self.views(self.texts, rate, on_progress), rate=rate)
        pipeline = parse(line)
        return self._vectors(pipeline, on_progress) if pipeline.at("vectors") else self._states(pipeline, on_progress)

    def _vectors(self, pipeline: Pipeline, on_progress: Progress) -> Perturbation:
        plain = self.plain
        parts = []
        for number, rows in enumerate(self.mixed):
            on_progress(number / len(self.mixed), "")
            texts = [self.texts[row] for row in rows]
            parts.append(moved(pipeline, texts, plain[rows], seed=self.seed, draw=number))
        vectors = self._joined(self.mixed, parts)
        size = _relative(plain, vectors)
        return Perturbation(
            self._finished(plain),
            self._finished(vectors),
            size,
            size,
            np.zeros(len(size)),
            size > MOVED,
            lambda row: spaced(f"the vector moved by {size[row]:.0%} of its norm"),
        )

    def _states(self, pipeline: Pipeline, on_progress: Progress) -> Perturbation:
        follows = gradient_wanted(pipeline.steps)
        batches = self.mixed if follows else self.sorted
        vectors, changes = [], []
        for number, rows in enumerate(batches):
            on_progress(number / len(batches), "")
            # Before the lock: a cached property has one of its own in Python 3.11, under which it takes this one.
            table = self._rows(rows)
            with self.lock:
                encoder = self.encoder()
                gradient = gradient_of(encoder, table, self.seed, number) if follows else None
                texts = [self.texts[row] for row in rows]
                device = str(encoder.device)
                steps = planned(
                    pipeline, texts, seed=self.seed, draw=number, device=device, levels=WITHIN, gradient=gradient
                )
                recorder = Recorder(encoder, table, alteration(steps), level=pipeline.steps[0].level)
                vectors.append(pooled(encoder, table, recorder.recorded))
                changes.append(recorder.changes())
        whole = self._joined(batches, vectors)
        columns = [np.stack([change.share, change.size, change.length], 1) for change in changes]
        share, size, length = self._joined(batches, columns).T
        counts = [len(rows) for rows in batches]
        batch = self._joined(batches, [np.repeat(np.arange(len(batches)), counts)])
        within = self._joined(batches, [np.arange(count) for count in counts])

        def describe(row: int) -> str:
            with self.lock:
                view = self.encoder().token_view(self.texts[row])
            names = [token.text for token in view if token.kind != "cut"]
            return changes[batch[row]].describe(within[row], names)

        return Perturbation(
            self._finished(self.plain), self._finished(whole), share, size, length, (share > 0) | (length < 0), describe
        )

    def _rows(self, rows: np.ndarray) -> "TokenTable":
        from workbench.models.tokens import TokenTable

        lengths, starts = self.table.lengths[rows], self.table.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return TokenTable(self.table.ids[indices], offsets, self.table.pad)

    def _pooled(self, rows: np.ndarray, alter: "Alteration | None") -> np.ndarray:
        table = self._rows(rows)
        with self.lock:
            return pooled(self.encoder(), table, alter)

    def _finished(self, vectors: np.ndarray) -> np.ndarray:
        with self.lock:
            normalised = scaled(self.encoder(), vectors)
        return self.after(normalised)

    @staticmethod
    def _joined(batches: Sequence[np.ndarray], parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts)[np.argsort(np.concatenate(batches), kind="stable")]


def _relative(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(n,): the norm of the difference over the norm of `before`."""
    length = np.maximum(np.linalg.norm(before, axis=1), 1e-12)
    return np.asarray(np.linalg.norm(after - before, axis=1) / length)
