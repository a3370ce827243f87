"""CoLA: do the vectors know whether a sentence is acceptable English? A probe of AugCSE, on the files of GLUE."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress, part
from workbench.data.files import Dropped, examine
from workbench.evaluation._classified import ClassifiedSet, Row, Task, loaders
from workbench.evaluation._classifying import FOLDS, Ints, accuracy, predictions
from workbench.evaluation._suite import Column, Encode, Suite, folder_of

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {"cola": Task("CoLA", {"train": 8551, "dev": 1043})}
"""The test split was published without labels, so the dev split is what is tested."""
_GLUE = ("CoLA", "glue_data/CoLA", "GLUE/CoLA", "glue/CoLA")


def present(
    folder: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], ClassifiedSet]]:
    """`cola` with a function that reads it, where `train.tsv` and `dev.tsv` of GLUE are in `folder`. Nothing is read here.

    Raises:
        BadData: `folder` is not one.
        OutsideFolders: it is outside `folders`.
    """
    return loaders(TASKS, partial(_files, folder_of(folder, folders, "CoLA/train.tsv and CoLA/dev.tsv")), _rows)


def _files(base: Path, task: str, split: str) -> list[Path]:
    around = ("", *_GLUE) if base.name.casefold() == task else _GLUE
    return [path for above in around if (path := base / above / f"{split}.tsv").is_file()][:1]


def _rows(task: str, published: Task, paths: Sequence[Path], dropped: list[Dropped]) -> Iterator[Row]:
    """GLUE's four columns without a header: source, label, the linguist's mark, sentence. Nothing is quoted."""
    for row, [line] in examine(paths[0], lines=True, line_feeds=True).rows(dropped):
        cells = line.split("\t")
        if len(cells) == 4:
            yield row, cells[1], cells[3], ""
        else:
            dropped.append(Dropped(row, f"{len(cells)} columns instead of 4", line[:80]))


def cola(
    encode: Encode,
    sets: Sequence[ClassifiedSet],
    *,
    folds: Annotated[int, Knob(2, 10, 1, "Folds of the training split, over which the regulariser is chosen.")] = FOLDS,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Accuracy in 0..1 of a logistic regression on the dev split: task, n, classes, accuracy, low, high, mcc, majority,
    official.

    About 69 % of the sentences are acceptable, so an accuracy near `majority` says nothing; `mcc`, Matthews' correlation in
    -1..1, is 0 there. The strength of the regulariser is chosen by folds of the training split.

    Raises:
        BadData: no set, vectors that are not finite, or a class with fewer rows than folds.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData("There is no CoLA to evaluate on.", way_out="Name a folder that holds CoLA/train.tsv.")
    rows = []
    for number, task in enumerate(sets):
        predicted = predictions(encode, task, folds, part(on_progress, number / len(sets), (number + 1) / len(sets)))
        mcc = _mcc(task.tested.classes, predicted)
        rows.append({**accuracy(task, predicted), "mcc": mcc, "official": task.official and folds == FOLDS})
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _mcc(classes: Ints, predicted: Ints) -> float:
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(classes, predicted))


def _unofficial(table: "DataFrame") -> list[str]:
    return [] if table["official"].all() else ["not with the published rows and folds"]


COLUMNS = (
    Column("task", "The id of the task."),
    Column("n", "The sentences whose class is predicted."),
    Column("classes", "How many classes there are."),
    Column("accuracy", "The share of sentences whose class is predicted rightly.", share=True),
    Column("low", "The lower end of the 95 % interval of the accuracy, Wilson's.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("mcc", "Matthews' correlation of predicted and true class; 0 is chance.", share=True),
    Column("majority", "The accuracy of naming the most frequent class always.", share=True),
    Column("official", "Whether rows and folds are as published."),
)

METHOD = Suite(
    cola,
    title="Acceptable English",
    source="Warstadt, Singh and Bowman 2019, arXiv:1805.12471; the probe of AugCSE, arXiv:2210.13749",
    tags={"direction": "higher is better", "noun": "CoLA"},
    tasks={task: published.title for task, published in TASKS.items()},
    present=present,
    files="GLUE's CoLA/train.tsv and CoLA/dev.tsv",
    layouts="CoLA, in GLUE's layout",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Accuracy in per cent of a logistic regression on frozen vectors, {folds} folds",
    interval="Wilson",
    doing="Classifying CoLA",
    offer="a linear classifier shows whether the vectors know acceptable English",
    details=("tested on the dev split, as labels of the test split were not published",),
    beside={"mcc": "MCC"},
    baseline=("majority", "the most frequent class, always"),
    encoding_share=0.5,
    quick={"folds": 5},
    unofficial=_unofficial,
)
