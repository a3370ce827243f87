"""CoLA: whether a sentence is acceptable English, by a linear classifier on frozen vectors."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress, part
from workbench.data.dropped import Dropped
from workbench.data.files import examine
from workbench.data.layouts import forms, in_repository, named_table
from workbench.data.sources import task_folder
from workbench.data.split_names import alike
from workbench.evaluation._classified import ClassifiedSet, Row, Task, loaders, table_rows
from workbench.evaluation._classifying import FOLDS, accuracy, accuracy_columns, not_as_published, predictions
from workbench.evaluation._suite import Column, Encode, Suite

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {"cola": Task("CoLA", {"train": 8551, "dev": 1043})}
"""The labels of its test split are not published."""
_ABOVE = ("", "CoLA")
"""Where GLUE's files are in a folder."""
_RAW = {"train": ("in_domain_train.tsv",), "dev": ("in_domain_dev.tsv", "out_of_domain_dev.tsv")}
"""The files of CoLA's authors; GLUE put both of dev into one."""
_RAW_ABOVE = ("", "raw", "cola_public/raw")
_GLUE_COLUMNS = 4
"""source, label, the author's own mark, sentence: GLUE's files have no header row."""


def present(
    folder: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], ClassifiedSet]]:
    """A function that reads CoLA, if both of its splits are in `folder`. Nothing is read here.

    A table with a header row is preferred (`cola-train.tsv`, `cola-dev.tsv`: label, sentence), then GLUE's own
    `CoLA/train.tsv` and `dev.tsv`, the files of CoLA's authors, and a clone of GLUE's data set on the Hub.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    base = task_folder(folder, folders, "CoLA/train.tsv")
    return loaders(TASKS, partial(_files, base, forms(base)), _rows)


def _files(base: Path, tables: dict[str, Path], task: str, split: str) -> list[Path]:
    if table := named_table(tables, [f"{task}-{split}"]):
        return [table]
    around = [[base / above / f"{split}.tsv"] for above in _ABOVE]
    around += [[base / above / name for name in _RAW[split]] for above in _RAW_ABOVE]
    if found := next((paths for paths in around if all(path.is_file() for path in paths)), []):
        return found
    table = in_repository(base, [task], alike(split))
    return [table] if table else []


def _rows(task: str, published: Task, split: str, paths: Sequence[Path], dropped: list[Dropped]) -> Iterator[Row]:
    """Line, label and sentence as they are in the files."""
    if paths[0].suffix != ".tsv" or paths[0].stem.casefold().startswith(f"{task}-"):
        yield from table_rows(task, published, paths, dropped)
        return
    for path in paths:
        for row, [line] in examine(path, lines=True, line_feeds=True).rows(dropped):
            cells = line.split("\t")
            if len(cells) == _GLUE_COLUMNS:
                yield row, cells[1], cells[3], ""
            else:
                dropped.append(Dropped(row, f"{len(cells)} columns, not {_GLUE_COLUMNS}", line[:80]))


def cola(
    encode: Encode,
    sets: Sequence[ClassifiedSet],
    *,
    folds: Annotated[int, Knob(2, 10, 1, "Folds of the training split that choose the regulariser.")] = FOLDS,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Accuracy in 0..1 and Matthews' correlation in -1..1 of a logistic regression on the dev split of CoLA.

    The columns are those of `workbench.evaluation.transfer`, with `mcc` in place of `f1`. The strength of the regulariser is
    chosen by folds of the training split; the dev split, whose labels GLUE publishes, is only tested. Accuracy is often close
    to that of always predicting "acceptable" (about 69 %), so look at `mcc` too: it is 0 for any constant answer.

    Prefer it over `transfer` to see whether the vectors hold grammar rather than topic and sentiment.

    Raises:
        BadData: vectors that are not finite, or a class with fewer rows than folds.
    """
    from pandas import DataFrame
    from sklearn.metrics import matthews_corrcoef

    rows = []
    for number, task in enumerate(sets):
        predicted = predictions(encode, task, folds, part(on_progress, number / len(sets), (number + 1) / len(sets)))
        mcc = float(matthews_corrcoef(task.tested.classes, predicted))
        rows.append({**accuracy(task, predicted), "mcc": mcc, "official": task.official})
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


COLUMNS = accuracy_columns(
    Column("mcc", "Matthews' correlation of predictions and classes; 0 for any constant answer.", share=True)
)


METHOD = Suite(
    cola,
    title="Linguistic acceptability",
    source="Warstadt et al. 2019, arXiv:1805.12471; files of GLUE (Wang et al. 2019); a probe of AugCSE (Tang et al. 2022)",
    tags={"direction": "higher is better", "noun": "CoLA"},
    tasks={task: published.title for task, published in TASKS.items()},
    present=present,
    files="GLUE's CoLA/train.tsv and CoLA/dev.tsv, a clone of its data set on the Hub, or tables cola-train.tsv and cola-dev.tsv "
    "(label, sentence)",
    layouts="CoLA in GLUE's layout, or as tables with the columns label and sentence",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Accuracy in per cent of a logistic regression on frozen vectors (MCC below it), dev split, {folds} folds",
    interval="Wilson",
    doing="Classifying CoLA",
    offer="a linear classifier shows whether the vectors still hold grammar, which contrastive training may remove",
    details=("the regulariser chosen on training rows only",),
    beside={"mcc": "MCC"},
    baselines={"majority": "majority class"},
    encoding_share=0.6,
    quick={"folds": 5},
    unofficial=not_as_published,
)
