"""Where the files of an STS task can be in a folder, and how each layout is read.

The first one that exists is used: a table with its plain name (`sts12.tsv`, `stsb-test.tsv`); the files of the task's
authors, of SentEval or of GLUE; a table with its name in upper or lower case as .tsv, .csv or .jsonl, then the same
compressed with gzip, then as Parquet; for STS-B, one such table with all splits, called stsbenchmark; a file for each split
in a folder that is called as mteb's repository of the task (`sts12-sts/test.jsonl.gz`,
`sts12-sts/data/test-00000-of-00001.parquet`) or, for STS-B, as GLUE's configuration on the Hub (`stsb`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from workbench.core.errors import BadData
from workbench.data.columns import pair_columns, split_column
from workbench.data.competitions import read_beside
from workbench.data.dropped import Dropped
from workbench.data.files import TextFile, examine
from workbench.data.pair_sets import PairSet, Row, columns_said
from workbench.data.split_names import alike
from workbench.data.tasks import KNOWN, LANGUAGES, TASKS, finish, has_subsets, subset_name

Loader = Callable[[], PairSet]

_ABOVE = ("", "STS", "downstream/STS", "data/downstream/STS")
_STSB = ("", *(f"{above}/{name}".lstrip("/") for above in _ABOVE for name in ("STSBenchmark", "stsbenchmark")))
_GLUE = ("STS-B", "glue_data/STS-B", "GLUE/STS-B", "glue/STS-B")
_ORIGINAL = tuple(f"{folder}/original".lstrip("/") for folder in ("", *_GLUE))
"""Where GLUE's download has the files of STS-B's authors, test scores included."""
_SICK = ("", "SICK", "data/downstream/SICK", "downstream/SICK")
_MTEB = {"stsb": "stsbenchmark-sts"} | {task: f"{task}-sts" for task in TASKS if task != "stsb"}
_TEXT = tuple(f"{form}{packed}" for packed in ("", ".gz") for form in (".tsv", ".csv", ".jsonl", ".json"))
_FORMS = (*_TEXT, ".parquet", "-00000-of-00001.parquet")


def tables(task: str, split: str) -> list[str]:
    """File names that a plain table of this split can have. SICK and STS-B have several splits, so theirs always name
    the split.
    """
    return [f"{task}-{split}.tsv"] if task in ("stsb", "sickr", *LANGUAGES) else [f"{task}.tsv", f"{task}-test.tsv"]


def forms(folder: Path) -> dict[str, Path]:
    """The table files (see `_FORMS`) in a folder by their case-folded names."""
    there = sorted((path for path in folder.glob("*") if path.name.casefold().endswith(_FORMS)), reverse=True)
    return {path.name.casefold(): path for path in there if path.is_file()}


def splits(base: Path, task: str, there: Mapping[str, Path]) -> dict[str, Loader]:
    """The splits of a task found in `base`, each with a function that reads it; `there` are the `forms` in `base`.

    No file is opened here.
    """
    found: dict[str, Loader] = {}
    for split in KNOWN[task].splits:
        if table := _first(base, tables(task, split), ("",)):
            found[split] = partial(_table, table, task, split)
        elif task == "stsb":
            if file := _first(base, [f"sts-{split}.csv", f"sts-{split}.tsv"], (*_STSB, *_ORIGINAL)):
                found[split] = partial(_stsb, file, split)
            elif file := _glue(base, split) or _first(base, ["stsbenchmark.tsv"], _STSB):
                found[split] = partial(_table, file, task, split)
        elif task == "sickr":
            # The annotated test file comes first: the plain one was published before the competition, without scores.
            if file := _first(base, [f"SICK_{split}_annotated.txt", f"SICK_{split}.txt", "SICK.txt"], _SICK):
                found[split] = partial(_sick, file, split)
        elif task not in LANGUAGES and (year := _year(base, task)):
            found[split] = partial(_read_year, year, task)
        if split not in found and (other := _other(base, task, split, there)):
            found[split] = partial(_table, other, task, split)
    return found


def _first(base: Path, names: Sequence[str], inside: Sequence[str]) -> Path | None:
    return next((path for up in inside for name in names if (path := base / up / name).is_file()), None)


def _other(base: Path, task: str, split: str, there: Mapping[str, Path]) -> Path | None:
    """A table of this split in a form other than the plain one; for STS-B, a table with all splits; or a split of mteb's."""
    stems = [f"{task}-{name}" for name in alike(split)]
    stems += [stem.format(split=name) for stem in KNOWN[task].files for name in alike(split)]
    if len(KNOWN[task].splits) == 1:
        stems.insert(0, task)
    if path := named_table(there, stems):
        return path
    own = [f"{stem.format(split=name)}.txt" for stem in KNOWN[task].files for name in alike(split)]
    if path := _first(base, own, ("",)):
        return path
    folders = (base / up for up in _STSB) if task == "stsb" else ()
    if path := next((path for folder in folders if (path := named_table(forms(folder), ["stsbenchmark"]))), None):
        return path
    repositories = [_MTEB[task]] if task in _MTEB else []
    return in_repository(base, [*repositories, *(["stsb"] if task == "stsb" else [])], alike(split))


def in_repository(base: Path, repositories: Sequence[str], stems: Sequence[str]) -> Path | None:
    """A table with one of the names `stems` in a clone of one of the Hub's `repositories`, or in a configuration called so:
    in `base`, or `base` itself.
    """
    around = [base] if base.name.casefold() in repositories else []
    around += [base / up / name for name in repositories for up in ("", "mteb", "glue")]
    folders = (folder / inner for folder in around for inner in ("", "data"))
    return next((path for folder in folders if (path := named_table(forms(folder), stems))), None)


def named_table(there: Mapping[str, Path], stems: Sequence[str]) -> Path | None:
    """The first of a folder's `forms` that has one of the names `stems`, whatever its extension."""
    return next((there[name] for stem in stems for form in _FORMS if (name := stem + form) in there), None)


def _glue(base: Path, split: str) -> Path | None:
    """GLUE's file of a split; None for test, which was published without scores."""
    here = ("", *_GLUE) if base.name.casefold() == "sts-b" else _GLUE
    return _first(base, [f"{split}.tsv"], here) if split != "test" else None


def _year(base: Path, task: str) -> Path | None:
    """The folder with the files of a year: `base` if they are there, one that is named after the year, such as SentEval's
    and the competition's, or holds sentences of this year and no other, or a folder in one of these, such as `test-gold`.
    """
    named = re.compile(f"20{task[-2:]}|{task}", re.IGNORECASE)
    its_own = named.search(base.name) or _of_the_year(base, task) or _holds(base, task, "input", dated=True)
    around = [base] if its_own else []
    inside = [one for above in _ABOVE for one in _inside(base / above)]
    around += [one for one in inside if named.search(one.name)]
    around += [one for one in inside if one not in around and _of_the_year(one, task)]
    for folder in around:
        for one in (folder, *_inside(folder)):
            if _holds(one, task, "input") and _holds(one, task, "gs"):
                return one
    return next((folder for folder in around if _holds(folder, task, "input")), None)


def _inside(folder: Path) -> list[Path]:
    """The folders in one, apart from those of training and trial pairs."""
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if not re.search("train|trial", one.name) and one.is_dir())


def _of_the_year(folder: Path, task: str) -> bool:
    """Whether the sentences in a folder are of this year and no other, by the names of subsets."""
    others = {subset for other in KNOWN if other != task for subset in KNOWN[other].subsets}
    return any(_of_year(folder, task, "input", subset) for subset in KNOWN[task].subsets if subset not in others)


def _holds(folder: Path, task: str, kind: str, *, dated: bool = False) -> bool:
    """Whether a folder has sentences or scores of a year; `dated`: only count file names that contain the year."""
    return any(any(folder.glob(f"{start}.{kind}.*.txt")) for start in _starts(task)[1 if dated else 0 :])


def _starts(task: str) -> tuple[str, str]:
    return "STS", f"STS20{task[-2:]}"


def _table(path: Path, task: str, split: str) -> PairSet:
    """The pairs of a table. Its columns are identified as in any pair file, by name or, without a header, by content.

    If a column names the splits, only the rows of `split` are used.
    """
    file = examine(path, lines=False, line_feeds=True)
    places = pair_columns(file.header, file.preview, file.columns, file.name)
    file.check_single(places.values())
    parts, at = _subset_columns(file, task, places), split_column(file.header)
    dropped: list[Dropped] = []
    read = list(file.rows(dropped, needs=max([*places.values(), *parts, at or 0]) + 1))
    notices = list(file.notices)
    if not file.header or file.header[places["score"]].casefold() != "score":
        notices.append(columns_said(file, places))
    if at is not None and (there := {cells[at].strip().casefold() for _, cells in read} - {""}):
        read = [(row, cells) for row, cells in read if cells[at].strip().casefold() in alike(split)]
        if not read:
            raise BadData(
                f"{file.name} has no rows of {task}:{split}.", rule=f"Its splits: {', '.join(sorted(there))}."
            )
    score, one, two = (places[word] for word in ("score", "sentence1", "sentence2"))
    rows: list[Row] = [
        (row, "/".join(cells[part].strip() for part in parts), cells[score], cells[one], cells[two])
        for row, cells in read
    ]
    return finish(rows, task, split, dropped, notices)


def _subset_columns(file: TextFile, task: str, places: dict[str, int]) -> list[int]:
    """Indices of the columns that name the subset of a row (STS-B: genre/file). Without a header, one that holds the
    task's subsets.
    """
    names = [name.strip().casefold() for name in file.header]
    for group in (("subset",), ("genre", "filename"), ("genre", "dataset")):
        if {*group} <= {*names}:
            return [names.index(name) for name in group]
    if "subset" in places:
        return [places["subset"]] if names else [0, 1]
    free = [column for column in range(file.columns) if column not in places.values()]
    cells = {column: [subset_name(task, row[column]) for row in file.preview if column < len(row)] for column in free}
    return [column for column in free if KNOWN[task].subsets and cells[column] and has_subsets(task, cells[column])][:1]


def _read_year(inner: Path, task: str) -> PairSet:
    """Pairs from `STS.input.SUBSET.txt` (two sentences per line) and `STS.gs.SUBSET.txt` (one score per line, or an
    empty line).
    """
    rows: list[Row] = []
    dropped: list[Dropped] = []
    notices: list[str] = []
    missing = []
    for subset in KNOWN[task].subsets:
        inputs, golds = (_of_year(inner, task, kind, subset) for kind in ("input", "gs"))
        if inputs is None or golds is None:
            missing.append(subset)
            continue
        read, lost, remarks = read_beside(inputs, golds, subset)
        rows += read
        dropped += lost
        notices += remarks
    if missing:
        notices.append(f"{task} lacks the subsets {', '.join(missing)}.")
    return finish(rows, task, "test", dropped, notices)


def _of_year(inner: Path, task: str, kind: str, subset: str) -> Path | None:
    names = [f"{start}.{kind}.{name}.txt" for start in _starts(task) for name in (subset, f"surprise.{subset}")]
    return _first(inner, names, ("",))


def _cut_lines(path: Path) -> tuple[list[tuple[int, list[str]]], list[str]]:
    file = examine(path, lines=True, line_feeds=True)
    return [(row, line.split("\t")) for row, [line] in file.rows() if line.strip()], list(file.notices)


def _stsb(path: Path, split: str) -> PairSet:
    """STS-B's own file: `genre file year index score s1 s2`, sometimes more columns; called .csv, but with tabs and no
    quoting.
    """
    lines, notices = _cut_lines(path)
    dropped = [_short(row, cells, 7) for row, cells in lines if len(cells) < 7]
    rows: list[Row] = [
        (row, f"{cells[0].strip()}/{cells[1].strip()}", cells[4], cells[5], cells[6])
        for row, cells in lines
        if len(cells) >= 7
    ]
    return finish(rows, "stsb", split, dropped, notices)


def _sick(path: Path, split: str) -> PairSet:
    """SICK's own file, which has a header; a file with all splits has a column that names them."""
    lines, notices = _cut_lines(path)
    header = [name.strip() for name in lines[0][1]] if lines else []
    names = [name.casefold() for name in header]
    wanted = ("relatedness_score", "sentence_a", "sentence_b")
    if any(name not in names for name in wanted):
        raise BadData(
            f"{path.name} has no scores.",
            rule="SICK's columns are pair_ID, sentence_A, sentence_B, relatedness_score, entailment_judgment.",
            got=", ".join(names)[:200],
            way_out="Use SICK_test_annotated.txt: the test file was first published without scores.",
        )
    score, one, two = (names.index(name) for name in wanted)
    at = split_column(header)
    dropped = [_short(row, cells, len(names)) for row, cells in lines[1:] if len(cells) < len(names)]
    rows: list[Row] = [
        (row, f"sick-{split}", cells[score], cells[one], cells[two])
        for row, cells in lines[1:]
        if len(cells) >= len(names) and (at is None or cells[at].strip().casefold() == split)
    ]
    return finish(rows, "sickr", split, dropped, notices)


def _short(row: int, cells: Sequence[str], width: int) -> Dropped:
    return Dropped(row, f"{len(cells)} columns instead of {width}", " ".join(cells)[:80])
