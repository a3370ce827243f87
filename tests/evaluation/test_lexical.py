from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from workbench.evaluation._lexical import Bm25, pair_baselines, tfidf_rows

DOCUMENTS = ["the cat sat on the mat", "a dog sat", "birds fly over the old town and the river", "!!!"]
WORDS = st.lists(st.sampled_from(["cat", "dog", "sat", "the", "bird", "none"]), min_size=1, max_size=6).map(" ".join)


def by_loops(query, document, documents, k1, b):
    """Robertson's formula, word by word."""
    split = [[word for word in text.split() if word.isalpha()] for text in documents]
    words, mean = split[documents.index(document)], sum(map(len, split)) / len(split)
    score = 0.0
    for word in query.split():
        having = sum(word in text for text in split)
        if word in words:
            rarity = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            often = words.count(word)
            score += rarity * often * (k1 + 1) / (often + k1 * (1 - b + b * len(words) / mean))
    return score


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)])
def test_bm25_is_its_formula(k1, b):
    queries = ["the cat", "dog sat sat", "unheard of", "the the river"]
    scores = Bm25(DOCUMENTS, k1=k1, b=b).scores(queries)
    wanted = [[by_loops(query, document, DOCUMENTS, k1, b) for document in DOCUMENTS] for query in queries]
    assert scores == pytest.approx(np.array(wanted))


@given(WORDS, WORDS)
def test_bm25_is_never_negative_and_adds_up_over_words(first, second):
    ranker = Bm25(DOCUMENTS, k1=1.2, b=0.75)
    one, two, both = ranker.scores([first, second, f"{first} {second}"])
    assert (one >= 0).all() and both == pytest.approx(one + two)


def test_a_longer_document_counts_less_only_with_b():
    documents = ["cat", "cat and many further words besides it"]
    flat, discounted = (Bm25(documents, k1=1.2, b=b).scores(["cat"])[0] for b in (0.0, 0.75))
    assert flat[0] == flat[1] and discounted[0] > discounted[1]


def test_tfidf_is_scikit_learns():
    [rows] = tfidf_rows(DOCUMENTS[:3], ["the cat", "dog"])
    wanted = TfidfVectorizer().fit(DOCUMENTS[:3]).transform(["the cat", "dog"])
    # scikit-learn's own word pattern leaves out "a", which changes the length of no row here but that of "a dog sat".
    assert rows.sum() == pytest.approx(wanted.sum())
    assert tfidf_rows(["a dog", "a cat"], ["a"])[0].sum() == pytest.approx(1)


def test_texts_without_words_score_zero():
    assert Bm25(["!!!", "?"], k1=1.2, b=0.75).scores(["cat"]).tolist() == [[0.0, 0.0]]
    assert tfidf_rows(["!!!"], ["cat"])[0].toarray().tolist() == [[0.0]]


def test_pairs_score_the_same_in_either_order():
    first, second = ["the cat sat", "a dog"], ["the old cat slept well", "birds fly"]
    there, back = (pair_baselines(*sides, k1=1.2, b=0.75) for sides in ((first, second), (second, first)))
    for name in ("tfidf", "bm25"):
        assert there[name] == pytest.approx(back[name]) and there[name][0] > there[name][1] == 0


def test_a_pair_that_is_repeated_changes_no_score():
    first, second = ["the cat sat", "a dog"], ["the old cat", "a dog sat"]
    once, twice = (pair_baselines(first * times, second * times, k1=1.2, b=0.75) for times in (1, 2))
    for name in ("tfidf", "bm25"):
        assert twice[name] == pytest.approx(np.tile(once[name], 2))
