"""Clustering: whether k-means on the vectors finds the labels again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, counted, no_progress, part
from workbench.core.seeds import numpy_rng
from workbench.data.tables import LABELLED_TEXTS
from workbench.evaluation._labelled import NO_LITERATURE, TEXT_TASKS, LabelledTexts, texts_present
from workbench.evaluation._lexical import Floats, tfidf_rows
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.evaluation._vectors import encoded, unit
from workbench.statistics.bootstrap import Interval

if TYPE_CHECKING:
    from pandas import DataFrame
    from scipy.sparse import csr_matrix


def clustering(
    encode: Encode,
    sets: Sequence[LabelledTexts],
    *,
    starts: Annotated[int, Knob(3, 50, 1, "Starts of k-means, whose v-measures are averaged.")] = 10,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """The v-measure, in 0..1, of k-means with as many clusters as labels.

    The table has task, n, classes, v_measure, low, high, tfidf, official. The v-measure is the harmonic mean of homogeneity and
    completeness, in 0..1, on rows of length 1, averaged over starts. The 95 % interval is for another set of as many texts and
    another start: Student's t with the standard deviation over random halves of the texts, each clustered from a start of its
    own. (A half drawn without replacement varies about as much as the whole set would between draws.) `tfidf` is the v-measure
    on TF-IDF rows; BM25 has no vectors to cluster.

    Prefer it over `few_shot` to see groups without any label given; topics are found this way more often than opinions.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There are no labelled texts to cluster.", way_out="Choose a table, or a folder that holds mr.tsv."
        )
    rows = []
    for number, task in enumerate(sets):
        within, note = part(on_progress, number / len(sets), (number + 1) / len(sets)), f"Clustering {task.task}"
        vectors = unit(encoded(encode, task.texts(), task.task)(task.rows))
        seeds = counted(range(starts), part(within, 0.0, 0.4), note)
        score = float(np.mean([v_measure(vectors, task.classes, seed) for seed in seeds]))
        low, high = half_interval(vectors, task.classes, score, starts, part(within, 0.4, 0.6))
        [words] = tfidf_rows(task.rows, task.rows)
        seeds = counted(range(3), part(within, 0.6, 1.0), note)
        rows.append(
            {
                "task": task.task,
                "n": len(task),
                "classes": len(task.names),
                "v_measure": score,
                "low": low,
                "high": high,
                "tfidf": float(np.mean([v_measure(words, task.classes, seed) for seed in seeds])),
                "official": False,
            }
        )
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def v_measure(vectors: "Floats | csr_matrix", classes: np.ndarray, seed: int) -> float:
    """The v-measure of one k-means, in 0..1; 0 where all texts are in one cluster."""
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import v_measure_score

    count = len(np.unique(classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct texts than clusters
        clusters = KMeans(count, n_init=1, random_state=seed).fit_predict(vectors)
    return float(v_measure_score(classes, clusters))


def half_interval(
    vectors: Floats, classes: np.ndarray, score: float, draws: int, on_progress: Progress = no_progress
) -> Interval:
    """The 95 % interval around `score` from random halves of the rows; see `clustering`."""
    from scipy.stats import t

    rng = numpy_rng(0, "clustering", len(classes))
    size = max(2, len(classes) // 2)
    halves = [np.sort(rng.choice(len(classes), size, replace=False)) for _ in range(draws)]
    each = counted(halves, on_progress, "Clustering halves")
    scores = [v_measure(vectors[half], classes[half], seed) for seed, half in enumerate(each)]
    spread = float(t.ppf(0.975, draws - 1) * np.std(scores, ddof=1))
    return Interval(max(0.0, score - spread), min(1.0, score + spread))


COLUMNS = (
    Column("task", "The id of the task."),
    Column("n", "How many texts are clustered."),
    Column("classes", "How many labels, and so clusters, there are."),
    Column("v_measure", "The v-measure, averaged over starts.", share=True),
    Column("low", "The lower end of its 95 % interval over texts and starts.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("tfidf", "The same with TF-IDF rows.", share=True),
    Column("official", "Never: such scores are not published."),
)

METHOD = Suite(
    clustering,
    title="Clustering",
    source="Rosenberg and Hirschberg 2007, https://aclanthology.org/D07-1043; as in MTEB, Muennighoff et al. 2023, "
    "arXiv:2210.07316",
    formula=r"V = \frac{2\,h\,c}{h + c}",
    tags={"direction": "higher is better"},
    tasks=TEXT_TASKS,
    present=texts_present,
    files="classification tasks of single texts, such as mr.tsv (label, sentence), or SentEval's folders; or name a "
    "table of your own",
    layouts="a table of texts and labels (text, label), a folder that has one of texts for each label, or one with MR, CR, ...",
    columns=COLUMNS,
    score="v_measure",
    score_title="v-measure",
    measure="v-measure x 100 of k-means with as many clusters as labels, mean of {starts} starts",
    interval="half-sampling",
    doing="Clustering labelled texts",
    offer="it shows whether texts of one label lie together without any label given",
    baselines={"tfidf": "TF-IDF"},
    encoding_share=0.5,
    quick={"starts": 5},
    roles={name: role for name, role in LABELLED_TEXTS.items() if name in ("text", "label")},
    unofficial=lambda table: [NO_LITERATURE],
)
