"""Clusters: those of three clear groups, their words, and what the silhouette says."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from workbench.analysis import clusters as module
from workbench.analysis.clusters import cluster_words, clusters
from workbench.core.rows import unit_rows


def groups(sizes=(5, 30, 12), dim=8, noise=0.05, seed=0):
    of = np.repeat(np.arange(len(sizes)), sizes)
    return np.eye(dim)[of] + noise * np.random.default_rng(seed).normal(size=(len(of), dim)), of


def test_clear_groups_are_the_clusters_the_largest_first():
    vectors, of = groups()
    table = clusters(vectors, count=3)
    assert table["cluster"].tolist() == [{0: 3, 1: 1, 2: 2}[group] for group in of]
    unit = unit_rows(vectors.astype(np.float32))
    for number in (1, 2, 3):
        mine = (table["cluster"] == number).to_numpy()
        centre = unit[mine].mean(axis=0)
        expected = unit[mine] @ centre / np.linalg.norm(centre)
        assert table["cosine"][mine].to_numpy() == pytest.approx(expected, abs=1e-6)
    assert table.attrs["silhouette"] == pytest.approx(silhouette_score(unit, table["cluster"]), abs=1e-5)
    assert table.attrs["silhouette"] > 0.7 and (table.attrs["n"], table.attrs["count"]) == (47, 3)


def test_where_there_are_none_the_silhouette_says_so():
    noise = np.random.default_rng(1).normal(size=(300, 50))
    assert abs(clusters(noise).attrs["silhouette"]) < 0.1


def test_length_does_not_count_and_the_seed_decides():
    vectors, _ = groups(noise=0.6)
    table = clusters(vectors, count=4, seed=3)
    assert table.equals(clusters(vectors * np.arange(1, len(vectors) + 1)[:, None], count=4, seed=3))


def test_copies_have_no_more_clusters_than_there_are_different_ones():
    table = clusters(np.repeat(np.eye(3), 4, axis=0), count=6)
    assert table.attrs["count"] == 3 and table["cluster"].value_counts().tolist() == [4, 4, 4]
    late = clusters(np.vstack([np.repeat(np.eye(3)[:1], 1200, axis=0), np.eye(3)[1:]]), count=3)
    assert late.attrs["count"] == 3 and late["cluster"].value_counts().tolist() == [1200, 1, 1]
    alone = clusters(np.ones((5, 2)), count=2)
    assert alone["cluster"].tolist() == [1] * 5 and alone.attrs["silhouette"] is None


def test_many_rows_go_through_batches(monkeypatch):
    monkeypatch.setattr(module, "MANY_ROWS", 40)
    vectors, of = groups(sizes=(50, 40, 30))
    assert clusters(vectors, count=3)["cluster"].tolist() == (of + 1).tolist()


def test_words_by_hand():
    """Two texts a cluster; `dog` and `rain` are in all texts of theirs, `the` is as frequent in both."""
    texts = ["the dog runs", "the dog sleeps", "the rain falls", "the rain stops"]
    assert cluster_words(texts, np.array([1, 1, 2, 2]), words=1) == ["dog", "rain"]
    three = cluster_words(texts, np.array([1, 1, 2, 2]))
    assert all("the" not in words.split(", ") for words in three)
    frequent = ["the dog we've"] * 3 + ["the cat"] + ["the"] * 5
    assert cluster_words(frequent, np.array([1, 1, 1, 1, 2, 2, 2, 2, 2])) == ["dog, we've, cat", "the"]
    assert cluster_words(["1 2", "?"], np.array([1, 2])) == ["", ""]
    assert cluster_words(["собака бежит", "идёт дождь"], np.array([1, 2]), words=2) == ["бежит, собака", "дождь, идёт"]
