"""Transfer: what a linear classifier makes of frozen vectors. SentEval's tasks and schemes, scikit-learn's classifier."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.data.transfer import TASKS
from workbench.evaluation.sts import Encode
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.transfer import Classified, TransferSet

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 10
"""Of the published protocol."""
SEED = 1111
"""SentEval's."""
STRENGTHS = tuple(2.0**power for power in range(-2, 4))
MORE_STRENGTHS = tuple(2.0**power for power in range(-1, 6))
"""Inverse strengths of the regulariser to choose from: where rows are nested or a split decides; where folds of train do."""


class Mean(NamedTuple):
    """The mean of several tasks' accuracies: labelled `avg` only when it is that of all seven as published."""

    label: str
    value: float


def transfer(
    encode: Encode,
    sets: "Sequence[TransferSet]",
    *,
    folds: Annotated[int, Knob(2, 10, 1, "Folds, outer and inner: 10 as published, fewer are faster.")] = FOLDS,
    progress: Callable[[float, str], None] | None = None,
) -> "DataFrame":
    """Accuracy in 0..1 of a logistic regression for each task: task, n, classes, accuracy, low, high, f1, majority, official.

    `n` are the rows whose class is foretold, each once; `low` and `high` are Wilson's 95 % interval for them, `majority` is
    the accuracy of naming the most frequent class always, and `f1` that of class 1 of MRPC (nan elsewhere). The strength of
    the regulariser is chosen on training rows alone: by inner folds within each outer one (MR, CR, SUBJ, MPQA), on the dev
    split (SST-2), or by folds of the training split (TREC, MRPC). A text's features are its vector, a pair's
    [|u - v|, u v]. `official` says whether rows, classes and folds are the published ones. The classifier is scikit-learn's,
    which SentEval offers beside its own softmax of PyTorch; the latter is its official one.

    Raises:
        BadData: no set, vectors that are not finite, or a class with fewer rows than folds.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There is no transfer task to evaluate on.", way_out="Name a folder that holds one, such as mr.tsv."
        )
    rows = []
    for place, one in enumerate(sets):
        vectors = _vectors(encode, one)

        def told(share: float, place: int = place, title: str = TASKS[one.task].title) -> None:
            if progress is not None:
                progress((place + share) / len(sets), f"Classifying {title}")

        told(0.0)
        tested, foretold = one.tested.classes, _foretold(one, vectors, folds, told)
        right = foretold == tested
        low, high = wilson(int(right.sum()), len(right))
        rows.append(
            {
                "task": one.task,
                "n": len(right),
                "classes": len(one.classes),
                "accuracy": float(right.mean()),
                "low": low,
                "high": high,
                "f1": _f1(tested, foretold) if TASKS[one.task].of_pairs else np.nan,
                "majority": float(np.bincount(tested).max() / len(tested)),
                "official": one.official and folds == FOLDS,
            }
        )
    return DataFrame(rows)


def mean_over_tasks(table: "DataFrame") -> Mean | None:
    """The mean accuracy in `table`, or None below two tasks.

    `avg` needs all seven, each as published; anything else is labelled with the names of its tasks.

    >>> import pandas
    >>> mean_over_tasks(pandas.DataFrame({"task": ["mr", "cr"], "accuracy": [0.8, 0.9], "official": [True, True]}))
    Mean(label='mean of mr, cr', value=0.85)
    """
    if len(table) < 2:
        return None
    whole = set(table["task"]) == set(TASKS) and bool(table["official"].all())
    label = "avg" if whole else f"mean of {', '.join(table['task'])}"
    return Mean(label, round(float(np.mean([round(100 * one, 2) for one in table["accuracy"]])) / 100, 6))


def features(first: Floats, second: Floats | None = None) -> Floats:
    """What is classified: vectors (rows, dim), or of pairs (rows, 2 dim), the same whichever text comes first.

    >>> features(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]])).tolist()
    [[2.0, 2.0, 3.0, 0.0]]
    """
    return first if second is None else np.concatenate([np.abs(first - second), first * second], axis=1)


def _vectors(encode: Encode, one: "TransferSet") -> dict[str, Floats]:
    """The features of each split; every distinct text is encoded once."""
    place: dict[str, int] = {}
    for text in one.texts():
        place.setdefault(text, len(place))
    vectors = np.asarray(encode(list(place)), np.float64)
    if not np.isfinite(vectors).all():
        raise BadData(f"Vectors of {one.task} are not finite.", rule="A classifier needs numbers.")

    def side(texts: list[str]) -> Floats:
        return vectors[[place[text] for text in texts]]

    return {
        split: features(side(rows.first), side(rows.second) if rows.second else None)
        for split, rows in one.splits.items()
    }


def _foretold(one: "TransferSet", vectors: dict[str, Floats], folds: int, told: Callable[[float], None]) -> Ints:
    """The class that is foretold for each tested row, by a classifier that saw neither it nor any other tested with it."""
    if "dev" in vectors:
        return _by_dev(vectors, one.splits, told)
    train = one.splits.get("train") or one.splits["all"]
    if "test" in vectors:
        _enough(train, folds)
        return _by_folds(vectors["train"], train.classes, MORE_STRENGTHS, folds)(vectors["test"])
    _enough(train, folds + 1)  # an outer fold takes one of each class away
    found = np.empty(len(train), np.int64)
    for number, (inner, outer) in enumerate(_folds(train.classes, folds)):
        told(number / folds)
        found[outer] = _by_folds(vectors["all"][inner], train.classes[inner], STRENGTHS, folds)(vectors["all"][outer])
    return found


def _enough(rows: "Classified", least: int) -> None:
    counts = np.bincount(rows.classes)
    if counts[counts > 0].min() < least:
        raise BadData(
            f"{rows.task} has a class with {counts[counts > 0].min():,} rows.",
            rule=f"Each needs {least} for the folds.",
            way_out="Take the whole set, or fewer folds.",
        )


def _folds(classes: Ints, folds: int) -> Iterator[tuple[Ints, Ints]]:
    from sklearn.model_selection import StratifiedKFold

    yield from StratifiedKFold(folds, shuffle=True, random_state=SEED).split(np.zeros(len(classes)), classes)


def _solver(classes: Ints) -> str:
    """Newton's method takes 4 steps for two classes; its matrix grows with the square of classes times dimensions."""
    return "newton-cholesky" if len(np.unique(classes)) == 2 else "lbfgs"


def _by_folds(vectors: Floats, classes: Ints, strengths: Sequence[float], folds: int) -> Callable[[Floats], Ints]:
    """A classifier whose strength is the best over folds of these rows, and that is then fitted on all of them."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    one = LogisticRegression(solver=_solver(classes), max_iter=1000)
    model = GridSearchCV(one, {"C": strengths}, scoring="accuracy", cv=list(_folds(classes, folds)))
    return model.fit(vectors, classes).predict


def _by_dev(vectors: dict[str, Floats], splits: "dict[str, Classified]", told: Callable[[float], None]) -> Ints:
    """The foretold classes of the test split, with the strength that is best on the dev split."""
    from sklearn.linear_model import LogisticRegression

    best, found = -1.0, np.empty(0, np.int64)
    model = LogisticRegression(solver=_solver(splits["train"].classes), max_iter=1000, warm_start=True)
    for number, strength in enumerate(STRENGTHS):
        told(number / len(STRENGTHS))
        model.set_params(C=strength).fit(vectors["train"], splits["train"].classes)
        accuracy = model.score(vectors["dev"], splits["dev"].classes)
        if accuracy > best:
            best, found = accuracy, model.predict(vectors["test"])
    return found


def _f1(classes: Ints, foretold: Ints) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(classes, foretold, zero_division=0.0))


METHOD = Method(
    transfer,
    title="Transfer tasks",
    source="Conneau and Kiela 2018, SentEval, arXiv:1803.05449; its scheme with scikit-learn's logistic regression",
    tags={
        "direction": "higher is better",
        "measure": "Accuracy in per cent of a logistic regression on frozen vectors (f1 for pairs), {folds} folds",
    },
)
