"""Semantic textual similarity: whether cosines rank pairs as people do, by SimCSE's protocol.

The layout of its files is in `workbench.data.sts`, a lower package than for other suites, because its tasks are also pair sets
by name (`stsb:dev@FOLDER`): to choose a step on, to train on, or to fit a transform on.
"""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.data import sts as data
from workbench.data.tasks import KNOWN, TASKS, has_subsets
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.metrics import checked_cosines
from workbench.statistics.correlation import UndefinedCorrelation, spearman

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

OFFICIAL_PAIRS = {name: task.splits[task.tested] for name, task in KNOWN.items()}
"""The numbers of pairs that scores are published on."""


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], "PairSet"]]:
    """For each task whose test split is in `folder`, a function that reads it; see `workbench.data.sts.present`.

    Raises:
        BadData: `folder` is not a folder, or has only other splits.
        OutsideFolders: it is outside `folders`.
    """
    splits_of = data.present(folder, folders=folders)
    tested = {task: splits["test"] for task, splits in splits_of.items() if "test" in splits}
    if splits_of and not tested:
        there = [f"{task}:{split}" for task, splits in splits_of.items() for split in splits]
        raise BadData(
            f"{folder} has no test split with scores, only {', '.join(there)}.",
            rule="GLUE never published those of its test split.",
            way_out=f"Score other splits as pairs: compare --pairs {there[-1]}@{folder}.",
        )
    return tested


def sts(encode: Encode, pair_sets: "Sequence[PairSet]", *, on_progress: Progress = no_progress) -> "DataFrame":
    """Spearman in -1..1 for each pair set: task, split, n, subsets, all, mean, wmean, official, low, high, linked_groups.

    `all` is one rho over all pairs of a task, `low` and `high` its 95 % bootstrap interval, `mean` the mean of its subsets' rhos
    and `wmean` the same weighted by pairs. STS-B and SICK-R are one set in the literature, whatever genres a file names: all
    three are equal there. For a task with subsets, `mean` and `wmean` are nan and `subsets` is 0 if the pairs do not name
    them. Nothing is fitted. An undefined rho, as with constant cosines, is 0 with a warning and an entry in
    `attrs["notices"]`. `official` is whether there are as many pairs as in the task's test split; other numbers must not be
    compared with the literature. `linked_groups` are the groups of pairs that no sentence links: where there are fewer
    than pairs, as in STS12, the interval can be too narrow, since it treats pairs as independent.

    Prefer it over the other suites as the headline score of sentence vectors: it is what the literature reports first, and it
    fits nothing. `transfer` shows what else the vectors hold.

    Raises:
        BadData: no pair set, or vectors that are not finite.
    """
    from workbench.statistics.bootstrap import spearman_interval
    from workbench.statistics.linked_pairs import count_groups

    on_progress(0.0, "Comparing the pairs")
    pairs = pair_cosines(encode, pair_sets)
    table = summarise(pairs)
    intervals = []
    groups = pairs.groupby(["task", "split"], sort=False)
    for number, (_, group) in enumerate(groups):
        on_progress(number / len(groups), "Intervals")
        intervals.append(spearman_interval(group["cosine"].to_numpy(), group["gold"].to_numpy()))
    table["low"], table["high"] = [low for low, _ in intervals], [high for _, high in intervals]
    table["linked_groups"] = [count_groups(group["first"], group["second"]) for _, group in groups]
    undefined = table.loc[(table["all"] == 0) & (table["low"] == 0) & (table["high"] == 0), "task"]
    table.attrs["notices"] = [
        f"{task}: Spearman is undefined, as all cosines or all gold scores are equal. It counts as 0."
        for task in undefined
    ]
    table.attrs["notices"] += _undefined_subsets(pairs)
    return table


def _undefined_subsets(pairs: "DataFrame") -> list[str]:
    """Which subsets count as 0 in `mean` and `wmean` because they have no correlation."""
    found = []
    for task, group in pairs.groupby("task", sort=False):
        if not has_subsets(str(task), group["subset"]):
            continue
        for name, part in group.groupby("subset", sort=False):
            if len(part) < len(group) and min(part["gold"].nunique(), part["cosine"].nunique()) < 2:
                found.append(
                    f"{task}, {name}: Spearman is undefined on its {len(part):,} pairs, and counts as 0 in mean and wmean."
                )
    return found


def pair_cosines(encode: Encode, pair_sets: "Sequence[PairSet]") -> "DataFrame":
    """Cosine of every pair: task, split, subset, row, gold, cosine, first, second. `row` counts within its pair set.

    Each distinct sentence of all sets is encoded once. Every interval, test and aggregation can be computed from this table
    without a model.

    Raises:
        BadData: no pair set, or vectors that are not finite.
    """
    from pandas import DataFrame, concat

    if not pair_sets:
        raise BadData("There is no pair set to evaluate on.", way_out="Give one, such as demo:dev.")
    row_of: dict[str, int] = {}
    for pairs in pair_sets:
        for text in (*pairs.first, *pairs.second):
            row_of.setdefault(text, len(row_of))
    vectors = np.asarray(encode(list(row_of)))
    tables = []
    for pairs in pair_sets:
        first, second = ([row_of[text] for text in side] for side in (pairs.first, pairs.second))
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
    """The table of `sts` from that of `pair_cosines` (it needs task, split, subset, gold and cosine)."""
    from pandas import DataFrame

    rows = []
    for (task, split), group in pairs.groupby(["task", "split"], sort=False):
        one_set = task in KNOWN and not KNOWN[task].subsets
        parts = [(task, group)] if one_set else list(group.groupby("subset", sort=False))
        if not has_subsets(task, group["subset"]):
            parts = []
        sizes = [len(part) for _, part in parts]
        rhos = [_rho(part, f"{task} {name}") for name, part in parts]
        known = KNOWN.get(task)
        official = known is not None and split == known.tested and known.splits[split] == len(group)
        rows.append(
            {
                "task": task,
                "split": split,
                "n": len(group),
                "subsets": len(parts),
                "all": _rho(group, task),
                "mean": float(np.mean(rhos)) if parts else np.nan,
                "wmean": float(np.average(rhos, weights=sizes)) if parts else np.nan,
                "official": official,
            }
        )
    return DataFrame(rows, columns=["task", "split", "n", "subsets", "all", "mean", "wmean", "official"])


def _rho(pairs: "DataFrame", name: str) -> float:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rho = spearman(pairs["cosine"].to_numpy(), pairs["gold"].to_numpy())
    if caught:
        warnings.warn(f"{name}: rho is undefined (constant scores, or one pair) and set to 0.", UndefinedCorrelation, 3)
    return rho


def unofficial(table: "DataFrame") -> list[str]:
    """Which tasks have another number of pairs."""
    odd = [
        f"{row['task']} ({row['n']:,}, not {OFFICIAL_PAIRS[row['task']]:,})"
        for row in table.to_dict("records")
        if not row["official"]
    ]
    return [f"not with the official number of pairs: {', '.join(odd)}"] if odd else []


COLUMNS = (
    Column("task", "The id of the task."),
    Column("split", "The split that is scored."),
    Column("n", "How many pairs there are."),
    Column("subsets", "How many subsets the means are over; 0 if the file does not name those of the task."),
    Column("all", "One Spearman over all pairs of the task.", share=True),
    Column("mean", "The mean over the task's subsets.", share=True),
    Column("wmean", "The same, weighted by their numbers of pairs.", share=True),
    Column("official", "Whether there are as many pairs as in the published test split."),
    Column("low", "The lower end of the 95 % bootstrap interval of `all`.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column(
        "linked_groups", "Groups of pairs that no sentence links; fewer than pairs can make the interval too narrow."
    ),
)

METHOD = Suite(
    sts,
    title="Semantic textual similarity",
    source="Agirre et al. 2012 to 2016; Cer et al. 2017; Marelli et al. 2014; protocol of SimCSE, arXiv:2104.08821",
    formula=r"\rho = \mathrm{Spearman}\left(\cos(f(s_1), f(s_2)),\ \mathrm{gold}\right)",
    tags={"direction": "higher is better", "noun": "STS", "fetched": "yes"},
    tasks={name: task.title for name, task in TASKS.items()},
    present=present,
    files="files such as sts12.tsv, stsb-test.csv or sts13.jsonl.gz, or SentEval's folders",
    elsewhere="Scored pairs of another set, such as STS17, are compared by the path of their file (compare --pairs FILE).",
    layouts="STS12 to STS16, STS-B and SICK-R, in our layout, SentEval's, GLUE's, mteb's or their own",
    columns=COLUMNS,
    score="all",
    score_title="Spearman",
    measure="Spearman x 100",
    interval="bootstrap",
    doing="Evaluating the STS tasks",
    offer="these texts cannot be shipped with the workbench; docs/how-to/data.md says which files and columns are read",
    aggregations={
        "all": "one correlation over all pairs of a task",
        "mean": "correlations of a task's subsets, averaged",
        "wmean": "correlations of a task's subsets, averaged by their numbers of pairs",
    },
    unofficial=unofficial,
)
