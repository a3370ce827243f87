"""Search: the ranks of relevant documents, and what is computed from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.data.pair_sets import PairSet
from workbench.evaluation._labelled import worst_first
from workbench.evaluation._lexical import Bm25, Floats, tfidf_rows
from workbench.evaluation._suite import Column, Encode
from workbench.evaluation._vectors import encoded, unit
from workbench.statistics.means import mean_intervals

_CELLS = 4_000_000
"""Scores held at once."""
DEPTHS = (1, 5, 10)
NDCG_DEPTH = 10


@dataclass(frozen=True)
class Searched:
    """Queries, documents, and for each query the rows of the relevant documents, their gains, and the rows left out."""

    task: str
    queries: list[str]
    documents: list[str]
    relevant: list[list[int]]
    gains: list[list[float]]
    left_out: list[list[int]]
    groups: list[str]
    official: bool = False
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.queries)

    def texts(self) -> list[str]:
        """The queries, then the documents."""
        return [*self.queries, *self.documents]

    def as_pairs(self) -> PairSet:
        """Each query with each of its relevant documents, scored by its gain."""
        sides = [
            (query, self.documents[row], gain)
            for query, rows, gains in zip(self.queries, self.relevant, self.gains, strict=True)
            for row, gain in zip(rows, gains, strict=True)
        ]
        first, second = [query for query, _, _ in sides], [text for _, text, _ in sides]
        gold = np.array([gain for _, _, gain in sides], np.float64)
        return PairSet(
            self.task, self.task, "test", (0.0, float(gold.max())), [""] * len(sides), first, second, gold, []
        )


def ranks(score: Callable[[slice], Floats], task: Searched) -> list[Floats]:
    """For each query the rank, from 1, of each relevant document among all that are not left out.

    `score` gives the scores of all documents for a slice of queries. Equal scores share the mean of their ranks, so an encoder
    that gives all texts one vector is in the middle, not first.
    """
    found: list[Floats] = []
    block = max(1, _CELLS // max(1, len(task.documents)))
    for start in range(0, len(task), block):
        at = slice(start, min(start + block, len(task)))
        table = np.array(score(at), np.float64)
        for row, query in enumerate(range(at.start, at.stop)):
            scores = table[row]
            scores[task.left_out[query]] = -np.inf
            wanted = scores[task.relevant[query]]
            above = (scores[None, :] > wanted[:, None]).sum(axis=1)
            level = (scores[None, :] == wanted[:, None]).sum(axis=1)
            found.append(above + (level + 1) / 2)
    return found


def reciprocal(ranked: Floats) -> float:
    """One divided by the rank of the first relevant document."""
    return float(1 / ranked.min())


def recall(ranked: Floats, depth: int) -> float:
    """The share of the relevant documents among the first `depth`."""
    return float((ranked <= depth).mean())


def ndcg(ranked: Floats, gains: Sequence[float], depth: int = NDCG_DEPTH) -> float:
    """The discounted gain of the first `depth` documents, as a share of what the best order would have.

    >>> round(ndcg(np.array([1.0, 3.0]), [1.0, 1.0]), 4)  # (1 + 1/2) / (1 + 1/log2(3))
    0.9197
    """
    values = np.asarray(gains, np.float64)
    best = np.sort(values)[::-1][:depth]
    ideal = float((best / np.log2(np.arange(2, len(best) + 2))).sum())
    return float((values / np.log2(1 + ranked) * (ranked <= depth)).sum() / ideal)


def figures(ranked: Sequence[Floats], task: Searched) -> dict[str, NDArray[np.float64]]:
    """ndcg, mrr, and recall at each depth, for each query."""
    columns = {
        "ndcg": [ndcg(row, gains) for row, gains in zip(ranked, task.gains, strict=True)],
        "mrr": [reciprocal(row) for row in ranked],
        **{f"recall_{depth}": [recall(row, depth) for row in ranked] for depth in DEPTHS},
    }
    return {name: np.array(values) for name, values in columns.items()}


def search_rows(encode: Encode, task: Searched, *, by: str, k1: float, b: float) -> list[dict[str, object]]:
    """The row of a task and those of its groups, the worst first. `by` is the column with the interval and the baselines."""
    vectors = encoded(encode, task.texts(), task.task)
    queries, documents = unit(vectors(task.queries)), unit(vectors(task.documents))
    values = figures(ranks(lambda at: queries[at] @ documents.T, task), task)
    asked, held = tfidf_rows(task.documents, task.queries, task.documents)
    ranker = Bm25(task.documents, k1=k1, b=b)
    words = {
        "tfidf": figures(ranks(lambda at: (asked[at] @ held.T).toarray(), task), task)[by],
        "bm25": figures(ranks(lambda at: ranker.scores(task.queries[at]), task), task)[by],
    }

    def scored(at: NDArray[np.int64]) -> Mapping[str, object]:
        [(low, high)] = mean_intervals(values[by][at][:, None])
        means = {name: float(column[at].mean()) for name, column in {**values, **words}.items()}
        return {"n": len(at), "documents": len(task.documents), "low": low, "high": high, **means}

    every = {"group": "", **scored(np.arange(len(task)))}
    return [
        {"task": task.task, **row, "official": task.official} for row in (every, *worst_first(task.groups, scored, by))
    ]


def columns(by: str) -> tuple[Column, ...]:
    """The columns of a table of search, whose score is `by`."""
    shown = {"ndcg": f"nDCG of the first {NDCG_DEPTH}", "mrr": "The mean of 1 / rank of the first relevant document"}
    shown |= {f"recall_{depth}": f"The share of relevant documents among the first {depth}" for depth in DEPTHS}
    return (
        Column("task", "The id of the task."),
        Column("group", "The group of queries; empty for all."),
        Column("n", "How many queries there are."),
        Column("documents", "How many documents are searched."),
        Column(by, f"{shown.pop(by)}, averaged over queries.", share=True),
        Column("low", "The lower end of its 95 % bootstrap interval over queries.", share=True),
        Column("high", "The upper end of it.", share=True),
        *(Column(name, f"{words}, averaged over queries.", share=True) for name, words in shown.items()),
        Column("tfidf", f"The {by} of TF-IDF.", share=True),
        Column("bm25", f"The {by} of BM25.", share=True),
        Column("official", "Whether the queries and documents are the published ones."),
    )


BASELINES = {"tfidf": "TF-IDF", "bm25": "BM25"}
