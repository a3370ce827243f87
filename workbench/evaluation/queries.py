"""Your own search: queries with relevant documents, from a table, or from a folder in BEIR's layout."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.core.unicode import whole
from workbench.data.cells import is_number
from workbench.data.cleaning import Cleaner
from workbench.data.dropped import Dropped, left_out
from workbench.data.encodings import numbered_lines
from workbench.data.files import examine
from workbench.data.sources import task_folder
from workbench.data.tables import RELEVANT, read_table, table_of
from workbench.evaluation._labelled import NO_LITERATURE
from workbench.evaluation._lexical import K1, USUAL_B, USUAL_K1, B
from workbench.evaluation._ranking import BASELINES, NDCG_DEPTH, Searched, columns, search_rows
from workbench.evaluation._suite import Encode, Suite

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {"beir": "Queries in BEIR's layout"}
_PARTS = ("corpus.jsonl", "queries.jsonl")
_JUDGED = ("query-id", "corpus-id", "score")


def present(source: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], Searched]]:
    """The one task of a table of queries and documents, or of a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or
    .jsonl as in mteb's repositories, each also compressed with gzip.

    Raises:
        BadData: `source` is neither a file nor a folder.
        OutsideFolders: it is outside `folders`.
    """
    if named := table_of(source, folders):
        return {whole(named[0].stem): partial(_own, *named)}
    base = task_folder(source, folders, "corpus.jsonl, queries.jsonl and qrels/test.tsv")
    splits = (f"{split}.{form}" for split in ("test", "dev") for form in ("tsv", "jsonl"))
    usable = next((path for split in splits if (path := _packed(base / "qrels" / split))), None)
    corpus, asked = (_packed(base / part) for part in _PARTS)
    if not (usable and corpus and asked):
        return {}
    return {next(iter(TASKS)): partial(_beir, corpus, asked, usable)}


def _packed(path: Path) -> Path | None:
    """A file, or the same compressed with gzip; None if there is neither."""
    return next((one for one in (path, path.with_name(f"{path.name}.gz")) if one.is_file()), None)


def _own(path: Path, chosen: str | None) -> Searched:
    table = read_table(path, chosen, RELEVANT)
    judged = table.optional("relevance") if "relevance" in table.cells else ["1"] * len(table)
    rows = zip(table.rows, table.cells["query"], table.cells["document"], judged, table.optional("group"), strict=True)
    documents = list(dict.fromkeys(table.cells["document"]))
    return _searched(whole(path.stem), rows, documents, table.notices)


def _searched(
    task: str,
    rows: Iterable[tuple[int, str, str, str, str]],
    documents: list[str],
    notices: list[str],
    same: Mapping[str, str] = MappingProxyType({}),
) -> Searched:
    """The task of rows (line, query, document, relevance, group); documents without a relevant row are searched too.

    `same` names, for queries that are documents themselves, that document: unless it is relevant, it is not searched for them.

    Raises:
        BadData: a relevance that is not a finite number, or no query with a relevant document.
    """
    row_of = {text: row for row, text in enumerate(documents)}
    gains: dict[str, dict[int, float]] = {}
    groups: dict[str, str] = {}
    for row, query, document, judged, group in rows:
        gain = float(judged.replace(",", ".")) if is_number(judged) else math.nan
        if not math.isfinite(gain):
            raise BadData(
                f"{task}: the relevance in row {row:,} is not a number.",
                got=judged[:40] or "an empty cell",
                rule="0 is not relevant, more is.",
            )
        groups.setdefault(query, group)
        if gain > 0:
            known = gains.setdefault(query, {})
            known[row_of[document]] = max(gain, known.get(row_of[document], 0.0))
    if not gains:
        raise BadData(f"{task} has no query with a relevant document.", rule="A relevance above 0 marks one.")
    lacking = len(groups) - len(gains)
    words = "query has no relevant document and was" if lacking == 1 else "queries have no relevant document and were"
    notes = [f"{task}: {lacking:,} {words} left out."] if lacking else []
    return Searched(
        task,
        list(gains),
        documents,
        [list(known) for known in gains.values()],
        [list(known.values()) for known in gains.values()],
        [[row_of[same[query]]] if query in same and row_of[same[query]] not in gains[query] else [] for query in gains],
        [groups[query] for query in gains],
        notices=[*notices, *notes],
    )


def _beir(documents: Path, questions: Path, judged: Path) -> Searched:
    """BEIR's layout; a document is its title, a space and its text. As BEIR's own evaluation does, a document with the id of a
    query is not searched for it (ArguAna, Quora)."""
    cleaner = Cleaner()
    corpus = {
        str(row.get("_id")): cleaner(f"{row.get('title') or ''} {row.get('text') or ''}", line)
        for line, row in _objects(documents)
    }
    asked = {str(row.get("_id")): cleaner(str(row.get("text") or ""), line) for line, row in _objects(questions)}
    file, dropped = examine(judged, lines=False, line_feeds=True), list[Dropped]()
    if file.columns < len(_JUDGED):
        raise BadData(
            f"{judged.name} has too few columns.",
            rule=f"Its columns are {', '.join(_JUDGED)}.",
            got=", ".join(file.header) or f"{file.columns} without names",
        )
    named = {*_JUDGED} <= {*file.header}
    query, document, score = (file.header.index(name) if named else place for place, name in enumerate(_JUDGED))
    judgements = list(file.rows(dropped))
    rows = [
        (row, asked[cells[query]], corpus[cells[document]], cells[score], "")
        for row, cells in judgements
        if cells[query] in asked and corpus.get(cells[document])
    ]
    lost = len(judgements) - len(rows)
    if not rows:
        raise BadData(f"{judged.name} judges no document of the corpus.", rule=f"Its columns are {', '.join(_JUDGED)}.")
    return _searched(
        next(iter(TASKS)),
        rows,
        list(dict.fromkeys(filter(None, corpus.values()))),
        [
            f"judged by {judged.name}",
            *([f"judgements of queries or documents that are not there, left out: {lost:,}"] if lost else []),
            *cleaner.notices(),
            *left_out(judged.name, dropped),
        ],
        {text: corpus[query] for query, text in asked.items() if corpus.get(query)},
    )


def _objects(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """The numbers and the objects of lines in JSON; characters that are no UTF-8 are marked as damaged.

    Raises:
        BadData: a line is not a JSON object.
    """
    with numbered_lines(path, "utf-8-sig", path.name) as lines:
        for number, line in lines:
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadData(f"{path.name}: line {number:,} is not JSON.", reason=str(error)) from None
            if not isinstance(row, dict):
                raise BadData(f"{path.name}: line {number:,} is not a JSON object.", got=line[:40])
            yield number, row


def queries(
    encode: Encode,
    sets: Sequence[Searched],
    *,
    k1: K1 = USUAL_K1,
    b: B = USUAL_B,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """nDCG of the first 10 documents by cosine, in 0..1, averaged over queries.

    A row per task, then one per group of queries, the worst first: task, group, n, documents, ndcg, low, high, mrr, recall_1,
    recall_5, recall_10, tfidf, bm25, official. All distinct documents are searched. A relevance above 0 is a gain of that size;
    a table without such a column has gains of 1. `low` and `high` are the 95 % bootstrap interval of `ndcg` over queries. Equal
    cosines share the mean of their ranks. `tfidf` and `bm25` are the nDCG of the two baselines.

    Prefer it over `retrieval` for queries and documents of your own.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData("There are no queries to search for.", way_out="Choose a table of queries and documents.")
    rows = []
    for number, task in enumerate(sets):
        on_progress(number / len(sets), f"Searching {task.task}")
        rows += search_rows(encode, task, by="ndcg", k1=k1, b=b)
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


COLUMNS = columns("ndcg")

METHOD = Suite(
    queries,
    title="Your own search",
    source="Järvelin and Kekäläinen 2002, doi:10.1145/582415.582418; layout of Thakur et al. 2021, BEIR, arXiv:2104.08663",
    formula=r"\mathrm{nDCG} = \frac{\sum_i g_i / \log_2(1 + r_i)}{\sum_i g^*_i / \log_2(1 + i)}",
    tags={"direction": "higher is better", "noun": "search"},
    tasks=TASKS,
    present=present,
    files="corpus.jsonl, queries.jsonl and qrels/test.tsv; or name a table of your own",
    layouts="a table of queries and documents (query, document, and if you like relevance, group), or a folder in BEIR's layout",
    columns=COLUMNS,
    score="ndcg",
    score_title="nDCG",
    measure=f"nDCG@{NDCG_DEPTH} x 100 of the documents by cosine",
    interval="bootstrap",
    doing="Searching your documents",
    offer="it says whether your queries find their documents, and whether shared words alone do too",
    beside={"mrr": "MRR", "recall_10": "R@10"},
    baselines=BASELINES,
    by=("group",),
    roles=RELEVANT,
    unofficial=lambda table: [NO_LITERATURE],
)
