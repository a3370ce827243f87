"""A linear classifier on frozen vectors, tested on held-out rows: SentEval's schemes, scikit-learn's classifier."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.progress import Progress, counted, named, part
from workbench.core.undivided import undivided
from workbench.evaluation._classified import Classified, ClassifiedSet
from workbench.evaluation._fold_accuracy import of_folds
from workbench.evaluation._suite import Column, Encode
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from pandas import DataFrame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 10
"""As in the published protocol."""
SEED = 1111
"""SentEval's."""
STRENGTHS = tuple(2.0**power for power in range(-2, 4))
MORE_STRENGTHS = tuple(2.0**power for power in range(-1, 6))
"""Inverse strengths of the regulariser to choose from: with nested folds or a dev split; with folds of the training split."""


def predictions(encode: Encode, task: ClassifiedSet, folds: int, on_progress: Progress) -> Ints:
    """The predicted class of each tested row, by a classifier that was fitted on none of the rows tested with it.

    The features of a text are its vector, those of a pair [|u - v|, u v]. The strength of the regulariser is chosen without the
    tested rows: on the dev split if another is tested, by folds of the training split, or, for a task without splits, by inner
    folds within each outer one.

    Raises:
        BadData: vectors that are not finite, or a class with fewer rows than folds.
    """
    on_progress = named(on_progress, f"Classifying {task.published.title}")
    vectors = _turned(_vectors(encode, task))
    on_progress(0.0, "")
    with side_by_side():
        if "test" in vectors and "dev" in vectors:
            return _by_dev(vectors, task.splits, on_progress)
        train = task.splits.get("train") or task.splits["all"]
        if task.tested is not train:
            _enough(train, folds)
            model = _by_folds(vectors["train"], train.classes, MORE_STRENGTHS, folds, on_progress)
            return model(vectors[task.tested.split])
        _enough(train, folds + 2)  # an outer fold may remove two rows of a class
        predicted = np.empty(len(train), np.int64)
        for number, (inner, outer) in enumerate(_folds(train.classes, folds)):
            within = part(on_progress, number / folds, (number + 1) / folds)
            model = _by_folds(vectors["all"][inner], train.classes[inner], STRENGTHS, folds, within)
            predicted[outer] = model(vectors["all"][outer])
        return predicted


def accuracy(task: ClassifiedSet, predicted: Ints) -> dict[str, float | int | str]:
    """task, n, classes, accuracy in 0..1 with Wilson's 95 % interval low and high, majority: the share of the largest class."""
    tested = task.tested.classes
    right = predicted == tested
    low, high = wilson(int(right.sum()), len(right))
    return {
        "task": task.task,
        "n": len(right),
        "classes": len(task.classes),
        "accuracy": float(right.mean()),
        "low": low,
        "high": high,
        "majority": float(np.bincount(tested).max() / len(tested)),
    }


def accuracy_columns(*beside: Column, published: str = "rows and classes") -> tuple[Column, ...]:
    """Those of a suite whose score is `accuracy`, with further ones `beside` it; `published` is what `official` compares."""
    return (
        Column("task", "The id of the task."),
        Column("n", "How many rows are classified, each once."),
        Column("classes", "How many classes there are."),
        Column("accuracy", "The share of rows that are classified correctly.", share=True),
        Column("low", "The lower end of Wilson's 95 % interval of the accuracy.", share=True),
        Column("high", "The upper end of it.", share=True),
        *beside,
        Column("majority", "The accuracy of always predicting the most frequent class.", share=True),
        Column("official", f"Whether {published} are as published."),
    )


def not_as_published(table: "DataFrame") -> list[str]:
    """Why numbers of such a suite are not comparable with the literature: the tasks that are not official."""
    odd = table.loc[~table["official"].astype(bool), "task"]
    return [f"not as published: {', '.join(odd)}"] if len(odd) else []


def features(first: Floats, second: Floats | None = None) -> Floats:
    """The features: vectors (rows, dim), or for pairs (rows, 2 dim), which do not depend on the order of the two texts.

    >>> features(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]])).tolist()
    [[2.0, 2.0, 3.0, 0.0]]
    """
    return first if second is None else np.concatenate([np.abs(first - second), first * second], axis=1)


def _vectors(encode: Encode, task: ClassifiedSet) -> dict[str, Floats]:
    """The features of each split; every distinct text is encoded once."""
    row_of: dict[str, int] = {}
    for text in task.texts():
        row_of.setdefault(text, len(row_of))
    vectors = np.asarray(encode(list(row_of)), np.float64)
    if not np.isfinite(vectors).all():
        raise BadData(f"Vectors of {task.task} are not finite.", rule="A classifier needs numbers.")

    def side(texts: list[str]) -> Floats:
        return vectors[[row_of[text] for text in texts]]

    return {
        split: features(side(rows.first), side(rows.second) if rows.second else None)
        for split, rows in task.splits.items()
    }


def _turned(vectors: dict[str, Floats]) -> dict[str, Floats]:
    """The features of fewer rows than dimensions, in a basis of their own span: a fit with a penalty on the squared weights is
    the same in every orthonormal basis, and takes the time of as many dimensions as there are rows.
    """
    joined = np.concatenate([*vectors.values()])
    rows, dim = joined.shape
    if rows >= dim:
        return vectors
    turned = np.asarray(np.linalg.qr(joined.T, mode="r")).T
    ends = np.cumsum([len(own) for own in vectors.values()])[:-1]
    return dict(zip(vectors, np.split(turned, ends), strict=True))


@contextmanager
def side_by_side() -> Iterator[None]:
    """Run folds in parallel with one thread each, which uses the cores better than several threads in one product.

    The limit is one of the whole process, so nothing else should begin within it, and end after it.
    """
    import torch  # its number of threads is the one set for this process
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    with undivided(), threadpool_limits(1), parallel_config("threading", n_jobs=torch.get_num_threads()):
        yield


def _enough(rows: Classified, least: int) -> None:
    counts = np.bincount(rows.classes)
    if counts[counts > 0].min() < least:
        raise BadData(
            f"{rows.task} has a class with {counts[counts > 0].min():,} rows.",
            rule=f"Each class needs {least} for the folds.",
            way_out="Use the whole set, or fewer folds.",
        )


def _folds(classes: Ints, folds: int) -> Iterator[tuple[Ints, Ints]]:
    from sklearn.model_selection import StratifiedKFold

    yield from StratifiedKFold(folds, shuffle=True, random_state=SEED).split(np.zeros(len(classes)), classes)


def _solver(classes: Ints) -> str:
    """Newton's method for two classes, which takes 4 steps; its matrix grows with the square of classes times dimensions."""
    return "newton-cholesky" if len(np.unique(classes)) == 2 else "lbfgs"


def _by_folds(
    vectors: Floats, classes: Ints, strengths: Sequence[float], folds: int, on_progress: Progress
) -> Callable[[Floats], Ints]:
    """The `predict` of a classifier fitted on these rows, with the strength that is best over folds of them.

    The fit with one strength starts from that with the one before, which halves its steps.
    """
    from joblib import Parallel, delayed
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression

    parts, solver = list(_folds(classes, folds)), _solver(classes)
    whole = LogisticRegression(solver=solver, max_iter=1000, warm_start=True)

    def fit(strength: float) -> LogisticRegression:
        on_progress(strengths.index(strength) / len(strengths), "")
        return copy.copy(whole.set_params(C=strength).fit(vectors, classes))

    def accuracies(fitted: Ints, held_out: Ints) -> list[float]:
        model = clone(whole)
        own, others = (vectors[fitted], classes[fitted]), (vectors[held_out], classes[held_out])
        return [model.set_params(C=strength).fit(*own).score(*others) for strength in strengths]

    if at_once := of_folds(vectors, classes, strengths, [held_out for _, held_out in parts], fit):
        return at_once.predict[int(np.argmax(at_once.accuracy.mean(axis=1)))]
    fitted = Parallel(return_as="generator")(delayed(accuracies)(*own) for own in parts)
    by_fold = [next(fitted) for _ in counted(parts, on_progress, "")]
    best = strengths[int(np.argmax(np.mean(by_fold, axis=0)))]
    return LogisticRegression(solver=solver, C=best, max_iter=1000).fit(vectors, classes).predict


def _by_dev(vectors: dict[str, Floats], splits: dict[str, Classified], on_progress: Progress) -> Ints:
    """The predicted classes of the test split, with the strength that is best on the dev split."""
    from sklearn.linear_model import LogisticRegression

    best, predicted = -1.0, np.empty(0, np.int64)
    model = LogisticRegression(solver=_solver(splits["train"].classes), max_iter=1000, warm_start=True)
    for strength in counted(STRENGTHS, on_progress, ""):
        model.set_params(C=strength).fit(vectors["train"], splits["train"].classes)
        accurate = model.score(vectors["dev"], splits["dev"].classes)
        if accurate > best:
            best, predicted = accurate, model.predict(vectors["test"])
    return predicted
