import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.augmentations import static_vectors
from workbench.core.errors import BadData, MissingResource
from workbench.targets import baselines
from workbench.targets.baselines import BASELINES, glove, tfidf, words_of

TEXTS = ["A dog runs.", "The dog sleeps!", "the cat; the cat", "100 dogs run"]


def cosine(a, b):
    norm = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norm) if norm else 0.0


class TestTfidf:
    def test_the_formula_by_hand(self):
        documents = [words_of(text) for text in TEXTS]
        assert documents[0] == ["a", "dog", "runs"]
        within = Counter(word for words in documents for word in set(words))

        def weights(words):
            return {w: n * (math.log((1 + 4) / (1 + within[w])) + 1) for w, n in Counter(words).items()}

        vectors = tfidf(TEXTS)(TEXTS)
        for row, one in enumerate(documents):
            for column, other in enumerate(documents):
                a, b = weights(one), weights(other)
                dot = sum(a[word] * b.get(word, 0) for word in a)
                norms = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
                assert cosine(vectors[row], vectors[column]) == pytest.approx(dot / norms, abs=1e-6)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)

    def test_unknown_words_are_skipped_and_a_text_of_them_is_zero(self):
        vectors = tfidf(TEXTS)(["a dog zzz", "a dog", "zzz", "", "?!"])
        assert (vectors[0] == vectors[1]).all() and not vectors[2:].any() and vectors.dtype == np.float32

    def test_scripts_without_spaces_are_split_into_characters(self):
        vectors = tfidf(["一只狗在跑", "一只猫在睡"])(["一只狗在跑", "一只猫在睡"])
        assert 0.2 < cosine(*vectors) < 0.9

    def test_the_most_frequent_words_stay(self, monkeypatch):
        texts = [f"common word{number}" for number in range(150)]
        assert tfidf(texts, words=100)(texts).shape == (150, 100)
        assert tfidf(texts, words=100)(["common"]).any()
        monkeypatch.setattr(baselines, "MOST_VALUES", 1500)
        assert tfidf(texts)(texts).shape == (150, 10)

    def test_texts_without_words_are_refused(self):
        with pytest.raises(BadData, match="texts with words"):
            tfidf(["?!", "..."])


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    rows = {"dog": (1, 0, 3), "cat": (0, 2, 1), ".": (0, 0, 6), "n't": (1, 1, 1), "do": (3, 1, 1), "blue": (1, 0, 0)}
    rows |= {"well-known": (9, 9, 9), "1,000": (4, 4, 4), "'s": (0, 0, 1)}
    path.write_text("\n".join(f"{word} {' '.join(map(str, row))}" for word, row in rows.items()) + "\n")
    return str(path)


class TestGlove:
    def test_the_mean_by_hand(self, vectors):
        encode = glove(vectors=vectors)
        found = encode(["Dog CAT unknown.", "unknown", "", "don’t", "the dog's", "blue-dog", "well-known 1,000"])
        assert found.dtype == np.float32
        assert found[0] == pytest.approx([0.5, 1, 2])  # lengths of word vectors matter, signs do not
        assert not found[1:3].any()
        assert found[3] == pytest.approx([2, 1, 1])
        assert found[4] == pytest.approx([0.5, 0, 2])
        assert found[5] == pytest.approx([1, 0, 1.5])
        assert found[6] == pytest.approx([6.5, 6.5, 6.5])

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.text(), min_size=1, max_size=4))
    def test_any_text_has_a_finite_vector(self, vectors, texts):
        for encode in (glove(vectors=vectors), tfidf(["a b", "b c"])):
            assert encode(texts).shape[0] == len(texts) and np.isfinite(encode(texts)).all()

    def test_missing_vectors_are_reported(self, monkeypatch, tmp_path):
        monkeypatch.setattr(static_vectors, "PACKAGE", "no_such_package")
        assert "pip install" in BASELINES["glove"].absent
        with pytest.raises(MissingResource, match="pip install"):
            glove()
        with pytest.raises(BadData, match="no file of word vectors"):
            glove(vectors=str(tmp_path / "none.txt"))

    def test_input_embeddings_of_a_backbone_can_be_used(self):
        found = glove(vectors="backbone:minilm-l3")(["A dog runs.", "zzzqqq"])
        assert found.shape == (2, 384) and found[0].any() and not found[1].any()


def test_baselines_have_title_source_and_docstring():
    for name, method in BASELINES.items():
        assert method.id == name and method.title and method.source and method.summary
        for setting in method.settings.values():
            assert setting.check(setting.default) == setting.default and setting.knob.help.endswith(".")
