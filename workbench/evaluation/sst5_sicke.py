"""SST-5 and SICK-E: grades of sentiment, and whether a text entails another, by a linear classifier on frozen vectors."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.progress import Progress, no_progress, part
from workbench.data.dropped import Dropped
from workbench.data.layouts import forms, in_repository, named_table
from workbench.data.sources import task_folder
from workbench.data.split_names import alike
from workbench.evaluation._classified import ClassifiedSet, Row, Task, kims_rows, loaders, sentiment_rows, table_rows
from workbench.evaluation._classifying import FOLDS, accuracy, accuracy_columns, not_as_published, predictions
from workbench.evaluation._suite import Encode, Suite

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {
    "sst5": Task("SST-5", {"train": 8544, "dev": 1101, "test": 2210}, classes=5),
    "sicke": Task("SICK-E", {"train": 4500, "dev": 500, "test": 4927}, classes=3, of_pairs=True),
}
_ABOVE = ("", "downstream", "data/downstream")
_KIM = "stsa.fine."
_SICK = {
    "train": ("SICK_train.txt",),
    "dev": ("SICK_trial.txt",),
    "test": ("SICK_test_annotated.txt", "SICK_test.txt"),
}
_SICK_WHOLE = "SICK.txt"
"""All splits in one file, with a column that names them. Its 9,840 pairs are not the 9,927 of the competition."""


def present(
    folder: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], ClassifiedSet]]:
    """For each task whose three splits are in `folder`, a function that reads it. Nothing is read here.

    A table is preferred (`sst5-train.tsv`: label, sentence; `sicke-dev.tsv`: label, sentence1, sentence2), then SentEval's files
    (`SST/fine/sentiment-train`, `SICK/SICK_train.txt`), those of SICK without the folder too, or all splits in
    SICK.txt, then Kim's of SST-5 (`stsa.fine.train`). Last come tables called by their splits in a folder called as the task.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    base = task_folder(folder, folders, "SST/fine or SICK")
    return loaders(TASKS, partial(_files, base, forms(base)), _rows)


def _files(base: Path, tables: dict[str, Path], task: str, split: str) -> list[Path]:
    if table := named_table(tables, [f"{task}-{name}" for name in alike(split)]):
        return [table]
    if task == "sst5":
        names = [f"{above}/SST/fine/sentiment-{split}" for above in _ABOVE]
        names += [f"{above}/{_KIM}{split}" for above in ("", "data", "data/raw")]
    else:
        names = [
            f"{above}/{name}"
            for above in ("", *(f"{up}/SICK" for up in _ABOVE))
            for name in (*_SICK[split], _SICK_WHOLE)
        ]
    paths = [base / name.lstrip("/") for name in names]
    if found := [path for path in paths if path.is_file()][:1]:
        return found
    table = in_repository(base, [task], alike(split))
    return [table] if table else []


def _rows(task: str, published: Task, split: str, paths: Sequence[Path], dropped: list[Dropped]) -> Iterator[Row]:
    """Line, label and texts as they are in the files."""
    [path] = paths
    if path.name.startswith(_KIM):
        yield from kims_rows(path, dropped)
    elif path.name.startswith("sentiment-"):
        yield from sentiment_rows(path, dropped)
    else:
        yield from table_rows(task, published, paths, dropped, only=split if path.name == _SICK_WHOLE else "")


def sst5_sicke(encode: Encode, sets: Sequence[ClassifiedSet], *, on_progress: Progress = no_progress) -> "DataFrame":
    """Accuracy in 0..1 of a logistic regression for each task: task, n, classes, accuracy, low, high, majority, official.

    As in `workbench.evaluation.transfer`: the features of a text are its vector, those of a pair [|u - v|, u v]; the strength of
    the regulariser is chosen on the dev split; `low` and `high` are Wilson's 95 % interval, `majority` is the accuracy of always
    predicting the most frequent class. SST-5 is trained on whole sentences, as SentEval's files are, not on phrases.

    Prefer it over `transfer`, which asks for few classes, to see what those may hide: how strong a sentiment is, and which of
    two similar texts follows from the other.

    Raises:
        BadData: vectors that are not finite, or, if the test split has no labels, a class with fewer training rows than folds.
    """
    from pandas import DataFrame

    rows = []
    for number, task in enumerate(sets):
        within = part(on_progress, number / len(sets), (number + 1) / len(sets))
        rows.append({**accuracy(task, predictions(encode, task, FOLDS, within)), "official": task.official})
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


COLUMNS = accuracy_columns()

METHOD = Suite(
    sst5_sicke,
    title="Grades of sentiment and entailment",
    source="Conneau and Kiela 2018, SentEval, arXiv:1803.05449, with scikit-learn's logistic regression; Socher et al. 2013 for "
    "SST-5, Marelli et al. 2014 for SICK-E",
    tags={"direction": "higher is better", "noun": "SST-5 or SICK-E"},
    tasks={task: published.title for task, published in TASKS.items()},
    present=present,
    files="SentEval's SST/fine and SICK, or tables sst5-train.tsv (label, sentence) and sicke-train.tsv (label, sentence1, "
    "sentence2) with dev and test beside them",
    layouts="SST-5 and SICK-E with train, dev and test, in our layout or SentEval's, SST-5 in Kim's too",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Accuracy in per cent of a logistic regression on frozen vectors, the regulariser chosen on dev",
    interval="Wilson",
    doing="Classifying SST-5 and SICK-E",
    offer="a linear classifier shows whether the vectors hold how strong a sentiment is, and what entails what",
    baselines={"majority": "always the most frequent class"},
    encoding_share=0.4,
    published_mean=False,
    unofficial=not_as_published,
)
