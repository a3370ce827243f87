"""Augmented texts in the space of an encoder."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    words = ["dog", "cat", "rain", "bridge", "storm", "pond", "coat", "boy"]
    path.write_text("".join(f"the {words[row % 8]} and the {words[row // 8]} met here {row}\n" for row in range(60)))
    return str(path)


def test_originals_and_changed_texts_are_placed_and_guessed(models, tiny, corpus):
    given = {"corpus": corpus, "target": str(tiny / "bert"), "n": 40, "pipelines": ["eda_swap", "eda_delete(rate=0.4)"]}
    answer = answered(models, "augmentation_space", **given)
    points, about = answer.points, answer.about
    originals = points[points["augmentation"] == "original"]
    assert len(originals) == about["n"] == 40 and about["texts"] == 60
    text_of = dict(zip(originals["row"], originals["text"], strict=True))
    changed = points[points["augmentation"] != "original"]
    assert all(text_of[row] != text for row, text in zip(changed["row"], changed["text"], strict=True))
    assert list(answer.guessed["n"]) == [
        int((changed["augmentation"] == line).sum()) for line in answer.guessed["augmentation"]
    ]
    assert about["chance"] == 0.5 and about["low"] <= about["accuracy"] <= about["high"]
    encoded = answered(models, "encode", texts=points["text"].tolist(), target=given["target"])
    vectors = np.asarray(getattr(encoded, "vectors", encoded), dtype=np.float64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = trustworthiness(unit, points[["x", "y"]].to_numpy(), n_neighbors=15, metric="cosine")
    assert about["trustworthiness"] == pytest.approx(expected, abs=1e-3)
    first = answer.guessed.iloc[0]
    rows = points.index[points["augmentation"] == first["augmentation"]]
    cosines = [unit[at] @ unit[points.loc[at, "row"]] for at in rows]
    assert first["cosine"] == pytest.approx(np.mean(cosines), abs=1e-5)


def test_with_one_augmentation_there_is_nothing_to_guess(models, tiny, corpus):
    answer = answered(models, "augmentation_space", corpus=corpus, target=str(tiny / "bert"), pipelines=["eda_swap"])
    assert answer.about["accuracy"] is None and answer.guessed["accuracy"].isna().all()


def test_an_augmentation_inside_the_encoder_is_refused(models, tiny):
    with pytest.raises(BadSetting):
        asked(models.folder, "augmentation_space", target=str(tiny / "bert"), pipelines=["token_cutoff"])


def test_by_default_every_rule_based_augmentation_is_placed(models, tiny):
    lines = asked(models.folder, "augmentation_space", target=str(tiny / "bert")).pipelines
    assert len(lines) > 10 and not any("cutoff" in line for line in lines)
