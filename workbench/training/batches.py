"""Which rows meet in which step: a function of the seed and the step, so that a resumed run goes on exactly."""

from collections.abc import Iterator, Sequence

import numpy as np

from workbench.core.errors import BadSetting
from workbench.core.seeds import numpy_rng


def batches(
    rows: int, batch_size: int, *, seed: int, start: int = 0, same_text: Sequence[int] | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Endless (epoch, row numbers) from step `start` on; each epoch is a new order.

    What is left of an epoch after its last full batch is dropped, since a smaller batch would have fewer negatives.
    `same_text` numbers the distinct texts: given, no batch holds two rows of one number; rows put off come in a later
    batch of the same epoch.

    Raises:
        BadSetting: fewer rows (or fewer distinct texts) than one batch needs.
    """
    distinct = len(set(same_text)) if same_text is not None else rows
    if distinct < batch_size:
        raise BadSetting(
            f"The corpus has {distinct} {'' if same_text is None else 'distinct '}texts, "
            f"fewer than one batch of {batch_size}.",
            rule="Every text of a batch is a negative for the others, so a batch is never filled up or shrunk silently.",
            way_out="Take a smaller batch or a larger corpus.",
        )
    step = epoch = 0
    while True:
        order = numpy_rng(seed, "batches", epoch).permutation(rows)
        for batch in _plain(order, batch_size) if same_text is None else _distinct(order, batch_size, same_text):
            if step >= start:
                yield epoch, batch
            step += 1
        epoch += 1


def steps_per_epoch(rows: int, batch_size: int) -> int:
    """Full batches in one pass over the corpus.

    >>> steps_per_epoch(130, 64)
    2
    """
    return rows // batch_size


def _plain(order: np.ndarray, batch_size: int) -> Iterator[np.ndarray]:
    for start in range(0, len(order) - batch_size + 1, batch_size):
        yield order[start : start + batch_size]


def _distinct(order: np.ndarray, batch_size: int, same_text: Sequence[int]) -> Iterator[np.ndarray]:
    waiting: list[int] = []
    queue = iter(order.tolist())
    while True:
        taken: dict[int, int] = {}
        put_off: list[int] = []
        for row in waiting:
            put_off.append(row) if same_text[row] in taken or len(taken) == batch_size else taken.setdefault(
                same_text[row], row
            )
        while len(taken) < batch_size and (row := next(queue, -1)) >= 0:
            put_off.append(row) if same_text[row] in taken else taken.setdefault(same_text[row], row)
        if len(taken) < batch_size:
            return
        waiting = put_off
        yield np.array(list(taken.values()))
