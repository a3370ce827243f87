"""Worst pairs: where the ranks of a model differ most from those of people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.statistics.correlation import average_ranks, check_scores

if TYPE_CHECKING:
    from pandas import DataFrame


class Change(NamedTuple):
    """A run of words that is the same in both sentences (`equal`), in only one (`delete`, `insert`), or different (`replace`)."""

    kind: str
    first: str
    second: str


def worst_pairs(
    cosine: ArrayLike,
    gold: ArrayLike,
    *,
    first: Sequence[str] = (),
    second: Sequence[str] = (),
    count: Annotated[int, Knob(1, 1000, 1, "Pairs shown.")] = 20,
) -> "DataFrame":
    """Pairs by the distance between their rank by cosine and by gold, worst first.

    Columns: row, gold, cosine, gold_rank, cosine_rank (both 0..1), residual (cosine_rank - gold_rank), verdict (`too
    similar`, `too different`, or `as people`: how similar the model finds them), and if sentences are given first, second, diff
    (`Change`s from the first sentence to the second, by words). Ranks are compared because cosines and gold scores have
    different scales.

    Prefer it over a Spearman correlation to see which pairs lower that correlation.

    Raises:
        BadData: different lengths, no pairs, or a score that is not finite.

    >>> worst_pairs([0.9, 0.1, 0.2, 0.3], [0, 1, 2, 3], count=1)[["row", "residual", "verdict"]].values.tolist()
    [[0, 1.0, 'too similar']]
    """
    from pandas import DataFrame

    scores, golds = check_scores(cosine, gold)
    if not len(golds):
        raise BadData("There are no pairs to rank.", got="0")
    if (first or second) and not len(first) == len(second) == len(golds):
        raise BadData("There are not as many sentences as scores.", got=f"{len(first)}, {len(second)}, {len(golds)}")
    last = max(len(golds) - 1, 1)
    table = DataFrame(
        {
            "gold": golds,
            "cosine": scores,
            "gold_rank": (average_ranks(golds) - 1) / last,
            "cosine_rank": (average_ranks(scores) - 1) / last,
        }
    )
    table["residual"] = table["cosine_rank"] - table["gold_rank"]
    verdicts = {1: "too similar", 0: "as people", -1: "too different"}
    table["verdict"] = [verdicts[int(sign)] for sign in np.sign(table["residual"])]
    table.insert(0, "row", range(len(golds)))
    worst = table.loc[table["residual"].abs().sort_values(ascending=False, kind="stable").index[:count]]
    worst = worst.reset_index(drop=True)
    if first:
        worst["first"] = [first[row] for row in worst["row"]]
        worst["second"] = [second[row] for row in worst["row"]]
        worst["diff"] = [diff(*both) for both in zip(worst["first"], worst["second"], strict=True)]
    return worst


def diff(first: str, second: str) -> list[Change]:
    """What turns the words of `first` into those of `second`: equal, replace, delete and insert, in order.

    >>> diff("a man sleeps", "a man is asleep")
    [Change(kind='equal', first='a man', second='a man'), Change(kind='replace', first='sleeps', second='is asleep')]
    """
    from difflib import SequenceMatcher

    a, b = first.split(), second.split()
    matched = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [Change(kind, " ".join(a[i:j]), " ".join(b[k:m])) for kind, i, j, k, m in matched]


METHOD = Method(
    worst_pairs,
    title="Worst pairs",
    source="Defined here; residual of the ranks behind Spearman's rho",
    formula=r"r_i = \frac{\mathrm{rank}(\cos_i) - \mathrm{rank}(\mathrm{gold}_i)}{n - 1}",
)
