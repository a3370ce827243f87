"""The geometry of texts, and of pairs by the settings of a paper."""

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadSetting
from workbench.core.progress import no_progress
from workbench.data.pairs import load_pairs
from workbench.targets.target import parse


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.fixture
def pairs_file(tmp_path):
    rows = [
        (5, "a dog barks", "a puppy barks"),
        (4, "it rains", "it pours"),
        (3, "it rains", "it snows"),
        (0, "a", "b c"),
    ]
    file = tmp_path / "pairs.tsv"
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def unit(models, target, texts):
    vectors = models.vectors(parse(target, models.folder), texts, no_progress).astype(float)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(("alpha", "t", "above", "repeated"), [(2.0, 2.0, 0.8, True), (1.0, 3.0, 0.5, False)])
def test_alignment_and_uniformity_are_by_the_formula(models, tiny, pairs_file, alpha, t, above, repeated):
    target = str(tiny / "bert")
    settings = {"alpha": alpha, "t": t, "above": above, "repeated": repeated}
    metrics = answered(models, "geometry", target=target, pairs=pairs_file, **settings).metrics
    pairs = load_pairs(pairs_file)
    first, second = unit(models, target, pairs.first), unit(models, target, pairs.second)
    apart = np.linalg.norm(first - second, axis=1)[pairs.gold > 5 * above]
    assert metrics["alignment"] == pytest.approx(float((apart**alpha).mean()), rel=1e-4)
    texts = pairs.texts() if repeated else list(dict.fromkeys(pairs.texts()))
    vectors = unit(models, target, texts)
    kernels = [
        np.exp(-t * np.sum((vectors[one] - vectors[two]) ** 2)) for one in range(len(texts)) for two in range(one)
    ]
    assert metrics["uniformity"] == pytest.approx(float(np.log(np.mean(kernels))), rel=1e-4)
    assert metrics["n"] == (8 if repeated else 7) and metrics["alignment_on"] == f"pairs.tsv, gold > {5 * above:g}"


@pytest.mark.parametrize(("most", "limit"), [(1, "0.8"), (10, "8"), (100, "80")])
def test_partners_are_those_of_the_top_fifth_of_any_scale(models, tiny, tmp_path, most, limit):
    """As in the scores, which stand beside it."""
    rows = [(most * share, f"a dog {share}", f"a puppy {share}") for share in (0, 0.5, 0.8, 0.9, 1)]
    file = tmp_path / "own.tsv"
    file.write_text("\n".join(["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]))
    target = str(tiny / "bert")
    metrics = answered(models, "geometry", target=target, pairs=str(file)).metrics
    scores = answered(models, "score", target=target, pairs=str(file)).scores
    assert metrics["alignment_on"] == scores["alignment_on"] == f"own.tsv, gold > {limit}"
    assert metrics["above"] == float(limit) and metrics["alignment"] == pytest.approx(scores["alignment"], rel=1e-4)


def test_texts_or_pairs(models, pairs_file):
    for given in ({}, {"texts": ["a", "b", "c"], "pairs": pairs_file}):
        with pytest.raises(BadSetting, match="Give one of them"):
            asked(models.folder, "geometry", **given)
    with pytest.raises(BadData, match="At least 3 texts"):
        asked(models.folder, "geometry", texts=["a", "b"])
