import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

from workbench.core.errors import BadData
from workbench.data.pair_sets import PairSet
from workbench.evaluation._ranking import Searched, ndcg, ranks, recall, reciprocal
from workbench.evaluation.retrieval import retrieval, searched


def pair_set(rows):
    gold, first, second = zip(*rows, strict=True)
    return PairSet("t", "stsb", "test", (0.0, 5.0), [""] * len(rows), [*first], [*second], np.array(gold, float), [])


def hot(texts, same=lambda text: text[0]):
    """Texts that begin alike have the same vector."""
    return np.array([[float(same(text) == letter) for letter in "abcdefg"] for text in texts])


PAIRS = pair_set([(5, "a one", "a two"), (4, "b one", "b two"), (3, "c one", "c two"), (5, "d same", "d same")])


def test_perfect_pairs_have_an_mrr_of_1():
    row = retrieval(hot, [PAIRS]).iloc[0]
    assert row["mrr"] == row["recall_1"] == row["low"] == 1 and row["n"] == 2, "3 is too low, and d is a duplicate"
    assert row["documents"] == 7


def test_copies_of_a_query_are_not_found():
    task = searched(pair_set([(5, "a", "a b"), (0, "x", "a")]), 0.8)
    assert task.documents[task.left_out[0][0]] == "a" == task.queries[0]
    identity = np.eye(len(task.documents))
    row_of = {text: row for row, text in enumerate(task.documents)}
    table = retrieval(
        lambda texts: identity[[row_of[text] for text in texts]], [pair_set([(5, "a", "a b"), (0, "x", "a")])]
    )
    # Both others are at cosine 0 and share ranks 1 and 2, whereas the query itself would have been first.
    assert table["mrr"].item() == pytest.approx(1 / 1.5)


def test_a_constant_encoder_is_in_the_middle():
    row = retrieval(lambda texts: np.ones((len(texts), 3)), [PAIRS]).iloc[0]
    assert row["mrr"] == pytest.approx(1 / ((1 + 6) / 2)) and row["recall_1"] == 0


def test_several_partners_of_one_query():
    task = searched(pair_set([(5, "a", "a 1"), (4.5, "a", "a 2"), (5, "a", "a 1")]), 0.8)
    assert task.queries == ["a"] and [task.documents[row] for row in task.relevant[0]] == ["a 1", "a 2"]


def test_the_threshold_is_4_on_sick_as_well():
    pairs = PairSet(**{**vars(PAIRS), "scale": (1.0, 5.0)})
    assert searched(pairs, 0.8).queries == ["a one", "b one"]
    with pytest.raises(BadData, match="so high a score"):
        searched(pair_set([(3, "a", "b"), (1, "c", "d")]), 0.8)


def test_the_share_of_the_scale_is_asked_for():
    """.55 of a scale to 100 is 55, which floating point makes a little more."""
    pairs = PairSet(**{**vars(pair_set([(55, "a one", "a two"), (54, "b one", "b two")])), "scale": (0.0, 100.0)})
    assert 0.55 * 100 > 55 and searched(pairs, 0.55).queries == ["a one"]
    row = retrieval(hot, [PAIRS], alike=0.6).iloc[0]
    assert row["n"] == 3, "3 of 5 is enough"


def test_the_settings_of_bm25_act():
    """Of two documents with the word, the partner is the longer one; without `b` they share ranks 1 and 2."""
    pairs = pair_set([(5, "a", "a and many further words"), (0, "x", "a y")])
    flat, usual = (retrieval(lambda texts: np.eye(len(texts)), [pairs], b=b)["bm25"].item() for b in (0.0, 0.75))
    assert flat == pytest.approx(1 / 1.5) and usual == 0.5


def test_what_was_noticed_of_a_pair_set_is_told():
    assert searched(PairSet(**{**vars(PAIRS), "notices": ["A row was left out."]}), 0.8).notices == [
        "A row was left out."
    ]


SCORES = st.lists(st.integers(0, 1000), min_size=4, max_size=12, unique=True)


@settings(max_examples=50)
@given(SCORES, st.data())
def test_ndcg_and_reciprocal_rank_are_scikit_learns(scores, data):
    gains = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(scores), max_size=len(scores))), float)
    if not gains.any():
        gains[0] = 1
    rows = np.flatnonzero(gains)
    task = Searched("t", ["q"], [""] * len(scores), [rows.tolist()], [gains[rows].tolist()], [[]], [""])
    values = np.array([scores], float)
    [ranked] = ranks(lambda at: values[at], task)
    assert ndcg(ranked, gains[rows], 5) == pytest.approx(ndcg_score([gains], values, k=5))
    one = np.zeros_like(gains)
    one[rows[0]] = 1
    wanted = label_ranking_average_precision_score([one], values)  # 1 / rank where one document is relevant
    assert reciprocal(ranked[:1]) == pytest.approx(wanted)
    assert recall(ranked, 3) == pytest.approx(np.isin(np.argsort(-values[0])[:3], rows).sum() / len(rows))


def test_ranks_do_not_depend_on_the_blocks(monkeypatch):
    from workbench.evaluation import _ranking

    rng = np.random.default_rng(0)
    values = rng.normal(size=(9, 20))
    task = Searched(
        "t", ["q"] * 9, [""] * 20, [[row, row + 3] for row in range(9)], [[1.0, 1.0]] * 9, [[19]] * 9, [""] * 9
    )
    whole = ranks(lambda at: values[at], task)
    monkeypatch.setattr(_ranking, "_CELLS", 40)
    assert all(map(np.array_equal, whole, ranks(lambda at: values[at], task)))
    assert np.isfinite(values).all(), "the caller's scores are not written into"
