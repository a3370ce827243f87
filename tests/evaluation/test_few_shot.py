import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from workbench.core.errors import BadData
from workbench.evaluation._labelled import LabelledTexts, classes_of
from workbench.evaluation._lexical import Bm25, tfidf_rows
from workbench.evaluation.few_shot import (
    METHOD,
    NEIGHBOURS,
    REGRESSION,
    _examples,
    _greatest,
    _regression,
    _with_features,
    few_shot,
    halves,
    voted,
)


def task(size=120, names=("a", "b"), groups=None, tested=None):
    classes = np.arange(size) % len(names)
    rows = [f"{names[label]} {row}" for row, label in enumerate(classes)]
    return LabelledTexts("t", rows, classes, names, groups or [""] * size, tested)


def apart(texts):
    """Classes apart, with noise that is the same for a text whatever others there are."""
    letters = np.array([[float(text[0] == letter) for letter in "abc"] for text in texts])
    return letters + noise([f"{text} apart" for text in texts])[:, :3] / 9


def noise(texts):
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=8) for text in texts])


def test_classes_apart_are_learned_from_8_examples_and_sizes_that_do_not_fit_are_left_out():
    table = few_shot(apart, [task()], draws=3)
    assert table[["examples", "classifier"]].to_numpy().tolist() == [[8, REGRESSION], [8, NEIGHBOURS]]
    assert (table["accuracy"] == 1).all() and (table["n"] == 60).all() and (table["majority"] == 0.5).all()
    assert few_shot(apart, [task(size=600)], draws=2)["examples"].tolist() == [128, 128, 32, 32, 8, 8]


def test_of_an_odd_number_one_more_is_to_learn_from_and_8_of_each_class_are_enough():
    """15 of each class: 8 to learn from, 7 to test."""
    table = few_shot(apart, [task(size=30)], draws=2)
    assert table["examples"].tolist() == [8, 8] and table["n"].tolist() == [14, 14]


def test_the_majority_is_that_of_the_tested_texts():
    tested = np.arange(80) >= 40
    tested[40::4] = False
    row = few_shot(apart, [task(size=80, tested=tested)], draws=2).iloc[0]
    assert row["n"] == 30 and row["majority"] == pytest.approx(20 / 30)


def test_no_more_texts_are_tested_than_the_limit(monkeypatch):
    monkeypatch.setattr("workbench.evaluation.few_shot.MOST_TESTED", 10)
    pool, tested = halves(task(size=100))
    assert len(pool) == 50 and len(tested) == len(set(tested)) == 10 and not set(pool) & set(tested)


def test_only_texts_that_are_drawn_or_tested_are_encoded():
    own, asked = task(size=5_000, tested=np.arange(5_000) >= 4_500), []

    def encode(texts):
        asked.append(texts)
        return apart(texts)

    table = few_shot(encode, [own], draws=2)
    [needed] = asked
    assert set(needed) == set(METHOD.texts(own, {"draws": 2})) and table["n"].eq(500).all()
    assert set(own.rows[4_500:]) < set(needed) and 500 + 256 <= len(needed) <= 500 + 2 * 256
    assert METHOD.texts(own, {"draws": 2}) != METHOD.texts(own, {"draws": 3})


def test_words_are_those_of_rows_not_tested_and_bm25_has_its_settings(monkeypatch):
    fitted, settings = [], []

    def rows(fitted_on, *sides):
        fitted.append(fitted_on)
        return tfidf_rows(fitted_on, *sides)

    def ranker(texts, **given):
        settings.append(given)
        return Bm25(texts, **given)

    monkeypatch.setattr("workbench.evaluation.few_shot.tfidf_rows", rows)
    monkeypatch.setattr("workbench.evaluation.few_shot.Bm25", ranker)
    own = task(size=40)
    few_shot(apart, [own], draws=2, k1=0.5, b=0.25)
    assert fitted == [[own.rows[row] for row in halves(own)[0]]]
    assert settings == [{"k1": 0.5, "b": 0.25}] * 2


def test_noise_is_at_chance_and_words_are_not():
    table = few_shot(noise, [task(size=400)], draws=4)
    assert (table["low"] < 0.5).all() and (table["high"] > 0.5).all()
    assert (table["low"] > 0).all() and (table["high"] < 1).all()
    assert (table["tfidf"] > 0.95).all() and (table["bm25"] > 0.9).all(), "the first word is the label"


def test_an_interval_over_two_draws_stays_within_0_and_1():
    """Student's t with a single degree of freedom reaches far beyond."""
    blurred, lost = (
        few_shot(lambda texts, by=by: apart(texts) + by * noise(texts)[:, :3], [task()], draws=2) for by in (0.25, 2)
    )
    assert blurred["accuracy"].nunique() > 1 and lost["accuracy"].nunique() > 1
    assert list(blurred["high"]) == [1, 1] and blurred["low"].min() > 0
    assert lost["low"].min() == 0 < lost["low"].max() and lost["high"].min() < 1 == lost["high"].max()


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


@given(data=st.data())
def test_the_nearest_are_those_of_a_whole_stable_sort(data):
    """Few different values, so that most rows have equal scores at the end."""
    columns = data.draw(st.integers(1, 12))
    scores = data.draw(arrays(np.float64, (5, columns), elements=st.integers(0, 3).map(float)))
    count = data.draw(st.integers(1, columns))
    assert _greatest(scores, count).tolist() == np.argsort(-scores, axis=1, kind="stable")[:, :count].tolist()


def test_words_of_no_example_do_not_change_what_is_predicted():
    own = task(size=200)
    words = tfidf_rows(own.rows, own.rows)[0]
    less, tested = _with_features(words[:20], words[20:])
    assert less.shape[1] == tested.shape[1] < words.shape[1]
    assert (_regression(less, tested, own.classes[:20]) == _regression(words[:20], words[20:], own.classes[:20])).all()


def test_draws_of_large_tasks_are_fitted_one_by_one_with_the_same_result(monkeypatch):
    own = task(size=600)
    at_once = few_shot(apart, [own], draws=3)
    monkeypatch.setattr("workbench.evaluation.few_shot.FIT_BYTES", 1)
    assert few_shot(apart, [own], draws=3).equals(at_once)


def test_progress_is_said_before_each_draw():
    said = []
    few_shot(
        apart, [task(size=600), task(size=60)], draws=3, on_progress=lambda share, note: said.append((share, note))
    )
    shares = [share for share, _ in said]
    assert shares == sorted(shares) and len(said) == (3 + 1) * 5 * 3, "sizes, predictions, draws"
    assert (
        shares[0] >= 0
        and 0.9 < shares[-1] <= 1
        and {note for _, note in said} == {f"t: {size} examples a class" for size in (128, 32, 8)}
    )


def test_fewer_examples_than_neighbours_all_vote():
    scores, classes = np.array([[0.9, 0.8, 0.1]]), np.array([0, 1, 1])
    assert voted(scores, classes, 25).tolist() == voted(scores, classes, 3).tolist() == [1]


def test_the_baselines_of_a_group_are_of_its_own_texts():
    groups = ["told" if row % 4 < 2 else "not told" for row in range(200)]
    own = task(size=200, groups=groups)
    rows = [text if groups[row] == "told" else f"{row} {row}" for row, text in enumerate(own.rows)]
    own = LabelledTexts("t", rows, own.classes, own.names, groups, None)
    table = few_shot(noise, [own], draws=3)
    told, other = (table[table["group"] == name].iloc[0] for name in ("told", "not told"))
    assert told["tfidf"] > 0.95 and told["bm25"] > 0.9 and other["tfidf"] < 0.8 > other["bm25"]


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
    with pytest.raises(BadData, match="0 examples to learn from"):
        few_shot(apart, [task(size=60, tested=np.arange(60) % 2 == 1)])


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
        with pytest.raises(BadData, match="does not distinguish training rows"):
            METHOD.read(path)
    write("", "")
    assert METHOD.read(path).sets[0].tested is None
    path.write_text("".join(f"{split}\t{n % 2}\ttext {n}\n" for split in ("tr", "va", "te") for n in range(4)))
    assert METHOD.read(path).sets[0].tested.tolist() == [False] * 8 + [True] * 4, "as SentEval's probing tasks"
    rows = [(split, n) for split in ("train", "dev", "test") for n in range(4)]
    lines = [
        f'{{"locale": "en-US", "partition": "{one}", "intent": "i{n % 2}", "utt": "wake me {n}", "annot_utt": "x y"}}'
        for one, n in rows
    ]  # MASSIVE
    (tmp_path / "en-US.jsonl").write_text("\n".join(lines))
    [massive] = METHOD.read(tmp_path / "en-US.jsonl").sets
    assert massive.tested.tolist() == [False] * 8 + [True] * 4 and massive.rows[0] == "wake me 0"


@pytest.mark.parametrize("labels", [1, 501])
def test_one_label_or_hundreds_are_no_classes(labels):
    with pytest.raises(BadData, match=r"Column topic does not hold classes.*2 to 500"):
        classes_of([f"label {row % labels}" for row in range(600)], "topic")
    assert len(classes_of([f"label {row % 500}" for row in range(600)], "topic")[1]) == 500


def test_of_a_published_task_its_test_split_is_tested(tmp_path):
    for split, labels in (("train", "001"), ("test", "10"), ("dev", "01")):
        rows = [f"{label}\t{split} {row}" for row, label in enumerate(labels)]
        (tmp_path / f"sst2-{split}.tsv").write_text("\n".join(["label\tsentence", *rows]))
    [read] = METHOD.read(tmp_path).sets
    assert [text for text, there in zip(read.rows, read.tested, strict=True) if there] == ["test 0", "test 1"]
    pairs = read.as_pairs()
    assert pairs.first == pairs.second == ["test 0", "test 1"] and pairs.gold.tolist() == [1, 0]


def test_a_single_group_is_not_listed():
    assert set(few_shot(apart, [task(groups=["x"] * 120)], draws=2)["group"]) == {""}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_tables_called_train_and_test_in_a_folder_are_one_task(tmp_path, form):
    folder = tmp_path / "banking77"
    folder.mkdir()
    for split, rows in (("train", 6), ("test", 4)):
        facts = [(f"{split} {n}", ("lost_card", "top_up", "refund")[n % 3]) for n in range(rows)]
        if form == "csv":
            text = "text,category\n" + "".join(f"{one},{two}\n" for one, two in facts)
        else:
            text = "".join(f'{{"text": "{one}", "label": "{two}"}}\n' for one, two in facts)
        (folder / f"{split}.{form}").write_text(text)
    [read] = METHOD.read(folder).sets
    assert read.task == "banking77" and read.names == ("lost_card", "refund", "top_up")
    assert read.tested.tolist() == [False] * 6 + [True] * 4 and read.rows[6] == "test 0"
    (folder / f"test.{form}").rename(folder / f"dev.{form}")
    [read] = METHOD.read(folder).sets
    assert read.tested.sum() == 4 and "banking77: there is no test split; the dev split is tested." in read.notices
    (folder / f"dev.{form}").unlink()
    with pytest.raises(BadData, match="holds no labelled text task"):
        METHOD.read(folder)


def test_texts_behind_labels_and_a_table_called_as_a_published_task(tmp_path):
    path = tmp_path / "trec.train"
    path.write_text("".join(f"__label__{'ab'[n % 2]} text {n}\n" for n in range(20)))
    read = METHOD.read(path)
    assert [one.task for one in read.sets] == ["trec.train"] and not read.absent
    assert read.sets[0].names == ("a", "b") and read.sets[0].rows[3] == "text 3"
    path.write_text("".join(f"__label__{'ab'[n % 2]} __label__c text {n}\n" for n in range(20)))
    with pytest.raises(BadData, match="column label hold lists"):
        METHOD.read(path)


def test_a_folder_for_each_label_is_halved(tmp_path):
    for n in range(60):
        (tmp_path / "ab"[n % 2]).mkdir(exist_ok=True)
        (tmp_path / "ab"[n % 2] / f"{n}.txt").write_text(f"text {n}")
    [read] = METHOD.read(tmp_path).sets
    assert read.tested is None and few_shot(apart_by(read), [read], draws=2)["n"].tolist() == [30] * 2


def apart_by(labelled):
    """Vectors that are the classes."""
    class_of = dict(zip(labelled.rows, labelled.classes, strict=True))
    return lambda texts: np.eye(2)[[class_of[text] for text in texts]]
