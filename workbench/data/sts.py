"""The seven STS sets on disk: plain tables (`sts12.tsv`), or the folders that SentEval's download makes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.core.errors import BadData, unknown
from workbench.data.files import Dropped, examine, resolve_inside
from workbench.data.pairs import PairSet, Row, build


@dataclass(frozen=True)
class Task:
    """A benchmark: its title, scale of scores, official number of pairs in each split, and subsets."""

    title: str
    scale: tuple[float, float]
    splits: dict[str, int]
    subsets: tuple[str, ...] = ()


TASKS = {
    "sts12": Task("STS12", (0, 5), {"test": 3108}, ("MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews")),
    # SMT is a fourth subset of STS13; its licence kept it out of SentEval, and so out of every published number.
    "sts13": Task("STS13", (0, 5), {"test": 1500}, ("FNWN", "headlines", "OnWN")),
    "sts14": Task(
        "STS14", (0, 5), {"test": 3750}, ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news")
    ),
    "sts15": Task(
        "STS15", (0, 5), {"test": 3000}, ("answers-forums", "answers-students", "belief", "headlines", "images")
    ),
    "sts16": Task(
        "STS16",
        (0, 5),
        {"test": 1186},
        ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
    ),
    "stsb": Task("STS-B", (0, 5), {"train": 5749, "dev": 1500, "test": 1379}),
    "sickr": Task("SICK-R", (1, 5), {"train": 4500, "trial": 500, "test": 4927}),
}

Loader = Callable[[], PairSet]


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, dict[str, Loader]]:
    """For each task found in `folder` its splits, each with a function that reads it. Nothing is read here.

    A plain table wins over SentEval's own files.

    Raises:
        BadData: `folder` is none.
        OutsideFolders: it is outside `folders`.
    """
    base = resolve_inside(folder, folders)
    if not base.is_dir():
        raise BadData(f"There is no folder {folder}.", way_out="Name the folder that holds sts12.tsv or STS/.")
    return {task: found for task in TASKS if (found := _splits(base, task))}


def absent(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> list[str]:
    """The tasks whose test split is not in `folder`; with none absent the average of seven may be formed."""
    found = present(folder, folders=folders)
    return [task for task in TASKS if "test" not in found.get(task, {})]


def load_task(
    folder: str | Path, task: str, split: str = "test", *, folders: Sequence[str | Path] | None = None
) -> PairSet:
    """One split of one task. SICK's development split is its `trial`; `dev` means the same.

    Raises:
        UnknownName: no such task, or the task has no such split.
        BadData: it is not in `folder`, or damaged.
    """
    if task not in TASKS:
        raise unknown("STS task", task, TASKS)
    if task == "sickr" and split == "dev":
        split = "trial"
    if split not in TASKS[task].splits:
        raise unknown(f"split of {task}", split, TASKS[task].splits)
    found = present(folder, folders=folders)
    if split not in found.get(task, {}):
        there = ", ".join(f"{name}:{part}" for name, parts in found.items() for part in parts)
        raise BadData(
            f"{task}:{split} is not in {folder}.",
            rule=f"A table {_tables(task, split)[0]}, or SentEval's own files, are expected there.",
            got=there or "no STS set at all",
        )
    return found[task][split]()


def _tables(task: str, split: str) -> list[str]:
    """Names a plain table of this split may have; SICK and STS-B have several splits, so theirs is always named."""
    return [f"{task}-{split}.tsv"] if task in ("stsb", "sickr") else [f"{task}.tsv", f"{task}-test.tsv"]


def _splits(base: Path, task: str) -> dict[str, Loader]:
    found: dict[str, Loader] = {}
    for split in TASKS[task].splits:
        table = next((base / name for name in _tables(task, split) if (base / name).is_file()), None)
        if table:
            found[split] = partial(_table, table, task, split)
        elif task in ("stsb", "sickr"):
            if file := _senteval_file(base, task, split):
                found[split] = partial(_senteval_table, file, task, split)
        else:
            year = _first(base, [f"{task.upper()}-en-test"], ("", "STS", "downstream/STS", "data/downstream/STS"))
            if year and any(year.glob("STS.input.*.txt")):
                found[split] = partial(_senteval_year, year, task)
    return found


def _first(base: Path, names: Sequence[str], inside: Sequence[str]) -> Path | None:
    return next((base / up / name for up in inside for name in names if (base / up / name).exists()), None)


def _senteval_file(base: Path, task: str, split: str) -> Path | None:
    if task == "stsb":
        places = (
            "",
            "STSBenchmark",
            "STS/STSBenchmark",
            "data/downstream/STS/STSBenchmark",
            "downstream/STS/STSBenchmark",
        )
        return _first(base, [f"sts-{split}.csv"], places)
    # The annotated test file comes first: the plain one, from before the competition, has no scores.
    return _first(
        base,
        [f"SICK_{split}_annotated.txt", f"SICK_{split}.txt"],
        ("", "SICK", "data/downstream/SICK", "downstream/SICK"),
    )


def _finish(rows: list[Row], task: str, split: str, dropped: list[Dropped], notices: list[str]) -> PairSet:
    pairs = build(
        rows,
        name=f"{task}:{split}",
        task=task,
        split=split,
        scale=TASKS[task].scale,
        dropped=dropped,
        notices=notices,
    )
    official = TASKS[task].splits[split]
    if len(pairs) != official:
        pairs.notices.append(f"{task}:{split} has {len(pairs):,} pairs here; the official set has {official:,}.")
    return pairs


def _table(path: Path, task: str, split: str) -> PairSet:
    """`subset score sentence1 sentence2`, by the names in the first row."""
    file = examine(path, lines=False, header=True)
    names = [name.casefold() for name in file.header]
    wanted = ("subset", "score", "sentence1", "sentence2")
    if file.delimiter != "\t" or any(name not in names for name in wanted[1:]):
        raise BadData(
            f"{path.name} is no STS table.",
            rule="Columns subset, score, sentence1, sentence2, separated by tabs, named in the first row.",
            got=", ".join(file.header)[:200],
        )
    at = [names.index(name) if name in names else -1 for name in wanted]
    dropped: list[Dropped] = []
    rows: list[Row] = [
        (row, cells[at[0]] if at[0] >= 0 else "", cells[at[1]], cells[at[2]], cells[at[3]])
        for row, cells in file.rows(dropped)
    ]
    return _finish(rows, task, split, dropped, list(file.notices))


def _senteval_year(inner: Path, task: str) -> PairSet:
    """`STS.input.SUBSET.txt` (two sentences a line) beside `STS.gs.SUBSET.txt` (a score a line, empty: none given)."""
    rows: list[Row] = []
    dropped: list[Dropped] = []
    notices: list[str] = []
    missing = []
    for subset in TASKS[task].subsets:
        paths = [
            next(
                (
                    path
                    for name in (subset, f"surprise.{subset}")
                    if (path := inner / f"STS.{kind}.{name}.txt").is_file()
                ),
                None,
            )
            for kind in ("input", "gs")
        ]
        if paths[0] is None or paths[1] is None:
            missing.append(subset)
            continue
        texts, scores = (examine(path, lines=True) for path in paths if path)
        notices.extend([*texts.notices, *scores.notices])
        inputs = _without_end([line for _, [line] in texts.rows()])
        golds = [line.strip() for _, [line] in scores.rows()]
        if len(inputs) != len(golds):
            if len(_without_end(golds)) > len(inputs):
                raise BadData(
                    f"{inner.name}: subset {subset} is damaged.",
                    rule="Sentences and scores stand line by line.",
                    got=f"{len(inputs)} lines of sentences and {len(golds)} of scores",
                )
            golds = [*golds, *[""] * len(inputs)][: len(inputs)]  # an editor cut off empty scores at the end
        for row, (line, gold) in enumerate(zip(inputs, golds, strict=True), 1):
            cells = line.split("\t")
            if len(cells) < 2:
                dropped.append(Dropped(row, f"{len(cells)} column instead of 2", line[:80]))
            else:  # the competition's own files name the source of each sentence in columns 3 and 4
                rows.append((row, subset, gold, cells[0], cells[1]))
    if missing:
        notices.append(f"{task} lacks the subsets {', '.join(missing)}.")
    return _finish(rows, task, "test", dropped, notices)


def _without_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _senteval_table(path: Path, task: str, split: str) -> PairSet:
    """STS-B (`genre file year index score s1 s2`; named .csv, yet tabs and no quoting), or SICK with its header."""
    file = examine(path, lines=True)
    lines = [(row, line.split("\t")) for row, [line] in file.rows() if line.strip()]
    rows: list[Row] = []
    dropped: list[Dropped] = []
    if task == "stsb":
        width, at = 7, (4, 5, 6)
    else:
        names = [name.strip().casefold() for name in lines[0][1]] if lines else []
        wanted = ("relatedness_score", "sentence_a", "sentence_b")
        if any(name not in names for name in wanted):
            raise BadData(
                f"{path.name} has no scores.",
                rule="SICK's columns are pair_ID, sentence_A, sentence_B, relatedness_score, entailment_judgment.",
                got=", ".join(names)[:200],
            )
        score, one, two = (names.index(name) for name in wanted)
        width, at, lines = len(names), (score, one, two), lines[1:]
    for row, cells in lines:
        if len(cells) < width:
            dropped.append(Dropped(row, f"{len(cells)} columns instead of {width}", " ".join(cells)[:80]))
            continue
        subset = f"{cells[0].strip()}/{cells[1].strip()}" if task == "stsb" else f"sick-{split}"
        rows.append((row, subset, cells[at[0]], cells[at[1]], cells[at[2]]))
    return _finish(rows, task, split, dropped, list(file.notices))
