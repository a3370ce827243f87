"""Loads the training texts that a reference names: the demo's, a file's, a Hub data set's or those of pair sets."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core.config import TEXTS
from workbench.core.progress import Progress, no_progress
from workbench.data import demo, hub, pair_texts
from workbench.data.files import NAMED, TextFile, examine
from workbench.data.gather import gather, gather_rows, read_corpus
from workbench.data.sources import split_source
from workbench.data.texts import CorpusTexts
from workbench.data.uploads import uploaded_name


def load_corpus(
    source: str | Path,
    *,
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
    folders: Sequence[str | Path] | None = None,
    on_progress: Progress = no_progress,
) -> CorpusTexts:
    """The corpus that `source` names: `demo`, `demo:KIND` (see `workbench.data.demo.CORPORA`),
    `hf:ORG/NAME[:CONFIG][:SPLIT][:COLUMN]`, `FILE`, `FILE#COLUMN` or `FILE#ROLE=COLUMN,ROLE=COLUMN` (demo
    corpora accept the part after # too), or `texts:PAIRS,PAIRS`, the distinct texts of pair sets (see
    `workbench.data.pair_texts`).

    A .txt file holds one text per line, unless its lines are tab-separated columns. Tables (.tsv, .csv) may name their
    columns in the first row, lines may be JSON objects, and any of these may be compressed with gzip; tables may also be in
    Parquet. `folders` limits
    the folders that files are read from (None: any folder). `limit` takes the first texts or rows, `max_texts` a random
    sample drawn with `seed`.

    Raises:
        BadData: the source cannot be read, or has fewer than two different texts.
        UnknownName: the demo has no such corpus, or a word is not a role of a column.
        OutsideFolders: the path is outside `folders`.
    """
    named = str(source)
    if named.startswith(TEXTS):
        return pair_texts.pair_texts(
            named, limit=limit, max_texts=max_texts, seed=seed, folders=folders, on_progress=on_progress
        )
    if named == "demo" or named.startswith("demo:"):
        if named == "demo":
            rows = ((row, [text]) for row, (_, text) in enumerate(demo.sentences(), 2))
            return gather(rows, source="demo", name="demo", limit=limit, max_texts=max_texts, seed=seed)
        found = demo.corpus(named)
        return gather_rows(
            enumerate(zip(*found.values(), strict=True), 2),
            roles=list(found),
            source=named,
            name=named,
            limit=limit,
            max_texts=max_texts,
            seed=seed,
        )
    if named.startswith("hf:"):
        return hub.hub_corpus(named, limit=limit, max_texts=max_texts, seed=seed, on_progress=on_progress)
    path, column = split_source(named, folders)
    file = examined(path, column)
    return read_corpus(file, column=column, source=named, limit=limit, max_texts=max_texts, seed=seed)


def examined(source: Path | bytes, column: str | None, *, name: str = "", header: bool | None = None) -> TextFile:
    """The file or the upload of a corpus, examined; `column` is what follows its `#`. In a table, a carriage return within a cell
    does not end the row; in a file with one text per line it ends a text.

    Raises:
        BadData: see `workbench.data.files.examine`.
    """
    lines = False if column and column != "documents" else None
    file = examine(source, name=name, lines=lines, header=header)
    if file.delimiter not in ("", *NAMED):
        file = examine(source, name=name, lines=lines, header=header, line_feeds=True)
    if isinstance(source, Path) and (called := uploaded_name(source)):
        # Only called so: it is stored in another form than the visitor's file had, and its own ending tells which.
        return replace(file, name=called, notices=[notice.replace(source.name, called) for notice in file.notices])
    return file
