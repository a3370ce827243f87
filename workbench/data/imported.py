"""Scores that other programs wrote: mteb's result files, and the evaluations and model card of a sentence-transformers folder."""

import csv
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from workbench.core.errors import BadData
from workbench.core.json_values import Json
from workbench.core.reading import read_object
from workbench.data.tasks import KNOWN

MOST_FILES = 2_000
"""Files of a folder that may hold scores; one with more is refused, since a part of them would pass for all."""
MOST_BYTES = 50_000_000
"""Bytes of a file that may hold scores: what is longer holds something else."""
_MOST_METADATA = 1_000_000
"""Characters of a model card that are read: its metadata are at its beginning."""
_LONGEST_NAME = 200
"""Characters that are shown of a name of a model, task or split."""
_TASKS = {
    "stsbenchmark": "stsb",
    "stsb": "stsb_zh",
    "sick-r": "sickr",
    **{name: name for name in KNOWN if name.startswith("sts1")},
}
"""What mteb calls our tasks, in lower case; its STSB is the Chinese one."""
_MEASURES = ("cosine_spearman", "main_score")
"""Of mteb's scores the one that is taken: the first that is there."""
_CSV = re.compile(r"similarity_evaluation_?(.*?)_results\.csv")


class Imported(NamedTuple):
    """A score from elsewhere, in -1..1 or 0..1."""

    model: str
    task: str
    split: str
    measure: str
    score: float
    written_by: str
    file: str


def read_scores(path: Path) -> list[Imported]:
    """All scores in a file, or in a folder and those below it, by model and task.

    Raises:
        BadData: there is nothing there, nothing that is known, or too much.
    """
    if not path.exists():
        raise BadData(f"There is no file or folder {str(path)!r}.", way_out="Name a folder of results.")
    files = sorted(file for file in ([path] if path.is_file() else path.rglob("*")) if _may_hold_scores(file))
    if len(files) > MOST_FILES:
        raise BadData(
            f"{path.name} holds {len(files):,} files that may be results.",
            rule=f"At most {MOST_FILES:,} are read.",
            way_out="Name a folder in it, such as that of one model.",
        )
    rows = [row for file in files for row in _of_file(file, path if path.is_dir() else path.parent)]
    if not rows:
        raise BadData(
            f"{path.name} holds no scores that can be read.",
            rule="mteb's result files (Task.json), sentence-transformers' eval/similarity_evaluation_*.csv, or a model card with "
            "results are read; runs of the workbench are imported on the page Runs.",
        )
    return sorted(rows, key=lambda row: (row.model.casefold(), row.task, row.split))


def _of_file(file: Path, root: Path) -> Iterator[Imported]:
    if file.suffix == ".json":
        yield from _mteb(file)
    elif named := _CSV.fullmatch(file.name):
        yield from _evaluation(file, named[1])
    elif file.name == "README.md":
        yield from _card(file)


def _may_hold_scores(file: Path) -> bool:
    known = file.suffix == ".json" or file.name == "README.md" or _CSV.fullmatch(file.name) is not None
    return known and file.is_file() and file.stat().st_size <= MOST_BYTES


def _mteb(file: Path) -> Iterator[Imported]:
    """mteb's file of one task: `scores` by split, one of each subset. Its folder says which model it is of."""
    result = read_object(file)
    first = "mteb_dataset_name" in result
    name, folder = (
        (result["mteb_dataset_name"], file.parent) if first else (result.get("task_name"), file.parent.parent)
    )
    splits = _of_mteb_1(result) if first else result.get("scores")
    if not isinstance(name, str) or not isinstance(splits, Mapping):
        return
    meta = read_object(file.parent / "model_meta.json")
    model = _name(meta.get("name"), folder.name.replace("__", "/"), file.parent.name)
    task = _TASKS.get(name.casefold().removesuffix(".v2"), name)
    for split, subsets in splits.items():
        for scores in subsets if isinstance(subsets, list) else ():
            if not isinstance(scores, Mapping):
                continue
            measure = next((measure for measure in _MEASURES if _number(scores.get(measure)) is not None), "")
            if measure:
                subset = _name(scores.get("hf_subset"), "default")
                shown = task if subset == "default" else f"{task} ({subset})"
                yield _row(model, shown, str(split), measure, scores[measure], "mteb", file)


def _of_mteb_1(result: Mapping[str, Json]) -> dict[str, list[Mapping[str, Json]]]:
    """The scores that the first versions of mteb wrote, by split and subset as later ones do. Those of a split may be of
    languages, and the Spearman of cosines is in an object of its own.
    """
    found: dict[str, list[Mapping[str, Json]]] = {}
    for split, scores in result.items():
        if not isinstance(scores, dict):
            continue
        whole = "cos_sim" in scores or "main_score" in scores
        for subset, own in [("default", scores)] if whole else scores.items():
            if isinstance(own, dict):
                cosine = own.get("cos_sim")
                spearman = cosine.get("spearman") if isinstance(cosine, dict) else None
                found.setdefault(split, []).append({**own, "cosine_spearman": spearman, "hf_subset": subset})
    return found


def _evaluation(file: Path, task: str) -> Iterator[Imported]:
    """The last row of what an evaluator of sentence-transformers wrote while it trained."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error):
        return
    column = next((name for name in (rows[-1] if rows else ()) if name and "cosine_spearman" in name.lower()), None)
    if column and _number(rows[-1][column]) is not None:
        folder = file.parent.parent if file.parent.name == "eval" else file.parent
        yield _row(
            folder.name, task or "unnamed", "", "cosine_spearman", rows[-1][column], "sentence-transformers", file
        )


def _card(file: Path) -> Iterator[Imported]:
    """The `model-index` of a model card: of each data set its Spearman of cosines. One with aliases is skipped: a few lines of
    them, each naming the line before several times, stand for more than any memory holds.
    """
    import yaml

    try:
        with file.open(encoding="utf-8") as card:
            front = re.match(r"---\n(.*?)\n---", card.read(_MOST_METADATA), re.S)
        if not front or any(isinstance(token, yaml.AliasToken) for token in yaml.scan(front[1], yaml.SafeLoader)):
            return
        about = yaml.safe_load(front[1])
    except (OSError, ValueError, RecursionError, yaml.YAMLError):  # a value error: no text, or a date that there is not
        return
    for model in _list(about, "model-index"):
        for result in _list(model, "results"):
            dataset = result.get("dataset")
            dataset = dataset if isinstance(dataset, Mapping) else {}
            for metric in _list(result, "metrics"):
                kind = _name(metric.get("type"))
                if (
                    kind in ("spearman_cosine", "cosine_spearman", "cos_sim_spearman")
                    and _number(metric.get("value")) is not None
                ):
                    named = _name(dataset.get("name"), dataset.get("type"), "unnamed")
                    split = _name(dataset.get("split"))
                    yield _row(
                        _name(model.get("name"), file.parent.name),
                        named,
                        split,
                        kind,
                        metric["value"],
                        "model card",
                        file,
                    )


def _list(value: object, key: str) -> list[Mapping[str, object]]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _name(*values: object) -> str:
    """The first of the values that is a text or number and not empty; lists and objects are no names."""
    for value in values:
        if value and isinstance(value, str | int | float):
            try:
                return str(value)
            except ValueError:  # an integer of thousands of digits
                continue
    return ""


def _number(value: object) -> float | None:
    try:
        number = float(str(value)) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _row(model: str, task: str, split: str, measure: str, value: object, by: str, file: Path) -> Imported:
    number = float(str(value))
    model, task, split = (name[:_LONGEST_NAME] for name in (model, task, split))
    return Imported(model, task, split, measure, number / 100 if abs(number) > 1 else number, by, str(file))
