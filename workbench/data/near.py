"""Finds exact copies and near copies by their letters, and counts the false negatives they cause in a batch."""

import re

import numpy as np

from workbench.core.seeds import numpy_rng

RULE = (
    "Two texts are near duplicates when, without case, punctuation and space, at least 80 % of all their 5-letter "
    "sequences are common to both (Jaccard similarity)."
)
SHINGLE = 5
THRESHOLD = 0.8
_BANDS, _ROWS = 8, 4
_BLOCK = 20_000
_NO_LETTER = re.compile(r"[\W_]+")
_OTHER_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())


def plain(text: str) -> str:
    """The text case-folded, with one space for each run of white space. Texts that are then equal count as exact
    copies.
    """
    return " ".join(text.casefold().split())


def letters(text: str) -> str:
    """Only the letters and digits, case-folded, so that `Isn't it?` and `is n't it ?` are equal.

    A text without any, such as an emoji, is returned as by `plain`.

    >>> letters("Isn't it?") == letters("is n't it ?")
    True
    """
    folded = text.casefold()
    # Millions of texts are compared with evaluation sets, and a pattern takes ten times as long.
    if folded.isascii():
        return folded.encode().translate(None, _OTHER_ASCII).decode() or plain(text)
    return _NO_LETTER.sub("", folded) or plain(text)


def false_negatives(group_sizes: np.ndarray, texts: int, batch_size: int) -> float:
    """Expected number of entries in a batch's similarity matrix that count as negatives although both texts are equal.

    `group_sizes`, of shape [groups], are the sizes m of the groups of equal texts among the n = `texts`. A batch of
    B texts is drawn without replacement, and each of its B(B-1) ordered pairs consists of equal texts with probability
    sum m(m-1) / (n(n-1)). A batch larger than the corpus counts as the whole corpus.

    >>> round(false_negatives(np.array([2, 1]), 3, 2), 4)  # a, a, b: one batch in three is (a, a), and holds 2 of them
    0.6667
    """
    sizes = np.asarray(group_sizes, dtype=np.float64)
    if texts < 2:
        return 0.0
    drawn = min(batch_size, texts)
    return float(drawn * (drawn - 1) * (sizes * (sizes - 1)).sum() / (texts * (texts - 1)))


def beside(copies: np.ndarray, texts: int, batch_size: int) -> np.ndarray:
    """For texts with that many copies among all `texts`, the chance, 0..1, that a batch with such a text holds one of them.

    A text with m copies among n others has one in a batch of B with probability 1 - (1 - (B - 1) / n) ** m. A batch larger
    than the corpus counts as the whole corpus.

    >>> beside(np.array([0, 1, 2]), 12, 4).round(4).tolist()  # 3 of the 11 others are in the batch
    [0.0, 0.2727, 0.4711]
    """
    if texts < 2:
        return np.zeros(len(copies))
    return 1 - (1 - min(1.0, (batch_size - 1) / (texts - 1))) ** np.asarray(copies, dtype=np.float64)


def near_groups(texts: list[str]) -> tuple[np.ndarray, list[tuple[int, int, float]]]:
    """Group numbers of shape [texts], equal for near duplicates, and up to 20 example pairs (index, index, Jaccard
    similarity).

    Texts must be distinct. Candidates share one of 8 bands of 4 MinHash values over their 5-letter sequences (a pair at
    the threshold is found with probability .985, one at .9 with .9998) and are then compared exactly. Within a bucket,
    each text is compared with the first and with the previous one, so counts are lower bounds. Groups are chains, so
    two texts of a group are not necessarily similar. The result is deterministic.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    keys = [letters(text).ljust(SHINGLE, "\0") for text in texts]
    count = len(keys)
    signatures = _signatures(keys)
    labels = np.arange(count)
    linked_a: list[np.ndarray] = []
    linked_b: list[np.ndarray] = []
    examples: list[tuple[int, int, float]] = []
    for band in range(_BANDS):
        part = signatures[:, band * _ROWS : (band + 1) * _ROWS]
        # Texts in a bucket are ordered by the next value, so that neighbours are more likely to be similar.
        order = np.lexsort((signatures[:, (band + 1) * _ROWS % signatures.shape[1]], *part.T))
        same = (part[order[1:]] == part[order[:-1]]).all(axis=1)
        if not same.any():
            continue
        start = np.maximum.accumulate(np.where(np.concatenate(([True], ~same)), np.arange(count), 0))
        at = np.flatnonzero(same) + 1
        one = np.concatenate((order[at - 1], order[start[at]]))
        two = np.concatenate((order[at], order[at]))
        one, two = np.minimum(one, two), np.maximum(one, two)
        codes = np.unique((one.astype(np.int64) * count + two)[labels[one] != labels[two]])
        one, two = codes // count, codes % count
        # An estimate from 32 values: a pair at the threshold falls below .6 once in 300 times.
        likely = np.concatenate(
            [
                (signatures[one[s : s + _BLOCK]] == signatures[two[s : s + _BLOCK]]).mean(axis=1) >= 0.6
                for s in range(0, len(one), _BLOCK)
            ]
            or [np.zeros(0, dtype=bool)]
        )
        one, two = one[likely], two[likely]
        similarity = np.array([_jaccard(keys[i], keys[j]) for i, j in zip(one.tolist(), two.tolist(), strict=True)])
        good = similarity >= THRESHOLD if len(similarity) else np.zeros(0, dtype=bool)
        linked_a.append(one[good])
        linked_b.append(two[good])
        room = 20 - len(examples)
        found = zip(one[good].tolist(), two[good].tolist(), similarity[good].tolist(), strict=True)
        examples.extend(list(found)[: max(0, room)])
        rows, columns = np.concatenate(linked_a), np.concatenate(linked_b)
        graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
        labels = connected_components(graph, directed=False)[1]
    return labels, examples


def _jaccard(first: str, two: str) -> float:
    """Jaccard similarity, 0 to 1: common 5-letter sequences divided by all distinct ones of both."""
    a = {first[at : at + SHINGLE] for at in range(len(first) - SHINGLE + 1)}
    b = {two[at : at + SHINGLE] for at in range(len(two) - SHINGLE + 1)}
    common = len(a & b)
    return common / (len(a) + len(b) - common)


def _signatures(keys: list[str]) -> np.ndarray:
    """MinHash values of shape [keys, 32] (uint32), computed in blocks to bound the memory needed."""
    rng = numpy_rng("near duplicates")
    factors = rng.integers(1, 2**63, size=_BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
    signatures = np.empty((len(keys), len(factors)), dtype=np.uint32)
    start = 0
    while start < len(keys):
        stop, characters = start, 0
        while stop < len(keys) and characters < 2_000_000:
            characters += len(keys[stop])
            stop += 1
        signatures[start:stop] = _block(keys[start:stop], factors)
        start = stop
    return signatures


def _block(keys: list[str], factors: np.ndarray) -> np.ndarray:
    codes = np.frombuffer("".join(keys).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    lengths = np.array([len(key) for key in keys])
    ends = np.cumsum(lengths)
    span = len(codes) - SHINGLE + 1
    values = np.zeros(span, dtype=np.uint64)
    for offset in range(SHINGLE):
        values = values * np.uint64(0x100000001B3) + codes[offset : offset + span]
    # Mixed once with splitmix64, so that one multiplication per hash is enough for independent orders.
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    inside = np.ones(len(codes), dtype=bool)
    for offset in range(1, SHINGLE):
        inside[ends - offset] = False
    values = values[inside[:span]]
    counts = lengths - SHINGLE + 1
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    columns = [
        np.minimum.reduceat(((values * factor) >> np.uint64(32)).astype(np.uint32), starts) for factor in factors
    ]
    return np.stack(columns, axis=1)
