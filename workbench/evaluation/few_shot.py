"""Your own labels: a classifier on frozen vectors that has seen 8, 32 or 128 examples of each class."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, counted, named, no_progress, part
from workbench.core.seeds import numpy_rng
from workbench.data.tables import LABELLED_TEXTS
from workbench.evaluation._classifying import side_by_side
from workbench.evaluation._labelled import NO_LITERATURE, TEXT_TASKS, LabelledTexts, texts_present, worst_first
from workbench.evaluation._lexical import K1, USUAL_B, USUAL_K1, B, Bm25, Floats, tfidf_rows
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.evaluation._vectors import encoded, unit
from workbench.statistics.bootstrap import resampled
from workbench.statistics.pairs_and_seeds import mean_over_seeds

if TYPE_CHECKING:
    from pandas import DataFrame
    from scipy.sparse import csr_matrix

SIZES = (128, 32, 8)
"""Examples of each class."""
REGRESSION, NEIGHBOURS = "logistic regression", "nearest neighbours"
MOST_TESTED = 2_000
"""Tested texts; more are sampled, since the examples are the larger part of the uncertainty."""


FIT_BYTES = 4_000_000_000
"""What the vectors of the draws that are fitted side by side may take, each with two copies."""


class Predicted(NamedTuple):
    """Whether each tested text was classified correctly, (draws, texts), by the target and by the baselines."""

    target: np.ndarray
    tfidf: np.ndarray
    bm25: np.ndarray


def few_shot(
    encode: Encode,
    sets: Sequence[LabelledTexts],
    *,
    draws: Annotated[int, Knob(2, 30, 1, "Draws of the examples; the accuracy is their mean.")] = 10,
    neighbours: Annotated[int, Knob(1, 25, 2, "Nearest examples that vote.")] = 5,
    k1: K1 = USUAL_K1,
    b: B = USUAL_B,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Accuracy in 0..1 after 8, 32 and 128 examples a class: task, examples, classifier, group, n, classes, accuracy, low, high.

    Further columns: majority, tfidf, bm25, official. The first row of a task is logistic regression with the most examples; the
    rows of groups, the worst first, are of it too. Examples are drawn from the training rows, if a column tells them, else from
    a random half that stays the same; the other half is tested. A size is left out where a class has too few examples. The
    95 % interval is over draws and tested texts: both would differ another time. `tfidf` is the same classifier on TF-IDF rows
    fitted on the rows not tested, `bm25` the nearest neighbours by BM25.

    Prefer it over `transfer` for labels of your own: it says what a handful of labels buys, and needs no large training set.

    Raises:
        BadData: no set, vectors that are not finite, or a class with fewer than 8 examples.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There are no labelled texts to classify.", way_out="Choose a table, or a folder that holds mr.tsv."
        )
    rows: list[dict[str, object]] = []
    for number, task in enumerate(sets):
        pool, tested, drawn_of = _drawn(task, draws)
        used = _used(tested, drawn_of)
        texts, classes = [task.rows[row] for row in used], task.classes[used]
        vectors = unit(encoded(encode, texts, task.task)(texts))
        words = tfidf_rows([task.rows[row] for row in pool], texts)[0]
        majority = float(np.bincount(task.classes[tested]).max() / len(tested))
        at = np.searchsorted(used, tested)
        within = part(on_progress, number / len(sets), (number + 1) / len(sets))
        for step, (size, drawn) in enumerate(drawn_of.items()):
            share = part(within, step / len(drawn_of), (step + 1) / len(drawn_of))
            places = [np.searchsorted(used, rows) for rows in drawn]
            note = f"{task.task}: {size} examples a class"
            for classifier, predicted in _classified(
                texts, classes, vectors, words, at, places, neighbours, k1, b, named(share, note)
            ):

                def scored(at: np.ndarray, right: Predicted = predicted) -> Mapping[str, object]:
                    over = mean_over_seeds([_with_resamples(row[at]) for row in right.target])
                    means = {"tfidf": float(right.tfidf[:, at].mean()), "bm25": float(right.bm25[:, at].mean())}
                    ends = {"low": max(0.0, over.low), "high": min(1.0, over.high)}
                    return {"n": len(at), "accuracy": over.mean, **ends, **means}

                about = {"task": task.task, "examples": size, "classifier": classifier, "classes": len(task.names)}
                about |= {"majority": majority, "official": False}
                rows.append({**about, "group": "", **scored(np.arange(len(tested)))})
                if step == 0 and classifier == REGRESSION:
                    groups = worst_first([task.groups[row] for row in tested], scored, "accuracy")
                    rows += [{**about, **row} for row in groups]
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _drawn(task: LabelledTexts, draws: int) -> tuple[np.ndarray, np.ndarray, dict[int, list[np.ndarray]]]:
    """The rows to draw examples from, those to test, and the drawn ones for each size that every class has, largest first.

    Raises:
        BadData: a class has fewer than 8.
    """
    pool, tested = halves(task)
    smallest = int(np.bincount(task.classes[pool], minlength=len(task.names)).min())
    sizes = [size for size in SIZES if size <= smallest]
    if not sizes:
        raise BadData(
            f"{task.task} has a class with {smallest:,} example{'s' * (smallest != 1)} to learn from.",
            rule=f"Each class needs {SIZES[-1]} of them, besides the texts that are tested.",
            way_out="Leave rare classes out, or add rows.",
        )
    return pool, tested, {size: [_examples(task.classes, pool, size, draw) for draw in range(draws)] for size in sizes}


def _used(tested: np.ndarray, drawn_of: Mapping[int, Sequence[np.ndarray]]) -> np.ndarray:
    """The rows that are tested or drawn, in order: a larger draw contains the smaller ones."""
    return np.unique(np.concatenate([tested, *drawn_of[max(drawn_of)]]))


def _needs(task: LabelledTexts, settings: Mapping[str, int]) -> list[str]:
    _, tested, drawn_of = _drawn(task, settings["draws"])
    return [task.rows[row] for row in _used(tested, drawn_of)]


def halves(task: LabelledTexts) -> tuple[np.ndarray, np.ndarray]:
    """The rows to draw examples from, and those to test, at most `MOST_TESTED`. Equal texts are never on both sides."""
    rng = numpy_rng(0, "few_shot", len(task))
    if task.tested is not None:
        pool, tested = np.flatnonzero(~task.tested), np.flatnonzero(task.tested)
    else:
        first = {text: row for row, text in reversed(list(enumerate(task.rows)))}
        distinct = np.sort(np.fromiter(first.values(), np.int64))
        parts: tuple[list[int], list[int]] = [], []
        for label in range(len(task.names)):
            rows = rng.permutation(distinct[task.classes[distinct] == label])
            parts[0].extend(rows[: (len(rows) + 1) // 2])
            parts[1].extend(rows[(len(rows) + 1) // 2 :])
        pool, tested = np.sort(parts[0]), np.sort(parts[1])
    if len(tested) > MOST_TESTED:
        tested = np.sort(rng.choice(tested, MOST_TESTED, replace=False))
    return pool, tested


def _examples(classes: np.ndarray, pool: np.ndarray, size: int, draw: int) -> np.ndarray:
    """`size` rows of each class. A larger draw of the same number contains the smaller one."""
    rows: list[int] = []
    for label in np.unique(classes):
        rng = numpy_rng(draw, "few_shot.examples", int(label))
        rows.extend(rng.permutation(pool[classes[pool] == label])[:size])
    return np.array(rows, np.int64)


def _classified(
    texts: Sequence[str],
    classes: np.ndarray,
    vectors: Floats,
    words: "csr_matrix",
    tested: np.ndarray,
    drawn: Sequence[np.ndarray],
    neighbours: int,
    k1: float,
    b: float,
    on_progress: Progress,
) -> Iterator[tuple[str, Predicted]]:
    """Each classifier with what it got right; `tested` and `drawn` are rows of `texts`."""
    from joblib import Parallel, delayed, effective_n_jobs

    gold, queries = classes[tested], [texts[row] for row in tested]

    def right(predict: Callable[[np.ndarray], np.ndarray], start: float, end: float) -> np.ndarray:
        with side_by_side():
            jobs = max(
                1, min(effective_n_jobs(None), FIT_BYTES // (3 * vectors.itemsize * len(drawn[0]) * vectors.shape[1]))
            )
            predicted = Parallel(jobs, return_as="generator")(delayed(predict)(rows) for rows in drawn)
            return np.array([next(predicted) == gold for _ in counted(drawn, part(on_progress, start, end), "")])

    def by_bm25(rows: np.ndarray) -> np.ndarray:
        return voted(Bm25([texts[row] for row in rows], k1=k1, b=b).scores(queries), classes[rows], neighbours)

    def regression(table: "Floats | csr_matrix") -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: _regression(*_with_features(table[rows], table[tested]), classes[rows])

    def nearest(table: "Floats | csr_matrix") -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: voted(_dense(table[tested] @ table[rows].T), classes[rows], neighbours)

    by_words = right(by_bm25, 0.0, 0.2)
    yield REGRESSION, Predicted(right(regression(vectors), 0.2, 0.5), right(regression(words), 0.5, 0.8), by_words)
    yield NEIGHBOURS, Predicted(right(nearest(vectors), 0.8, 0.9), right(nearest(words), 0.9, 1.0), by_words)


def _dense(products: "Floats | csr_matrix") -> Floats:
    return products if isinstance(products, np.ndarray) else products.toarray()


def _with_features(
    vectors: "Floats | csr_matrix", tested: "Floats | csr_matrix"
) -> "tuple[Floats | csr_matrix, Floats | csr_matrix]":
    """Both without the columns that no row of `vectors` uses, whose weights a fit with a penalty leaves at 0."""
    if isinstance(vectors, np.ndarray):
        return vectors, tested
    there = np.unique(vectors.indices)
    return vectors[:, there], tested[:, there]


def _regression(vectors: "Floats | csr_matrix", tested: "Floats | csr_matrix", classes: np.ndarray) -> np.ndarray:
    """scikit-learn's logistic regression on rows of length 1, C = 10: the usual 1 hardly fits so few rows of that length."""
    from sklearn.linear_model import LogisticRegression

    predicted: np.ndarray = LogisticRegression(C=10.0, max_iter=1000).fit(vectors, classes).predict(tested)
    return predicted


def voted(scores: Floats, classes: np.ndarray, neighbours: int) -> np.ndarray:
    """The class of most of the nearest examples by `scores` (tested, examples); a tie goes to the more similar ones.

    >>> scores, classes = np.array([[0.9, 0.8, 0.1]]), np.array([0, 1, 1])
    >>> voted(scores, classes, 1).tolist(), voted(scores, classes, 3).tolist()
    ([0], [1])
    """
    count = min(neighbours, scores.shape[1])
    nearest = _greatest(scores, count)
    votes = np.zeros((len(scores), int(classes.max()) + 1))
    # A little more for the nearer ones, less than a vote in all, by rank so that the scale of the scores does not matter.
    weights = 1 + (count - np.arange(count)) / (count * (count + 1))
    np.add.at(votes, (np.arange(len(scores))[:, None], classes[nearest]), weights)
    best: np.ndarray = votes.argmax(axis=1)
    return best


def _greatest(scores: Floats, count: int) -> np.ndarray:
    """The columns of the `count` greatest scores of each row, the greatest first; of equal ones the first column.

    >>> _greatest(np.array([[1.0, 3.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]]), 3).tolist()
    [[1, 3, 0], [0, 1, 2]]
    """
    some = np.sort(np.argpartition(-scores, count - 1, axis=1)[:, :count], axis=1)
    found = np.take_along_axis(scores, some, axis=1)
    best = np.take_along_axis(some, np.argsort(-found, axis=1, kind="stable"), axis=1)
    # Only rows in which equal scores were left out need a whole sort, to take the first of them.
    tied = (scores >= found.min(axis=1, keepdims=True)).sum(axis=1) > count
    best[tied] = np.argsort(-scores[tied], axis=1, kind="stable")[:, :count]
    return best


def _with_resamples(right: np.ndarray) -> np.ndarray:
    """The accuracy, then that of each of 1,000 resamples of the texts: the same ones for every draw."""
    values = right.astype(np.float64)
    means = [values @ counts / len(values) for counts in resampled(len(values), 1000, 0)]
    return np.concatenate([[values.mean()], *means])


COLUMNS = (
    Column("task", "The id of the task."),
    Column("examples", "How many examples of each class the classifier has seen."),
    Column("classifier", "Logistic regression, or the vote of the nearest examples."),
    Column("group", "The group of tested texts; empty for all."),
    Column("n", "How many texts are tested."),
    Column("classes", "How many classes there are."),
    Column(
        "accuracy", "The share of tested texts classified correctly, averaged over draws of the examples.", share=True
    ),
    Column("low", "The lower end of its 95 % interval over draws and texts.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("majority", "The accuracy of always predicting the most frequent class.", share=True),
    Column("tfidf", "The accuracy of the same classifier on TF-IDF rows.", share=True),
    Column("bm25", "The accuracy of the nearest neighbours by BM25.", share=True),
    Column("official", "Never: such scores are not published."),
)

METHOD = Suite(
    few_shot,
    title="Your own labels",
    source="This file; few examples a class as in Tunstall et al. 2022, SetFit, arXiv:2209.11055",
    tags={"direction": "higher is better", "noun": "labelled text"},
    tasks=TEXT_TASKS,
    present=texts_present,
    files="classification tasks of single texts, such as mr.tsv (label, sentence), or SentEval's folders; or name a "
    "table of your own",
    layouts="a table of texts and labels (text, label, and if you like group and split), or a folder with such tables called "
    "train and test, with one of texts for each label, or with MR, CR, SUBJ, ...",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Accuracy in per cent of logistic regression on frozen vectors with the most examples a class, mean of {draws} draws",
    interval="random-effects",
    doing="Classifying with few examples",
    offer="it says how well 8, 32 or 128 examples of each of your labels are enough",
    details=("the interval is over draws of the examples and tested texts",),
    baselines={"majority": "always the most frequent class", "tfidf": "TF-IDF", "bm25": "BM25, nearest neighbours"},
    by=("examples", "classifier", "group"),
    encoding_share=0.7,
    quick={"draws": 5},
    roles=LABELLED_TEXTS,
    needs=_needs,
    unofficial=lambda table: [NO_LITERATURE],
)
