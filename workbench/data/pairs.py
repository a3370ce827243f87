"""Loads the pair set that a reference names: the demo's, a benchmark's, one of the Hub, or a file's."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.core import paths
from workbench.core.errors import unknown
from workbench.data import competitions, demo, hub, sts
from workbench.data.columns import split_and_columns
from workbench.data.files import examine
from workbench.data.pair_sets import PairSet, read_pairs, sample
from workbench.data.sources import missing_file, split_source, split_task


def load_pairs(
    ref: str | Path,
    *,
    folders: Sequence[str | Path] | None = None,
    columns: Mapping[str, str | int] | None = None,
    scale: tuple[float, float] | None = None,
    max_pairs: int | None = None,
    seed: int = 0,
) -> PairSet:
    """The pair set that `ref` names: `demo:dev`, `stsb:dev@FOLDER`, `hf:ORG/NAME::SPLIT`, a file of CSV, TSV, JSON or
    Parquet, optionally compressed with gzip, or a competition's `STS.input.NAME.txt` (see `competitions`). `FILE#SPLIT`
    selects the rows of one split if a column of the file names them; `FILE#score=COLUMN,sentence1=COLUMN,sentence2=COLUMN`
    says which columns are which, also beside a split.

    `folders` limits the folders that files are read from (None: any folder). `columns` and `scale` describe a file and
    are ignored for the other sources, whose columns and scales are known. `max_pairs` draws a sample with `seed`.

    Raises:
        BadData: there are no usable pairs.
        UnknownName: there is no such task or split.
        OutsideFolders: the path is outside `folders`.
    """
    text = str(ref)
    if text.startswith("demo:"):
        return sample(demo.pairs(text.removeprefix("demo:")), max_pairs, seed=seed)
    if text.startswith("hf:"):
        return sample(hub.hub_pairs(text), max_pairs, seed=seed)
    if named := split_task(text):
        task, part, folder = named
        return sample(sts.load_task(folder, task, part, folders=folders), max_pairs, seed=seed)
    path, behind = check_named(text, folders)
    split, named_columns = split_and_columns(behind)
    if not behind and columns is None and (published := competitions.pairs_of(path, folders)):
        return sample(published, max_pairs, seed=seed)
    file = examine(path, lines=False, line_feeds=True)
    return read_pairs(
        file, columns=columns or named_columns or None, scale=scale, split=split, max_pairs=max_pairs, seed=seed
    )


def check_named(text: str, folders: Sequence[str | Path] | None = None) -> tuple[Path, str | None]:
    """The existing file of pairs that `text` names, neither the demo's nor a task's, and what follows its `#`.

    Raises:
        UnknownName: it is written like a pair set, but there is none of that name.
        OutsideFolders: see `load_pairs`.
        BadData: there is no such file.
    """
    if re.fullmatch(r"\w{2,}:\w*", text):
        raise unknown("pair set", text, [*demo.PAIR_SETS, *(f"{task}:test@FOLDER" for task in sts.KNOWN)])
    path, behind = split_source(text, folders)
    if not (there := paths.existing(path)) or not there.is_file():
        raise missing_file(path)
    split_and_columns(behind)
    return path, behind
