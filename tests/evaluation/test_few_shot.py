import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from workbench.core.errors import BadData
from workbench.evaluation._labelled import LabelledTexts
from workbench.evaluation.few_shot import METHOD, NEIGHBOURS, REGRESSION, _examples, few_shot, halves, voted


def task(size=120, names=("a", "b"), groups=None, tested=None):
    classes = np.arange(size) % len(names)
    rows = [f"{names[label]} {row}" for row, label in enumerate(classes)]
    return LabelledTexts("t", rows, classes, names, groups or [""] * size, tested)


def apart(texts):
    """Classes apart, with noise."""
    rng = np.random.default_rng(0)
    return (
        np.array([[float(text[0] == letter) for letter in "abc"] for text in texts])
        + rng.normal(size=(len(texts), 3)) / 9
    )


def noise(texts):
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=8) for text in texts])


def test_classes_apart_are_learned_from_8_examples_and_sizes_that_do_not_fit_are_left_out():
    table = few_shot(apart, [task()], draws=3)
    assert table[["examples", "classifier"]].to_numpy().tolist() == [[8, REGRESSION], [8, NEIGHBOURS]]
    assert (table["accuracy"] == 1).all() and (table["n"] == 60).all() and (table["majority"] == 0.5).all()
    assert few_shot(apart, [task(size=600)], draws=2)["examples"].tolist() == [128, 128, 32, 32, 8, 8]


def test_noise_is_at_chance_and_words_are_not():
    table = few_shot(noise, [task(size=400)], draws=4)
    assert (table["low"] < 0.5).all() and (table["high"] > 0.5).all()
    assert (table["low"] > 0).all() and (table["high"] < 1).all()
    assert (table["tfidf"] > 0.95).all() and (table["bm25"] > 0.9).all(), "the first word is the label"


def test_an_interval_over_two_draws_stays_within_0_and_1():
    """Student's t with a single degree of freedom reaches far beyond."""
    blurred = few_shot(lambda texts: apart(texts) + noise(texts)[:, :3], [task()], draws=2)
    assert blurred["accuracy"].nunique() > 1
    assert list(blurred["high"]) == [1, 1] and blurred["low"].min() == 0 < blurred["low"].max()


def test_accuracy_by_hand():
    """Both classifiers of scikit-learn, on the same examples."""
    own = task(size=100)
    vectors = noise(own.rows) + np.outer(own.classes, np.ones(8)) * 0.5
    row_of = {text: row for row, text in enumerate(own.rows)}
    table = few_shot(lambda texts: vectors[[row_of[text] for text in texts]], [own], draws=3, neighbours=3)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pool, tested = halves(own)
    for classifier, model in (
        (REGRESSION, LogisticRegression(C=10.0, max_iter=1000)),
        (NEIGHBOURS, KNeighborsClassifier(3)),
    ):
        right = []
        for draw in range(3):
            rows = _examples(own.classes, pool, 8, draw)
            assert np.bincount(own.classes[rows]).tolist() == [8, 8] and set(rows) <= set(pool)
            right.append(model.fit(unit[rows], own.classes[rows]).score(unit[tested], own.classes[tested]))
        row = table[(table["examples"] == 8) & (table["classifier"] == classifier)].iloc[0]
        assert row["accuracy"] == pytest.approx(np.mean(right))


def test_no_text_is_learned_and_tested():
    own = task(size=100)
    doubled = LabelledTexts("t", own.rows * 2, np.tile(own.classes, 2), own.names, own.groups * 2, None)
    pool, tested = halves(doubled)
    assert not {doubled.rows[row] for row in pool} & {doubled.rows[row] for row in tested}
    marked = task(size=100, tested=np.arange(100) >= 60)
    assert halves(marked)[0].tolist() == list(range(60))


def test_a_larger_draw_holds_the_smaller_one():
    classes = np.arange(200) % 2
    small, large = (_examples(classes, np.arange(200), size, 0) for size in (8, 32))
    assert set(small) < set(large)


def test_a_tie_of_votes_goes_to_the_nearer_example():
    scores, classes = np.array([[0.9, 0.8, 0.7, 0.1]]), np.array([1, 0, 2, 2])
    assert voted(scores, classes, 3).tolist() == [1] and voted(scores, classes, 4).tolist() == [2]


def test_groups_are_listed_worst_first_for_the_headline_row():
    groups = ["bad" if row % 4 < 2 else "good" for row in range(400)]

    def encode(texts):
        bad = [groups[int(text.split()[1])] == "bad" for text in texts]
        return np.where(np.array(bad)[:, None], noise(texts)[:, :3], apart(texts))

    table = few_shot(encode, [task(size=400, groups=groups)], draws=3)
    found = table[table["group"] != ""]
    assert found["group"].tolist() == ["bad", "good"] and set(found["classifier"]) == {REGRESSION}
    assert found["accuracy"].iloc[0] < found["accuracy"].iloc[1] and table["group"].iloc[0] == ""


def test_a_class_with_too_few_examples():
    with pytest.raises(BadData, match="5 examples to learn from"):
        few_shot(apart, [task(size=20)])
    classes = np.repeat([0, 1], [100, 10])
    rare = LabelledTexts(
        "t", [f"{'ab'[kind]} {row}" for row, kind in enumerate(classes)], classes, ("a", "b"), [""] * 110, None
    )
    with pytest.raises(BadData, match="5 examples to learn from"):
        few_shot(apart, [rare])


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_of_ones_own_in_every_form(tmp_path, form):
    import pandas

    rows = pandas.DataFrame(
        {
            "Review": [f"text, {row}" for row in range(40)],
            "stars": [row % 2 + 1 for row in range(40)],
            "shop": ["x"] * 40,
        }
    )
    path = tmp_path / f"own.{form}"
    if form == "parquet":
        rows.to_parquet(path)
    elif form == "jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        rows.to_csv(path, index=False, sep="," if form == "csv" else "\t")
    [read] = METHOD.read(f"{path}#text=Review,label=stars,group=shop").sets
    assert read.rows[1] == "text, 1" and read.names == ("1", "2") and read.groups == ["x"] * 40
    with pytest.raises(BadData, match="which column is text and label"):
        METHOD.read(path)


def test_the_rows_to_test_on_are_those_called_test(tmp_path):
    path = tmp_path / "own.tsv"

    def write(*splits):
        rows = [f"text {row}\t{'ab'[row % 2]}\t{split}" for row, split in enumerate(splits)]
        path.write_text("\n".join(["text\tlabel\tsplit", *rows]))

    write("train", "Test", "dev", "test")
    assert METHOD.read(path).sets[0].tested.tolist() == [False, True, False, True]
    for splits in (("train", "dev"), ("test", "test")):
        write(*splits)
        with pytest.raises(BadData, match="does not tell training rows"):
            METHOD.read(path)
    write("", "")
    assert METHOD.read(path).sets[0].tested is None
