"""Which rows make up the batch of each step: a function of the seed and the step, so a resumed run continues exactly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting
from workbench.core.seeds import numpy_rng
from workbench.data.near import plain

STORED_ROWS = 1 << 20
"""Up to this many rows the order of an epoch is stored; that of more is computed batch by batch."""
_ROUNDS = 6


def batches(
    rows: int,
    batch_size: int,
    *,
    seed: int,
    start: int = 0,
    same_text: Sequence[frozenset[int]] | None = None,
    among: np.ndarray | None = None,
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (epoch, row numbers) without end, from step `start` on; each epoch has a new order.

    Rows left over after the last full batch of an epoch are dropped, since a smaller batch would have fewer negatives.
    `same_text` holds the numbers of each row's texts. If it is given, no batch has two rows that share a text; rows that are
    put off come in a later batch of the same epoch. If `among` is given, only those rows are used.

    Raises:
        BadSetting: too few rows (or too few rows without a common text) for one batch.
    """
    if among is not None:
        rows = len(among)
        same_text = None if same_text is None else [same_text[row] for row in among.tolist()]
    check_rows(len(set(same_text)) if same_text is not None else rows, batch_size, distinct=same_text is not None)
    step = epoch = 0
    while True:
        first = step
        rng = numpy_rng(seed, "batches", epoch)
        for batch in (
            _plain(rows, batch_size, rng)
            if same_text is None
            else _distinct(rng.permutation(rows), batch_size, same_text)
        ):
            if step >= start:
                yield epoch, batch if among is None else among[batch]
            step += 1
        if step == first:
            raise BadSetting(
                f"No batch of {batch_size} rows without a common text can be made from this corpus.",
                rule="With dedup_batch, no two rows of a batch share a text.",
                way_out="Use a smaller batch, or turn dedup_batch off.",
            )
        epoch += 1


def check_rows(rows: int, batch_size: int, *, distinct: bool = False) -> None:
    """Refuse a corpus that does not fill one batch.

    Raises:
        BadSetting: fewer rows than a batch needs.
    """
    if rows < batch_size:
        kind = f"{'distinct text' if distinct else 'row'}{'s' * (rows != 1)}"
        raise BadSetting(
            f"The corpus has {rows:,} {kind}, fewer than one batch of {batch_size:,}.",
            rule="Every text of a batch is a negative for the others, so a batch is never filled up or shrunk silently.",
            way_out="Use a smaller batch or a larger corpus.",
        )


def numbered(columns: Iterable[Sequence[str]]) -> list[frozenset[int]]:
    """The numbers of each row's texts; texts that differ only in case or white space have the same number.

    >>> numbered([["A b", "c"], ["d", "a  b"]])
    [frozenset({0, 2}), frozenset({0, 1})]
    """
    numbers: dict[str, int] = {}
    found = [[numbers.setdefault(plain(text), len(numbers)) for text in column] for column in columns]
    return [frozenset(row) for row in zip(*found, strict=True)]


def steps_per_epoch(rows: int, batch_size: int) -> int:
    """Full batches in one pass over the corpus; with `dedup_batch` and many equal texts there can be fewer.

    >>> steps_per_epoch(130, 64)
    2
    """
    return rows // batch_size


def in_steps(config: RunConfig, share: float = 1.0) -> RunConfig:
    """The configuration with its epochs converted to steps, once the rows of its corpus are known.

    `share` is the share of the corpus's rows that are trained on.
    """
    training, rows = config.training, round(share * config.corpus.rows)
    if not training.epochs or not rows:
        return config
    # 0.7 * 90 is 62.99999999999999.
    steps = max(1, int(round(training.epochs * steps_per_epoch(rows, training.batch_size), 9)))
    origins = {**config.origins, "training.steps": config.origins.get("training.epochs", "default")}
    return replace(config, training=replace(training, steps=steps), origins=dict(sorted(origins.items())))


class _Shuffled:
    """All numbers below `rows` in an order drawn by `rng`, computed where it is asked for instead of stored.

    A Feistel network permutes the numbers below a power of 4; it is applied again while the result is not below `rows`
    (Black and Rogaway 2002, Ciphers with arbitrary finite domains).
    """

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self.rows, self.half = rows, np.uint64((max(rows - 1, 1).bit_length() + 1) // 2)
        self.low = np.uint64((1 << int(self.half)) - 1)
        self.keys = rng.integers(0, 2**64, size=_ROUNDS, dtype=np.uint64)

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, part: slice) -> np.ndarray:
        numbers = self._permuted(np.arange(*part.indices(self.rows), dtype=np.uint64))
        while (over := np.flatnonzero(numbers >= self.rows)).size:
            numbers[over] = self._permuted(numbers[over])
        return numbers.astype(np.int64)

    def _permuted(self, numbers: np.ndarray) -> np.ndarray:
        left, right = numbers >> self.half, numbers & self.low
        for key in self.keys:
            mixed = (right + key) * np.uint64(0xBF58476D1CE4E5B9)  # SplitMix64's mixing
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            left, right = right, left ^ ((mixed ^ (mixed >> np.uint64(31))) & self.low)
        return (left << self.half) | right


def _plain(rows: int, batch_size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    order = rng.permutation(rows) if rows <= STORED_ROWS else _Shuffled(rows, rng)
    for start in range(0, len(order) - batch_size + 1, batch_size):
        yield order[start : start + batch_size]


def _distinct(order: np.ndarray, batch_size: int, same_text: Sequence[frozenset[int]]) -> Iterator[np.ndarray]:
    waiting: list[int] = []
    queue = iter(order.tolist())
    while True:
        taken: list[int] = []
        seen: set[int] = set()
        put_off: list[int] = []
        held = iter(waiting)
        for row in chain(held, queue):
            if seen.isdisjoint(same_text[row]):
                taken.append(row)
                seen |= same_text[row]
            else:
                put_off.append(row)
            if len(taken) == batch_size:
                break
        else:
            return
        waiting = [*put_off, *held]
        yield np.array(taken)
