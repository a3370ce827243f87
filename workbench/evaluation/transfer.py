"""Transfer: a linear classifier on frozen vectors. SentEval's tasks and schemes, scikit-learn's classifier."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress, part
from workbench.data.dropped import Dropped
from workbench.data.files import examine
from workbench.data.layouts import forms, in_repository, named_table
from workbench.data.sources import task_folder
from workbench.data.split_names import alike
from workbench.evaluation._classified import ClassifiedSet, Row, Task, kims_rows, loaders, sentiment_rows, table_rows
from workbench.evaluation._classifying import FOLDS, Ints, accuracy, accuracy_columns, not_as_published, predictions
from workbench.evaluation._suite import Column, Encode, Suite

if TYPE_CHECKING:
    from pandas import DataFrame

# CR has 3,775 lines, four of which are empty; SST-2 trains on phrases and tests on whole sentences.
TASKS = {
    "mr": Task("MR", {"all": 10662}),
    "cr": Task("CR", {"all": 3771}),
    "subj": Task("SUBJ", {"all": 10000}),
    "mpqa": Task("MPQA", {"all": 10606}),
    "sst2": Task("SST-2", {"train": 67349, "dev": 872, "test": 1821}),
    "trec": Task("TREC", {"train": 5452, "test": 500}, classes=6),
    "mrpc": Task("MRPC", {"train": 4076, "test": 1725}, of_pairs=True),
}
"""In the order in which the literature prints them."""

_ABOVE = ("", "downstream", "data/downstream")
_HALVES = {
    "mr": ("MR/rt-polarity.neg", "MR/rt-polarity.pos"),
    "cr": ("CR/custrev.neg", "CR/custrev.pos"),
    "subj": ("SUBJ/subj.subjective", "SUBJ/subj.objective"),
    "mpqa": ("MPQA/mpqa.neg", "MPQA/mpqa.pos"),
}
"""SentEval's files with one class each, a text per line: class 0, then class 1."""
_LABELLED = {
    ("mr", "all"): ("rt-polarity.all",),
    ("cr", "all"): ("custrev.all",),
    ("subj", "all"): ("subj.all",),
    ("mpqa", "all"): ("mpqa.all",),
    ("sst2", "train"): ("stsa.binary.phrases.train", "stsa.binary.train"),
    ("sst2", "dev"): ("stsa.binary.dev",),
    ("sst2", "test"): ("stsa.binary.test",),
    ("trec", "train"): ("TREC.train.all", "TREC.train"),
    ("trec", "test"): ("TREC.test.all", "TREC.test"),
}
"""Kim's files, with a label, a space and a text on each line."""
_GLUE = ("SST-2", "glue_data/SST-2", "GLUE/SST-2", "glue/SST-2")
_SENTEVAL = {
    ("trec", "train"): "TREC/train_5500.label",
    ("trec", "test"): "TREC/TREC_10.label",
    ("mrpc", "train"): "MRPC/msr_paraphrase_train.txt",
    ("mrpc", "test"): "MRPC/msr_paraphrase_test.txt",
    **{("sst2", split): f"SST/binary/sentiment-{split}" for split in ("train", "dev", "test")},
}


def present(
    folder: str | Path, *, folders: Sequence[str | Path] | None = None
) -> dict[str, Callable[[], ClassifiedSet]]:
    """For each task whose splits are all in `folder`, a function that reads it. Nothing is read here.

    A table is preferred (`mr.tsv`, `sst2-train.csv`, `trec-test.jsonl.gz`; for SST-2 `sst2-train-phrases.tsv`, if it is there),
    then SentEval's own files, in its folders or beside each other, then GLUE's of SST-2, whose test split has no labels: its
    dev split is then tested, with a notice; then Kim's files. Last come tables called by their splits in a folder called as
    the task.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    base = task_folder(folder, folders, "mr.tsv or MR/")
    return loaders(TASKS, partial(_files, base, forms(base)), _rows)


def _files(base: Path, tables: dict[str, Path], task: str, split: str) -> list[Path]:
    stems = [f"{task}-train-phrases"] if (task, split) == ("sst2", "train") else []
    stems += [task] if split == "all" else [f"{task}-{split}"]
    if table := named_table(tables, stems):
        return [table]
    names = _HALVES.get(task, ()) if split == "all" else (_SENTEVAL[task, split],)
    around = [[base / above / name for name in names] for above in _ABOVE]
    if task != "sst2":  # whose files of two classes and of five have the same names
        around.append([base / Path(name).name for name in names])
    else:
        here = ("", *_GLUE) if base.name.casefold() == "sst-2" else _GLUE
        around += [[base / above / f"{split}.tsv"] for above in here]
    around += [[base / above / name] for name in _LABELLED.get((task, split), ()) for above in ("", "data", "data/raw")]
    if found := next((paths for paths in around if paths and all(path.is_file() for path in paths)), []):
        return found
    # Data sets of the Hub may set apart a part of the training rows that the published split has.
    parts = [split, "dev"] if split == "train" and "dev" not in TASKS[task].splits else [split]
    tables_of = [in_repository(base, [task], alike(part)) for part in parts] if split != "all" else []
    return [table for table in tables_of if table] if tables_of and tables_of[0] else []


def _rows(task: str, published: Task, split: str, paths: Sequence[Path], dropped: list[Dropped]) -> Iterator[Row]:
    """Line, label and texts as they are in the files."""
    if task in _HALVES and len(paths) == 2:
        for label, path in zip("01", paths, strict=True):
            for row, [text] in examine(path, lines=True, line_feeds=True).rows(dropped):
                yield row, label, text, ""
    elif paths[0].suffix == ".label" or any(paths[0].name in names for names in _LABELLED.values()):
        for row, label, text, _ in kims_rows(paths[0], dropped):
            yield row, label.partition(":")[0], text, ""  # of TREC's labels, such as NUM:dist, the first half
    elif paths[0].name.startswith("sentiment-"):
        yield from sentiment_rows(paths[0], dropped)
    else:
        for path in paths:
            yield from table_rows(task, published, [path], dropped)


def transfer(
    encode: Encode,
    sets: Sequence[ClassifiedSet],
    *,
    folds: Annotated[int, Knob(2, 10, 1, "Folds, outer and inner: 10 as published, fewer are faster.")] = FOLDS,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Accuracy in 0..1 of a logistic regression for each task: task, n, classes, accuracy, low, high, f1, majority, official.

    `n` is the number of classified rows, each once; `low` and `high` are Wilson's 95 % interval of the accuracy, `majority` is
    the accuracy of always predicting the most frequent class, and `f1` is the F1 of MRPC's paraphrases (nan elsewhere). The
    strength of the regulariser is chosen on training rows only: by inner folds within each outer one (MR, CR, SUBJ, MPQA), on
    the dev split (SST-2), or by folds of the training split (TREC, MRPC). The features of a text are its vector, those of a
    pair [|u - v|, u v]. `official` is whether rows, classes and folds are the published ones. The classifier is
    scikit-learn's, which SentEval offers as an alternative to its official softmax in PyTorch.

    Prefer it over `sts` to see whether vectors suit classification, where single features count more than distances; it fits
    many classifiers and takes longer.

    Raises:
        BadData: no set, vectors that are not finite, or a class with fewer rows than folds.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There is no transfer task to evaluate on.", way_out="Choose a folder that holds one, such as mr.tsv."
        )
    rows = []
    for number, task in enumerate(sets):
        within = part(on_progress, number / len(sets), (number + 1) / len(sets))
        predicted = predictions(encode, task, folds, within)
        f1 = _f1(task.tested.classes, predicted, task.same) if task.published.of_pairs else np.nan
        rows.append({**accuracy(task, predicted), "f1": f1, "official": task.official and folds == FOLDS})
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _f1(classes: Ints, predicted: Ints, same: int) -> float:
    """Of the class `same`, that of paraphrases. A file may have a row of a third one, which `official` tells."""
    from sklearn.metrics import f1_score

    return float(f1_score(classes == same, predicted == same, zero_division=0.0))


def _unofficial(table: "DataFrame") -> list[str]:
    if (folds := table.attrs.get("folds", FOLDS)) != FOLDS:
        return [f"{folds} folds, not the published {FOLDS}"]
    return not_as_published(table)


COLUMNS = accuracy_columns(
    Column("f1", "F1 of the pairs that say the same, for a task of pairs; nan elsewhere.", share=True),
    published="rows, classes and folds",
)

METHOD = Suite(
    transfer,
    title="Transfer tasks",
    source="Conneau and Kiela 2018, SentEval, arXiv:1803.05449; its scheme with scikit-learn's logistic regression",
    tags={"direction": "higher is better", "fetched": "yes"},
    tasks={task: published.title for task, published in TASKS.items()},
    present=present,
    files="tables such as mr.tsv (label, sentence), or mrpc-train.tsv and mrpc-test.tsv (label, sentence1, sentence2), or "
    "SentEval's folders",
    layouts="MR, CR, SUBJ, MPQA, SST-2, TREC and MRPC, in our layout, SentEval's or Kim's, SST-2 and MRPC in GLUE's too",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Accuracy in per cent of a logistic regression on frozen vectors (f1 for pairs), {folds} folds",
    interval="Wilson",
    doing="Classifying the transfer tasks",
    offer="a linear classifier shows what else the vectors hold: sentiment, subjectivity, kinds of questions",
    details=("the regulariser chosen on training rows only",),
    beside={"f1": "F1"},
    baselines={"majority": "always the most frequent class"},
    encoding_share=0.25,
    quick={"folds": 5},
    unofficial=_unofficial,
)
