import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from workbench.core.errors import BadData
from workbench.evaluation._labelled import LabelledPairs, same_of
from workbench.evaluation.paraphrase import METHOD, best_threshold, paraphrase


def encode(texts):
    """The cosine of a text `0.3 ...` with the text `x` is 0.3."""
    cosines = [1.0 if text == "x" else float(text.split()[0]) for text in texts]
    return np.array([[c, np.sqrt(1 - c * c)] for c in cosines])


def task(rows, chosen, groups=None):
    return LabelledPairs(
        "t",
        ["x"] * len(rows),
        [f"{cosine} {row}" for row, (cosine, _) in enumerate(rows)],
        np.array([same for _, same in rows]),
        groups or [""] * len(rows),
        chosen,
    )


def test_by_hand():
    chosen = [(0.9, True), (0.5, True), (0.4, False), (0.1, False)]  # best between .5 and .4
    tested = [(0.8, True), (0.6, False), (0.5, True), (0.3, True), (0.2, False)]
    row = paraphrase(encode, [task(chosen + tested, 4)]).iloc[0]
    assert row["threshold"] == pytest.approx(0.45) and row["n"] == 5
    assert row["accuracy"] == pytest.approx(3 / 5), ".6 is taken for the same, .3 is not"
    assert row["ap"] == pytest.approx((1 / 1 + 2 / 3 + 3 / 4) / 3)
    wanted = average_precision_score([same for _, same in tested], [cosine for cosine, _ in tested])
    assert row["ap"] == pytest.approx(wanted) and row["positives"] == pytest.approx(0.6)
    assert row["low"] <= row["ap"] <= row["high"] and row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]


def test_groups_are_listed_worst_first():
    rows = [(0.9, True), (0.1, False)] + [(0.9, True), (0.1, False), (0.2, True), (0.8, False)] * 3
    groups = ["", ""] + ["good", "good", "bad", "bad"] * 3
    table = paraphrase(encode, [task(rows, 2, groups)])
    assert table["group"].tolist() == ["", "bad", "good"] and table["ap"].iloc[2] == 1 > table["ap"].iloc[1]


@given(st.lists(st.tuples(st.floats(-1, 1), st.booleans()), min_size=2, max_size=25))
def test_no_threshold_is_better(rows):
    cosines = np.round(np.array([cosine for cosine, _ in rows]), 3)
    same = np.array([label for _, label in rows])
    threshold = best_threshold(cosines, same)
    right = ((cosines > threshold) == same).sum()
    tried = np.concatenate([[-2.0], cosines - 5e-4, cosines + 5e-4])
    assert right == max(((cosines > other) == same).sum() for other in tried)


def test_the_threshold_is_as_good_as_sentence_transformers():
    from sentence_transformers.sentence_transformer.evaluation import BinaryClassificationEvaluator

    rng = np.random.default_rng(0)
    same = rng.random(200) < 0.5
    cosines = rng.normal(size=200) * 0.3 + same * 0.3
    theirs, _ = BinaryClassificationEvaluator.find_best_acc_and_threshold(cosines, same, True)
    assert ((cosines > best_threshold(cosines, same)) == same).mean() == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("cells", "same"),
    [
        (["0", "1"], [False, True]),
        (["2", "3"], [False, True]),
        (["1", "2", "2"], [False, True, True]),
        (["10", "9"], [True, False]),
        (["1.0", "0.0"], [True, False]),
        (["Paraphrase", "other"], [True, False]),
        (["false", "TRUE"], [False, True]),
        (["not_entailment", "entailment"], [False, True]),
    ],
)
def test_labels(cells, same):
    assert same_of(cells, "label").tolist() == same


@pytest.mark.parametrize("cells", [["a", "b"], ["0", "1", "2"], ["1", "1"], ["yes", "same"]])
def test_other_labels_are_refused(cells):
    with pytest.raises(BadData, match="does not distinguish"):
        same_of(cells, "label")


def test_a_table_of_ones_own(tmp_path):
    path = tmp_path / "tickets.csv"
    lines = ["a,b,dup,team", *(f"text {row},text {row % 3},{row % 2},{'xy'[row % 4 // 2]}" for row in range(20))]
    path.write_text("\n".join(lines))
    [pairs] = METHOD.read(f"{path}#sentence1=a,sentence2=b,label=dup,group=team").sets
    assert pairs.task == "tickets" and pairs.chosen == 10 and pairs.same.sum() == 10 and set(pairs.groups) == {"x", "y"}
    assert any("first 10 pairs" in notice for notice in pairs.notices)
    assert METHOD.read(f"{path}#sentence1=a,sentence2=b,label=dup").absent == []


@pytest.mark.parametrize("early", ["train", "dev", "validation"])
def test_the_rows_of_a_split(tmp_path, early):
    path = tmp_path / "own.tsv"
    rows = [f"{split}\tt {row}\tu {row}\t{row % 2}\t{split}" for row in range(4) for split in ("test", early, "unused")]
    path.write_text("\n".join(["split\tsentence1\tsentence2\tlabel\tgroup", *rows]))
    [pairs] = METHOD.read(path).sets
    assert pairs.chosen == 4 and len(pairs) == 8 and pairs.groups == [early] * 4 + ["test"] * 4
    assert "own.tsv: 4 rows of other splits (unused) are left out." in pairs.notices
    tested = pairs.as_pairs()
    assert tested.first == ["t 0", "t 1", "t 2", "t 3"] and tested.gold.tolist() == [0, 1, 0, 1]
    for labels in ("1100", "1011"):
        rows = [f"a {row}\tb {row}\t{label}" for row, label in enumerate(labels)]
        path.write_text("\n".join(["sentence1\tsentence2\tlabel", *rows]))
        with pytest.raises(BadData, match="all have one label"):
            METHOD.read(path)


def test_in_a_published_task_1_is_a_paraphrase_and_the_threshold_is_chosen_on_train(tmp_path):
    for split, labels in (("train", "011"), ("test", "10")):
        rows = [f"{label}\t{split} {row}\tother {row}" for row, label in enumerate(labels)]
        (tmp_path / f"mrpc-{split}.tsv").write_text("\n".join(["label\tsentence1\tsentence2", *rows]))
    [pairs] = METHOD.read(tmp_path).sets
    assert pairs.task == "mrpc" and pairs.chosen == 3 and pairs.same.tolist() == [False, True, True, True, False]
    assert pairs.first == ["train 0", "train 1", "train 2", "test 0", "test 1"]
    assert pairs.second == ["other 0", "other 1", "other 2", "other 0", "other 1"]


def test_in_a_published_task_labels_that_are_words_say_which_pairs_are_the_same(tmp_path):
    for split in ("train", "test"):
        rows = [f"{label}\t{split} {row}\tother" for row, label in enumerate(["not_equivalent", "equivalent"] * 2)]
        (tmp_path / f"mrpc-{split}.tsv").write_text("\n".join(["label\tsentence1\tsentence2", *rows]))
    [pairs] = METHOD.read(tmp_path).sets
    assert pairs.same.tolist() == [False, True] * 4
