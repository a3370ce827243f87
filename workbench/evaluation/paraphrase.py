"""Paraphrase detection: whether the cosine tells pairs that say the same from others."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.data.tables import LABELLED_PAIRS
from workbench.evaluation._labelled import NO_LITERATURE, PAIR_TASKS, LabelledPairs, pairs_present, worst_first
from workbench.evaluation._lexical import K1, USUAL_B, USUAL_K1, B, pair_baselines
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.evaluation._vectors import encoded
from workbench.metrics import checked_cosines
from workbench.statistics.average_precision import average_precision, average_precision_interval
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from pandas import DataFrame


def paraphrase(
    encode: Encode,
    sets: Sequence[LabelledPairs],
    *,
    k1: K1 = USUAL_K1,
    b: B = USUAL_B,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Average precision, in 0..1, of the cosine for the pairs that say the same, and accuracy at a threshold.

    A row per task, then one for each group of its pairs, the worst first: task, group, n, ap, low, high, accuracy,
    accuracy_low, accuracy_high, threshold, positives, tfidf, bm25, official. All numbers are of the tested pairs; `threshold`
    is the cosine at which the accuracy on the other pairs is highest. `low` and `high` are the 95 % bootstrap interval of `ap`
    over pairs, those of the accuracy are Wilson's. `positives` is the share of pairs that say the same, the average precision
    of chance; `tfidf` and `bm25` are the average precisions of the two baselines.

    Prefer it over `sts` where people only said yes or no; the order of pairs within either answer does not count.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There are no labelled pairs to evaluate on.", way_out="Choose a table, or a folder that holds mrpc."
        )
    rows = []
    for number, task in enumerate(sets):
        on_progress(number / len(sets), f"Comparing the pairs of {task.task}")
        vectors = encoded(encode, task.texts(), task.task)
        cosines = checked_cosines(vectors(task.first), vectors(task.second))
        words = pair_baselines(task.first[task.chosen :], task.second[task.chosen :], k1=k1, b=b)
        threshold = best_threshold(cosines[: task.chosen], task.same[: task.chosen])
        tested, same = cosines[task.chosen :], task.same[task.chosen :]

        scored = partial(_scored, tested, same, words, threshold)
        every = {"group": "", **(scored(np.arange(len(tested))) or {})}
        groups = worst_first(task.groups[task.chosen :], scored, "ap")
        rows += [{"task": task.task, **row, "official": False} for row in (every, *groups)]
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _scored(
    tested: NDArray[np.float64],
    same: NDArray[np.bool_],
    words: Mapping[str, NDArray[np.float64]],
    threshold: float,
    at: NDArray[np.int64],
) -> Mapping[str, object] | None:
    """The figures of some of the pairs; None if none of them says the same."""
    if not same[at].any():
        return None
    low, high = average_precision_interval(tested[at], same[at])
    right = int(((tested[at] > threshold) == same[at]).sum())
    around = wilson(right, len(at))
    return {
        "n": len(at),
        "ap": average_precision(tested[at], same[at]),
        "low": low,
        "high": high,
        "accuracy": right / len(at),
        "accuracy_low": around.low,
        "accuracy_high": around.high,
        "threshold": threshold,
        "positives": float(same[at].mean()),
        **{name: average_precision(values[at], same[at]) for name, values in words.items()},
    }


def best_threshold(cosines: NDArray[np.float64], same: NDArray[np.bool_]) -> float:
    """The cosine above which pairs are taken to say the same with the highest accuracy; the highest such one if several do.

    It is halfway between two neighbouring cosines; below all of them, or above, where taking all pairs alike is best.

    >>> best_threshold(np.array([0.2, 0.4, 0.8]), np.array([False, False, True]))
    0.6000000000000001
    """
    order = np.argsort(-cosines, kind="stable")
    values, hits = cosines[order], same[order]
    # Taking the first k pairs: k from 0 to all, only where the cosine changes.
    right = np.concatenate([[0], np.cumsum(hits)]) + np.concatenate([np.cumsum(~hits[::-1])[::-1], [0]])
    allowed = np.concatenate([[True], np.diff(values) != 0, [True]])
    taken = int(np.argmax(np.where(allowed, right, -1)))
    edges = np.concatenate([[values[0] + 1e-6], values, [values[-1] - 1e-6]])
    return float(edges[taken : taken + 2].mean()) if 0 < taken < len(values) else float(edges[0 if taken == 0 else -1])


COLUMNS = (
    Column("task", "The id of the task."),
    Column("group", "The group of pairs; empty for all."),
    Column("n", "How many pairs are tested."),
    Column("ap", "The average precision of the cosine.", share=True),
    Column("low", "The lower end of its 95 % bootstrap interval.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("accuracy", "The accuracy at the threshold.", share=True),
    Column("accuracy_low", "The lower end of Wilson's 95 % interval of the accuracy.", share=True),
    Column("accuracy_high", "The upper end of it.", share=True),
    Column("threshold", "The cosine above which a pair counts as the same, chosen on other pairs."),
    Column("positives", "The share of pairs that say the same: the average precision of chance.", share=True),
    Column("tfidf", "The average precision of the cosine by TF-IDF.", share=True),
    Column("bm25", "The average precision of BM25, the mean of both directions.", share=True),
    Column("official", "Never: such scores are not published."),
)

METHOD = Suite(
    paraphrase,
    title="Paraphrase detection",
    source="Reimers and Gurevych 2019, sentence-transformers' BinaryClassificationEvaluator; Dolan and Brockett 2005 for MRPC",
    formula=r"\mathrm{AP} = \sum_n (R_n - R_{n-1}) P_n",
    tags={"direction": "higher is better"},
    tasks=PAIR_TASKS,
    present=pairs_present,
    files="mrpc-train.tsv and mrpc-test.tsv (label, sentence1, sentence2), or SentEval's folder; or name a table of your own",
    layouts="a table of labelled pairs (label, sentence1, sentence2, and if you like group and split), or a folder with MRPC",
    columns=COLUMNS,
    score="ap",
    score_title="average precision",
    measure="Average precision x 100 of the cosine; accuracy at a threshold chosen on other pairs",
    interval="bootstrap",
    doing="Telling paraphrases from other pairs",
    offer="it shows whether one threshold of the cosine tells pairs that say the same from others",
    beside={"accuracy": "accuracy"},
    baselines={"positives": "chance", "tfidf": "TF-IDF", "bm25": "BM25"},
    by=("group",),
    roles=LABELLED_PAIRS,
    unofficial=lambda table: [NO_LITERATURE],
)
