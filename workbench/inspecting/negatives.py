"""How strongly each negative of a batch is pushed away, and which negatives are likely false."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.near import letters

if TYPE_CHECKING:
    from pandas import DataFrame


EQUAL, NEARLY, CLOSER = "equal", "nearly equal", "closer than the positive"


def negatives(
    similarity: np.ndarray,
    rows: Sequence[str],
    candidates: Sequence[str],
    temperature: float | None,
    *,
    among: np.ndarray | None = None,
    partner: np.ndarray | None = None,
    scores: np.ndarray | None = None,
    bonus: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    of: Sequence[str] = (),
    against: Mapping[str, Sequence[str]] | None = None,
) -> "DataFrame":
    """Every negative of a batch with its part of the gradient, the strongest first.

    Columns: row, candidate, cosine, positive (the cosine of the row with its positive), weight, share, kind. A loss that is a
    softmax over candidates moves row i away from candidate j with `weight`, the softmax of scores / temperature + bonus over
    its candidates, times the weight of the row (`weights`); `share` is the weight relative to all negatives of the row.
    `kind` marks likely false negatives: "equal" texts, "nearly equal" ones (80 % of their 5-letter sequences in common), or
    a negative "closer than the positive"; else it is empty.

    `among`, bool (rows, candidates), says which candidates a row has (default: all), and `partner`, (rows,), which is its
    positive (default: the one with the same number, as in InfoNCE). Without a temperature there is no softmax: weight and
    share are nan, and the closest negative is first. A candidate whose `of` is not empty is compared with the text of that
    view, which `against` has for each row.

    >>> import numpy as np
    >>> table = negatives(np.array([[1.0, 0.0], [0.0, 1.0]]), ["x", "y"], ["x", "y"], 1.0)
    >>> round(float(table["weight"][0]), 4)  # 1 / (1 + e)
    0.2689
    """
    import pandas

    count, width = similarity.shape
    partner = np.arange(count) if partner is None else partner
    other = np.ones((count, width), dtype=bool) if among is None else among.copy()
    weight, rest = np.full((count, width), np.nan), np.ones((count, 1))
    if temperature is not None:
        logits = (similarity if scores is None else scores).astype(np.float64) / temperature
        logits = np.where(other, logits if bonus is None else logits + bonus, -np.inf)
        weight = np.exp(logits - logits.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        weight *= 1.0 if weights is None else weights[:, None]
    other[np.arange(count), partner] = False
    if temperature is not None:
        rest = np.maximum((weight * other).sum(axis=1, keepdims=True), 1e-300)
    row, candidate = np.nonzero(other)
    positive = similarity[np.arange(count), partner][row]
    cosine = similarity[row, candidate]
    kind = np.where(cosine > positive, CLOSER, "").astype(object)
    alike = _alike(rows, candidates)
    for view, texts in (against or {}).items():
        compared = np.array(of) == view
        alike[:, compared] = _alike(texts, candidates)[:, compared]
    for index, likeness in enumerate(alike[row, candidate].tolist()):
        if likeness:
            kind[index] = (EQUAL, NEARLY)[likeness - 1]
    table = pandas.DataFrame(
        {
            "row": row,
            "candidate": candidate,
            "cosine": cosine,
            "positive": positive,
            "weight": weight[row, candidate],
            "share": (weight / rest)[row, candidate],
            "kind": kind,
        }
    )
    by = "cosine" if temperature is None else "weight"
    return table.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _alike(rows: Sequence[str], candidates: Sequence[str]) -> np.ndarray:
    """(rows, candidates): 0 for different texts, 1 for texts equal but for case, punctuation and space, 2 for near copies."""
    from workbench.data.near import SHINGLE, THRESHOLD

    names = list(dict.fromkeys(letters(text) for text in (*rows, *candidates)))
    index_of = {name: number for number, name in enumerate(names)}
    shingles: dict[str, int] = {}
    cells = [
        (number, shingles.setdefault(name[start : start + SHINGLE], len(shingles)))
        for number, name in enumerate(names)
        for start in range(max(1, len(name) - SHINGLE + 1))
    ]
    has = np.zeros((len(names), len(shingles)), dtype=np.float32)
    has[tuple(np.array(cells).T)] = 1
    common = has @ has.T
    sizes = has.sum(axis=1)
    jaccard = common / np.maximum(sizes[:, None] + sizes[None, :] - common, 1)
    kinds = np.where(jaccard >= THRESHOLD, 2, 0)
    np.fill_diagonal(kinds, 1)
    return np.asarray(
        kinds[np.ix_([index_of[letters(text)] for text in rows], [index_of[letters(text)] for text in candidates])]
    )
