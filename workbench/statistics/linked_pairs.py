"""Pairs linked by sentences that they share: how many independent groups a pair set has, and what that means for intervals."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, SupportsInt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RECURS = 0.95
"""The share of groups to pairs below which a set says that sentences recur: that of STS-B dev is 0.94, where the difference of
two encoders already varies 1.2 to 1.7 times as much as pairs say (`python -m experiments.coverage --linked`)."""


def group_of_pairs(first: Sequence[str], second: Sequence[str]) -> "NDArray[np.int64]":
    """The group of each pair, (pairs,), numbered from 0: two pairs with a sentence in common are in one group, as are those
    that a chain of such pairs links.

    >>> group_of_pairs(["a", "c", "d"], ["b", "b", "e"]).tolist()
    [0, 0, 1]
    """
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number_of: dict[str, int] = {}
    one, two = (
        np.array([number_of.setdefault(text, len(number_of)) for text in side], np.int64) for side in (first, second)
    )
    shape = len(number_of), len(number_of)
    _, of_sentences = connected_components(coo_array((np.ones(len(one)), (one, two)), shape=shape), directed=False)
    return np.asarray(of_sentences[one], np.int64)  # each group of sentences has a pair, since each sentence has one


def count_groups(first: Sequence[str], second: Sequence[str]) -> int:
    """How many groups of pairs there are that have no sentence in common: as many as pairs if no sentence recurs."""
    return int(group_of_pairs(first, second).max(initial=-1)) + 1


def said_of_groups(pairs: object, groups: object) -> str:
    """What belongs beside an interval over `pairs` pairs in `groups` groups, as the end of a caption; empty where few sentences
    recur, and where the number is not known, as in older results (None or nan).

    >>> said_of_groups(459, 27)
    'sentences recur: 459 pairs form 27 groups, and intervals that treat pairs as independent can be too narrow'
    >>> said_of_groups(600, 600), said_of_groups(600, None), said_of_groups(600, float("nan"))
    ('', '', '')
    """
    return "".join(of_rows([{"n": pairs, "linked_groups": groups}]))


def briefly(pairs: object, groups: object) -> str:
    """The same within a sentence that has the number of pairs already.

    >>> briefly(459, 27), briefly(600, 600)
    ('sentences recur (27 groups of pairs), so the interval can be too narrow', '')
    """
    recurring = 0 < _known(groups) < RECURS * _known(pairs)
    return (
        f"sentences recur ({_groups(_known(groups))} of pairs), so the interval can be too narrow" if recurring else ""
    )


def of_rows(rows: Iterable[Mapping[Hashable, object]], *, named: str = "") -> list[str]:
    """The same of all rows of a table of scores (n, linked_groups) together: one rule, or none; `named` is the column with the
    names of the pair sets, each of which is said once.

    >>> of_rows([{"task": "sts12", "n": 3108, "linked_groups": 2063}, {"task": "sts16", "n": 1186}], named="task")
    ['sentences recur: 3,108 pairs of sts12 form 2,063 groups, and intervals that treat pairs as independent can be too narrow']
    """
    counts = [(row.get(named), _known(row.get("n")), _known(row.get("linked_groups"))) for row in rows]
    said = [
        f"{pairs:,} pairs{f' of {name}' if name else ''} form {_groups(groups)}"
        for name, pairs, groups in dict.fromkeys(counts)
        if 0 < groups < RECURS * pairs
    ]
    words = ", ".join(said)
    return (
        [f"sentences recur: {words}, and intervals that treat pairs as independent can be too narrow"] if said else []
    )


def _groups(count: int) -> str:
    return f"{count:,} group{'s' * (count != 1)}"


def _known(count: object) -> int:
    """A count; 0 if it is unknown (None or nan)."""
    return int(count) if isinstance(count, SupportsInt) and count == count else 0
