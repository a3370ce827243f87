"""Semantic textual similarity: does the cosine of a pair rank like people do? SimCSE's protocol."""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Method
from workbench.data.tasks import TASKS, has_subsets
from workbench.metrics import checked_cosines
from workbench.statistics.correlation import UndefinedCorrelation, spearman

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

# The seven tasks whose mean is printed as "Avg" in the literature, and how many pairs their test splits have.
OFFICIAL_PAIRS = {name: task.splits["test"] for name, task in TASKS.items()}

Encode = Callable[[list[str]], NDArray[np.floating]]


class Mean(NamedTuple):
    """The mean of several tasks' `all`: labelled `avg` only when it is that of all seven, each with its official pairs."""

    label: str
    value: float
    tasks: tuple[str, ...]


def sts(encode: Encode, pair_sets: "Sequence[PairSet]") -> "DataFrame":
    """Spearman in -1..1 for each pair set: task, split, n, subsets, all, mean, wmean, official.

    `all` is one rho over all pairs of a task, `mean` that of its subsets' rhos, `wmean` the same weighted by pairs. STS-B
    and SICK-R are one set in the literature, whatever genres a file names: all three are equal there. Of a task that has
    subsets, `mean` and `wmean` are nan where the pairs do not stand in these, and `subsets` is 0.
    Nothing is fitted. A rho that is undefined, as with constant cosines, is 0 and warned of. `official` says whether
    these are as many pairs as the task's test split has; anything else must not stand beside literature numbers.
    Means over tasks come from `mean_over_tasks`, which alone decides what may be called avg.

    Raises:
        BadData: no pair set, or vectors that are not finite.
    """
    return summarise(pair_cosines(encode, pair_sets))


def pair_cosines(encode: Encode, pair_sets: "Sequence[PairSet]") -> "DataFrame":
    """Cosine of every pair: task, split, subset, row, gold, cosine, first, second. `row` counts within its pair set.

    Each distinct sentence of all sets together is encoded once. From this table every interval, test and aggregation
    follows without a model.

    Raises:
        BadData: no pair set, or vectors that are not finite.
    """
    from pandas import DataFrame, concat

    if not pair_sets:
        raise BadData("There is no pair set to evaluate on.", way_out="Name one, such as demo:dev.")
    place: dict[str, int] = {}
    for pairs in pair_sets:
        for text in (*pairs.first, *pairs.second):
            place.setdefault(text, len(place))
    vectors = np.asarray(encode(list(place)))
    tables = []
    for pairs in pair_sets:
        first, second = ([place[text] for text in side] for side in (pairs.first, pairs.second))
        columns = {
            "task": pairs.task,
            "split": pairs.split,
            "subset": list(pairs.subsets),
            "row": np.arange(len(pairs.gold)),
            "gold": np.asarray(pairs.gold, np.float64),
            "cosine": checked_cosines(vectors[first], vectors[second]),
            "first": list(pairs.first),
            "second": list(pairs.second),
        }
        tables.append(DataFrame(columns))
    return concat(tables, ignore_index=True)


def summarise(pairs: "DataFrame") -> "DataFrame":
    """The table of `sts` from that of `pair_cosines` (of which it needs task, split, subset, gold, cosine)."""
    from pandas import DataFrame

    rows = []
    for (task, split), own in pairs.groupby(["task", "split"], sort=False):
        one_set = task in TASKS and not TASKS[task].subsets
        parts = [(task, own)] if one_set else list(own.groupby("subset", sort=False))
        if not has_subsets(task, own["subset"]):
            parts = []
        sizes = [len(part) for _, part in parts]
        rhos = [_rho(part, f"{task} {name}") for name, part in parts]
        official = split == "test" and OFFICIAL_PAIRS.get(task) == len(own)
        rows.append(
            {
                "task": task,
                "split": split,
                "n": len(own),
                "subsets": len(parts),
                "all": _rho(own, task),
                "mean": float(np.mean(rhos)) if parts else np.nan,
                "wmean": float(np.average(rhos, weights=sizes)) if parts else np.nan,
                "official": official,
            }
        )
    return DataFrame(rows, columns=["task", "split", "n", "subsets", "all", "mean", "wmean", "official"])


def mean_over_tasks(table: "DataFrame") -> Mean | None:
    """The mean of `all` over the seven tasks' test splits in `table`, by the literature's rule, or None below two.

    That rule is the mean of values already rounded to two decimals of 100 rho. `avg` needs all seven, each with its
    official number of pairs; anything else is labelled with the names of its tasks, so that it cannot be taken for one.
    Other sets, the demo's among them, never enter.

    >>> import pandas
    >>> two = pandas.DataFrame(
    ...     {"task": ["sts12", "stsb"], "split": ["test", "test"], "all": [0.5, 0.7], "official": [True, True]}
    ... )
    >>> mean_over_tasks(two)
    Mean(label='mean of sts12, stsb', value=0.6, tasks=('sts12', 'stsb'))
    """
    rows = [row for row in table.to_dict("records") if row["task"] in OFFICIAL_PAIRS and row["split"] == "test"]
    found = {row["task"]: round(100 * row["all"], 2) for row in rows}
    tasks = tuple(task for task in OFFICIAL_PAIRS if task in found)
    if len(tasks) < 2:
        return None
    whole = len(tasks) == len(OFFICIAL_PAIRS) and all(row["official"] for row in rows)
    label = "avg" if whole else f"mean of {', '.join(tasks)}"
    return Mean(label, round(sum(found[task] for task in tasks) / len(tasks) / 100, 6), tasks)


def _rho(pairs: "DataFrame", name: str) -> float:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rho = spearman(pairs["cosine"].to_numpy(), pairs["gold"].to_numpy())
    if caught:
        warnings.warn(f"{name}: rho is undefined (constant scores, or one pair) and set to 0.", UndefinedCorrelation, 3)
    return rho


METHOD = Method(
    sts,
    title="Semantic textual similarity",
    source="Agirre et al. 2012 to 2016; Cer et al. 2017; Marelli et al. 2014; protocol of SimCSE, arXiv:2104.08821",
    formula=r"\rho = \mathrm{Spearman}\left(\cos(f(s_1), f(s_2)),\ \mathrm{gold}\right)",
    tags={"direction": "higher is better", "measure": "Spearman x 100", "averaged": "all"},
)
