import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import homogeneity_completeness_v_measure

from workbench.evaluation._labelled import LabelledTexts
from workbench.evaluation._vectors import unit
from workbench.evaluation.clustering import METHOD, clustering, half_interval, v_measure


def task(classes, texts=None):
    classes = np.asarray(classes)
    rows = texts or [f"{label} {row}" for row, label in enumerate(classes)]
    return LabelledTexts("t", rows, classes, tuple(map(str, np.unique(classes))), [""] * len(rows), None)


def test_texts_that_lie_by_label_are_found():
    task_ = task([0, 1, 2] * 20)
    row = clustering(lambda texts: np.eye(3)[[int(text[0]) for text in texts]], [task_]).iloc[0]
    assert row["v_measure"] > 0.8 and row["high"] == 1 and row["classes"] == 3 and row["n"] == 60


def test_the_v_measure_by_hand_and_scikit_learns():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 40)
    vectors = unit(rng.normal(size=(80, 4)) + np.outer(classes, [2.0, 0, 0, 0]))
    clusters = KMeans(2, n_init=1, random_state=3).fit_predict(vectors)
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(classes, clusters)
    joint = np.array([[((classes == c) & (clusters == k)).mean() for k in (0, 1)] for c in (0, 1)])
    entropy = lambda p: -sum(x * np.log(x) for x in np.ravel(p) if x > 0)  # noqa: E731
    mutual = entropy(joint.sum(0)) + entropy(joint.sum(1)) - entropy(joint)
    assert homogeneity == pytest.approx(mutual / entropy(joint.sum(1)))
    assert completeness == pytest.approx(mutual / entropy(joint.sum(0)))
    wanted = 2 * homogeneity * completeness / (homogeneity + completeness)
    assert v_measure(vectors, classes, 3) == pytest.approx(wanted)


def test_each_start_can_be_stopped():
    """k-means on thousands of texts takes seconds: between two starts it says how far it is, and may be cancelled."""
    said = []
    clustering(
        lambda texts: np.eye(2)[[int(text[0]) for text in texts]],
        [task([0, 1] * 20), task([0, 1] * 8)],
        starts=4,
        on_progress=lambda share, note: said.append((share, note)),
    )
    assert len(said) == 2 * (4 + 4 + 3) and said == sorted(said, key=lambda one: one[0])
    assert said[0][0] == 0 and 0.9 < said[-1][0] < 1


def test_one_cluster_for_all_is_0():
    assert clustering(lambda texts: np.ones((len(texts), 3)), [task([0, 1] * 10)])["v_measure"].item() == 0


def test_labels_by_chance_are_near_0_and_the_interval_holds_the_score():
    rng = np.random.default_rng(1)
    row = clustering(lambda texts: rng.normal(size=(len(texts), 5)), [task(rng.integers(0, 2, 400))], starts=5).iloc[0]
    assert row["v_measure"] < 0.05 and row["low"] <= row["v_measure"] <= row["high"]


def test_the_interval_is_as_wide_as_scores_vary_over_sets():
    """Sets drawn anew scatter within what random halves of one set say, within a factor of 2."""
    rng = np.random.default_rng(2)

    def drawn():
        classes = rng.integers(0, 2, 200)
        return unit(rng.normal(size=(200, 3)) + np.outer(classes, [1.5, 0, 0])), classes

    scores = [v_measure(*drawn(), 0) for _ in range(40)]
    low, high = half_interval(*drawn(), 0.5, 40)
    assert 0.5 < (high - low) / 2 / (2.02 * np.std(scores, ddof=1)) < 2


@pytest.mark.parametrize(
    ("scores", "ends"),
    [([0.50, 0.52, 0.54], (0.52 - 4.302653 * 0.02, 0.52 + 4.302653 * 0.02)), ([0.2, 0.52, 0.84], (0.0, 1.0))],
)
def test_the_interval_by_hand(monkeypatch, scores, ends):
    """Student's t of 2 degrees of freedom is 4.302653; the standard deviation of three halves is .02 or .32."""
    drawn = iter(scores)
    monkeypatch.setattr("workbench.evaluation.clustering.v_measure", lambda *_: next(drawn))
    assert half_interval(np.eye(6), np.arange(6) % 2, 0.52, 3) == pytest.approx(ends)


def test_starts_are_averaged_on_rows_of_length_1_beside_those_of_words():
    rng = np.random.default_rng(3)
    classes = np.arange(60) % 3
    vectors = rng.normal(size=(60, 4)) * rng.uniform(0.1, 9, (60, 1))
    task_ = task(classes, [f"{('cat', 'dog', 'fish')[label]} {'!' * row}" for row, label in enumerate(classes)])
    row = clustering(lambda texts: vectors, [task_], starts=3).iloc[0]
    scores = [v_measure(unit(vectors), classes, seed) for seed in range(3)]
    assert len(set(scores)) == 3 and row["v_measure"] == pytest.approx(np.mean(scores))
    assert (row["low"], row["high"]) == half_interval(unit(vectors), classes, row["v_measure"], 3)
    assert row["tfidf"] == 1 > row["high"]


def test_the_tasks_of_a_folder_and_a_table(tmp_path):
    (tmp_path / "mr.tsv").write_text("label\tsentence\n" + "".join(f"{row % 2}\ttext {row}\n" for row in range(20)))
    assert [one.task for one in METHOD.read(tmp_path).sets] == ["mr"]
    (tmp_path / "own.jsonl").write_text(
        "".join(f'{{"text": "t {row}", "topic": "{"AB"[row % 2]}"}}\n' for row in range(9))
    )
    [read] = METHOD.read(tmp_path / "own.jsonl").sets
    assert read.names == ("a", "b") and len(read) == 9
