"""Retrieval among the sentences of a pair set: whether the partner of a sentence is the nearest of all."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress, part
from workbench.data import sts as data
from workbench.data.pair_sets import PairSet
from workbench.data.tasks import KNOWN
from workbench.evaluation._labelled import NO_LITERATURE
from workbench.evaluation._lexical import K1, USUAL_B, USUAL_K1, B
from workbench.evaluation._ranking import BASELINES, Searched, columns, search_rows
from workbench.evaluation._suite import Column, Encode, Suite

if TYPE_CHECKING:
    from pandas import DataFrame

ALIKE = 0.8
"""4 of 0 to 5."""


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], PairSet]]:
    """For each task whose test split is in `folder`, a function that reads it.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    return {
        task: partial(splits["test"])
        for task, splits in data.present(folder, folders=folders, tasks=KNOWN).items()
        if "test" in splits
    }


def retrieval(
    encode: Encode,
    pair_sets: Sequence[PairSet],
    *,
    alike: Annotated[
        float, Knob(0.5, 1.0, 0.05, "Pairs from this share of the scale on are partners: .8 is 4 of 5.")
    ] = ALIKE,
    k1: K1 = USUAL_K1,
    b: B = USUAL_B,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """The rank of a sentence's partner among all other sentences of its set: task, n, documents, mrr, low, high, recall_1 and on.

    Queries are the first sentences of pairs with a gold score of 4 or more, each once, and documents all distinct sentences but
    the query itself, so exact copies of it are not found. `mrr` is the mean of 1 / rank of the first partner, with its 95 %
    bootstrap interval over queries; `recall_k` is the share of partners among the nearest k. Equal cosines share the mean of
    their ranks. `tfidf` and `bm25` are the mrr of the two baselines.

    Prefer it over `sts` to see whether near neighbours can be trusted, which a correlation over given pairs does not ask.

    Raises:
        BadData: no set, none with such pairs, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not pair_sets:
        raise BadData(
            "There is no pair set to search in.", way_out="Choose a folder that holds one, such as stsb-test.tsv."
        )
    rows = []
    for number, pairs in enumerate(pair_sets):
        within = part(on_progress, number / len(pair_sets), (number + 1) / len(pair_sets))
        within(0.0, f"Searching {pairs.task}")
        for row in search_rows(encode, searched(pairs, alike), by="mrr", k1=k1, b=b):
            rows.append({key: value for key, value in row.items() if key not in ("group", "ndcg")})
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def searched(pairs: PairSet, alike: float) -> Searched:
    """The queries and documents of a pair set.

    Raises:
        BadData: no pair of different sentences has so high a score.
    """
    least = alike * pairs.scale[1] - 1e-9
    documents = list(dict.fromkeys(pairs.texts()))
    row_of = {text: row for row, text in enumerate(documents)}
    partners: dict[str, list[int]] = {}
    for first, second, gold in zip(pairs.first, pairs.second, pairs.gold.tolist(), strict=True):
        if gold >= least and first != second and row_of[second] not in partners.setdefault(first, []):
            partners[first].append(row_of[second])
    partners = {query: rows for query, rows in partners.items() if rows}
    if not partners:
        raise BadData(
            f"{pairs.name} has no pair of different sentences with so high a score.",
            rule=f"A query needs a partner from {alike:g} of the scale on.",
            way_out="Lower the setting alike.",
        )
    queries = list(partners)
    return Searched(
        pairs.task,
        queries,
        documents,
        list(partners.values()),
        [[1.0] * len(rows) for rows in partners.values()],
        [[row_of[query]] for query in queries],
        [""] * len(queries),
        notices=pairs.notices,
    )


COLUMNS: tuple[Column, ...] = tuple(column for column in columns("mrr") if column.name not in ("group", "ndcg"))

METHOD = Suite(
    retrieval,
    title="Retrieval of partners",
    source="This file: a probe on STS pairs; MRR as in Voorhees 1999, TREC-8",
    formula=r"\mathrm{MRR} = \frac{1}{Q} \sum_q \frac{1}{\mathrm{rank}_q}",
    tags={"direction": "higher is better"},
    tasks={name: task.title for name, task in KNOWN.items() if "test" in task.splits},
    present=present,
    files="STS tasks, such as stsb-test.tsv",
    layouts="STS12 to STS16, STS-B, SICK-R and Chinese STS-B, in the layouts that the STS suite reads",
    columns=COLUMNS,
    score="mrr",
    score_title="MRR",
    measure="Mean reciprocal rank x 100 of a sentence's partner among all other sentences, pairs from {alike} of the scale on",
    interval="bootstrap",
    doing="Searching for partners",
    offer="it shows whether the partner of a sentence is the nearest of all sentences",
    beside={f"recall_{depth}": f"R@{depth}" for depth in (1, 10)},
    baselines=BASELINES,
    unofficial=lambda table: [NO_LITERATURE],
)
