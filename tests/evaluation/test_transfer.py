"""The transfer suite: a classifier on vectors that is never fitted on tested rows."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_info

from workbench.core.errors import BadData, BadSetting
from workbench.core.progress import no_progress
from workbench.core.undivided import is_undivided
from workbench.evaluation import METHODS, _classifying
from workbench.evaluation._classified import Classified, ClassifiedSet
from workbench.evaluation._classifying import SEED, STRENGTHS, features, predictions
from workbench.evaluation.transfer import METHOD, TASKS, transfer

SPLITS = {"mr": ["all"], "sst2": ["train", "dev", "test"], "trec": ["train", "test"], "mrpc": ["train", "test"]}


def classified(task, split, classes):
    texts = [f"{split} {row} {name}" for row, name in enumerate(classes)]
    return Classified(
        task, split, texts, [f"{text} too" for text in texts] if task == "mrpc" else [], np.array(classes)
    )


def task_of(name, rows=60, kinds=2, seed=0):
    """A task with random classes of equal frequency."""
    rng = np.random.default_rng(seed)
    splits = {split: classified(name, split, rng.permutation(np.arange(rows) % kinds)) for split in SPLITS[name]}
    return ClassifiedSet(name, TASKS[name], splits, tuple(map(str, range(kinds))))


def told(texts, dim=8, noise=0.1):
    """Vectors of the class at the end of a text; for a second text the opposite, if the class is 0."""
    found = []
    for text in texts:
        own = int(text.removesuffix(" too").rpartition(" ")[2])
        vector = np.random.default_rng(list(text.encode())).normal(size=dim) * noise
        vector[own if not text.endswith(" too") or own else 2] += 3.0
        found.append(vector)
    return np.stack(found).astype(np.float32)


def silent(texts, dim=8):
    """Vectors that are independent of the class."""
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=dim) for text in texts])


@pytest.mark.parametrize("name", SPLITS)
def test_separable_classes_are_learned(name):
    (row,) = transfer(told, [task_of(name, kinds=3 if name == "trec" else 2)], folds=3).to_dict("records")
    assert row["accuracy"] == 1.0 and row["n"] == 60 and row["high"] == pytest.approx(1.0) and row["low"] > 0.9
    assert row["majority"] == pytest.approx(1 / row["classes"]) and not row["official"]
    assert (row["f1"] == 1.0) if name == "mrpc" else np.isnan(row["f1"])


def test_f1_is_that_of_the_pairs_that_say_the_same():
    task = task_of("mrpc")
    classes = {split: np.repeat([0, 1], [45, 15]) for split in task.splits}
    rare = replace(task, splits={split: classified("mrpc", split, rows) for split, rows in classes.items()})
    for names, same in ((("0", "1"), 1), (("equivalent", "not_equivalent"), 0), (("no", "yes"), 1)):
        (row,) = transfer(silent, [replace(rare, classes=names)], folds=3).to_dict("records")
        predicted = predictions(silent, rare, 3, no_progress)
        wanted = f1_score(classes["test"] == same, predicted == same, zero_division=0.0)
        assert row["f1"] == pytest.approx(wanted)


def test_the_majority_is_the_share_of_the_largest_class_and_a_class_needs_rows_for_the_folds():
    classes = np.repeat([0, 1], [45, 15])
    task = ClassifiedSet("mr", TASKS["mr"], {"all": classified("mr", "all", classes)}, ("0", "1"))
    assert transfer(told, [task], folds=3)["majority"].item() == 0.75
    few = ClassifiedSet("mr", TASKS["mr"], {"all": classified("mr", "all", np.repeat([0, 1], [57, 3]))}, ("0", "1"))
    with pytest.raises(BadData, match=r"a class with 3 rows.*needs 5"):
        transfer(told, [few], folds=3)


def test_the_seed_and_the_strengths_are_sentevals():
    """SentEval's validation.py: 2^-2 to 2^3 with nested folds or a dev split, 2^-1 to 2^5 with folds of the training split."""
    assert SEED == 1111 and _classifying.FOLDS == 10
    assert STRENGTHS == (1 / 4, 1 / 2, 1, 2, 4, 8)
    assert _classifying.MORE_STRENGTHS == (1 / 2, 1, 2, 4, 8, 16, 32)


def test_a_row_of_a_third_class_leaves_an_f1():
    task = task_of("mrpc", kinds=2)
    task.tested.classes[0] = 2  # a stray label
    (row,) = transfer(told, [replace(task, classes=("0", "1", "2"))], folds=3).to_dict("records")
    assert 0.9 < row["f1"] <= 1.0 and not row["official"]


@pytest.mark.parametrize("name", SPLITS)
def test_random_vectors_are_at_chance(name):
    table = transfer(silent, [task_of(name, rows=300, seed=seed) for seed in range(3)], folds=3)
    assert abs(table["accuracy"].mean() - 0.5) < 0.08, table


@pytest.mark.parametrize("name", SPLITS)
def test_no_tested_row_is_used_to_fit_or_to_choose_the_strength(name, monkeypatch):
    seen = []

    class Watched(LogisticRegression):
        def fit(self, vectors, classes):
            seen.append(set(map(tuple, vectors)))
            return super().fit(vectors, classes)

        def predict(self, vectors):
            shared.append(len(set(map(tuple, vectors)) & seen[-1]))  # rows are predicted right after a fit without them
            return super().predict(vectors)

    shared = []
    monkeypatch.setattr("sklearn.linear_model.LogisticRegression", Watched)
    monkeypatch.setattr(_classifying, "side_by_side", nullcontext)  # one after the other, so that `seen` is in order
    one = task_of(name)
    transfer(silent, [one], folds=3)
    # One prediction a fold, or one of the test split.
    assert len(shared) >= (3 if name == "mr" else 1) and not any(shared)
    if name != "mr":
        rows = one.splits["test"]
        tested = features(silent(rows.first), silent(rows.second) if rows.second else None)
        assert not any(set(map(tuple, tested)) & fitted for fitted in seen)
        turned = ClassifiedSet(
            name, TASKS[name], {**one.splits, "test": classified(name, "test", 1 - rows.classes)}, one.classes
        )
        turned.splits["test"].first[:], turned.splits["test"].second[:] = rows.first, rows.second
        both = [predictions(silent, each, 3, no_progress) for each in (one, turned)]
        np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("size", [90, 240])
def test_nested_folds_by_hand(size):
    """In plain loops: for each outer fold, the strength that is best over folds of the other rows, then a fit on all of them.

    With the larger size all folds are fitted at once.
    """
    one = task_of("mr", rows=size)
    rows = one.splits["all"]
    vectors = 0.6 * silent(rows.first) + 0.08 * told(rows.first)

    def folds(classes):
        return list(StratifiedKFold(3, shuffle=True, random_state=SEED).split(classes, classes))

    def right(strength, train, test):
        model = LogisticRegression(C=strength, max_iter=1000, tol=1e-8).fit(vectors[train], rows.classes[train])
        return model.predict(vectors[test]) == rows.classes[test]

    hits = 0
    for train, test in folds(rows.classes):
        inner = [(train[a], train[b]) for a, b in folds(rows.classes[train])]
        scores = [np.mean([right(strength, a, b).mean() for a, b in inner]) for strength in STRENGTHS]
        hits += right(STRENGTHS[int(np.argmax(scores))], train, test).sum()
    (found,) = transfer(lambda _: vectors, [one], folds=3)["accuracy"]
    assert 0.55 < found < 1.0 and found == pytest.approx(hits / size)


def test_fewer_rows_than_dimensions_are_classified_in_their_span_alike(monkeypatch):
    task = task_of("mr", rows=40)
    wide = np.random.default_rng(0).normal(size=(len(set(task.texts())), 90))
    place = {text: row for row, text in enumerate(dict.fromkeys(task.texts()))}

    def predicted():
        return predictions(lambda texts: wide[[place[text] for text in texts]], task, 3, no_progress).tolist()

    turned = predicted()
    monkeypatch.setattr(_classifying, "_turned", lambda vectors: vectors)
    assert turned == predicted()
    turn = np.random.default_rng(1).normal(size=(20, 50))
    monkeypatch.undo()
    own = _classifying._turned({"train": turn[:12], "test": turn[12:]})
    joined = np.concatenate([own["train"], own["test"]])
    assert own["train"].shape == (12, 20) and np.allclose(joined @ joined.T, turn @ turn.T)


def test_features_of_a_pair_are_symmetric():
    one, two = np.random.default_rng(0).normal(size=(2, 5, 4))
    np.testing.assert_array_equal(features(one, two), features(two, one))
    np.testing.assert_allclose(features(one, two)[:, 4:], one * two)
    assert features(one) is one


def test_each_text_is_encoded_once_and_progress_is_reported():
    asked, said = [], []

    def watched(texts):
        asked.append(list(texts))
        return told(texts)

    one = task_of("mr")
    one.splits["all"].first[1] = one.splits["all"].first[0]
    one.splits["all"].classes[1] = one.splits["all"].classes[0]
    transfer(watched, [one, task_of("sst2")], folds=3, on_progress=lambda share, words: said.append((share, words)))
    assert [len(texts) == len(set(texts)) for texts in asked] == [True, True] and len(asked[0]) == 59
    shares = [share for share, _ in said]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] < 1 and said[-1][1] == "Classifying SST-2"


def test_the_average_is_that_of_all_seven_as_published():
    import pandas

    names = ["mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc"]
    table = pandas.DataFrame({"task": names, "accuracy": np.linspace(0.7, 0.9, 7), "official": True})
    assert METHOD.mean(table) == ("avg", pytest.approx(0.8, abs=1e-4), tuple(names))
    assert METHOD.mean(table.assign(official=[True] * 6 + [False])).label == f"mean of {', '.join(names)}"
    assert METHOD.mean(table[1:3]).label == "mean of cr, subj" and METHOD.mean(table[:1]) is None


def test_what_cannot_be_classified_is_explained():
    with pytest.raises(BadData, match="no transfer task"):
        transfer(told, [])
    with pytest.raises(BadData, match="a class with 2 rows"):
        transfer(told, [task_of("mr", rows=4)], folds=3)
    with pytest.raises(BadData, match="not finite"):
        transfer(lambda texts: told(texts) * np.nan, [task_of("mr")], folds=3)
    with pytest.raises(BadSetting, match="folds"):
        METHODS["transfer"].check({"folds": 11})


def test_the_limit_of_threads_is_gone_before_another_computation_begins():
    """Two that overlap, and end in the order in which they began, would leave the limit of the first one behind."""
    assert not is_undivided()
    with _classifying.side_by_side():
        assert is_undivided()
        assert {library["num_threads"] for library in threadpool_info()} == {1}
    assert not is_undivided()
