"""Ranking and geometry at every layer."""

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadSetting
from workbench.data.pairs import load_pairs
from workbench.metrics import METHODS
from workbench.metrics.mean_cosine import mean_cosine
from workbench.models.layers import layer_vectors
from workbench.statistics.correlation import spearman


@pytest.fixture
def models(folder):
    return ModelCache(folder)


def test_a_row_for_each_layer_and_pooling_with_every_metric(models, tiny):
    pairs = str(tiny / "pairs.tsv")
    table = answered(models, "layers", target=str(tiny / "bert"), pairs=pairs)
    encoder = models.model(asked(models.folder, "layers", target=str(tiny / "bert"), pairs=pairs).target)
    layers = encoder.backbone.config.num_hidden_layers + 1
    assert [(row.pooling, row.layer) for row in table.itertuples()] == [
        (pooling, layer) for pooling in ("cls", "mean") for layer in range(layers)
    ]
    assert {name for name, method in METHODS.items() if method.tags.get("inputs") == "vectors"} <= set(table.columns)
    scored = load_pairs(pairs)
    texts = list(dict.fromkeys(scored.texts()))
    vectors = layer_vectors(encoder, texts, ["mean"])["mean"]
    row_of = {text: row for row, text in enumerate(texts)}
    for layer in range(layers):
        own = vectors[layer]
        row = table[(table["pooling"] == "mean") & (table["layer"] == layer)].iloc[0]
        assert row["mean_cosine"] == pytest.approx(mean_cosine(own), abs=1e-6)
        a, b = (own[[row_of[text] for text in side]] for side in (scored.first, scored.second))
        cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        assert row["spearman"] == pytest.approx(spearman(cosines, scored.gold), abs=1e-6)
        assert row["low"] <= row["spearman"] <= row["high"]
    same = table[(table["pooling"] == "cls") & (table["layer"] == 0)].iloc[0]  # the same vector for every text
    assert np.isnan(same["spearman"]) and same["mean_cosine"] == pytest.approx(1)


@pytest.mark.parametrize("more", [":cls", "+centre"])
def test_a_pooling_or_a_transform_is_refused(models, tiny, more):
    with pytest.raises(BadSetting, match=r"pooled by cls and by mean, without a transform\. Name "):
        asked(models.folder, "layers", target=f"{tiny / 'bert'}{more}")


def test_a_baseline_has_no_layers(models):
    with pytest.raises(BadSetting, match="it has no layers"):
        asked(models.folder, "layers", target="tfidf")


def test_of_some_pairs_only_these_are_measured(models, tiny):
    pairs = str(tiny / "pairs.tsv")
    known = load_pairs(pairs)
    rows = list(range(len(known) - 1))
    table = answered(models, "layers", target=str(tiny / "bert"), pairs=pairs, rows=[*rows, 0])
    assert set(table["n"]) == {len(rows)}
    texts = answered(models, "pair_texts", pairs=pairs, rows=[1]).texts
    assert texts == list(dict.fromkeys([known.first[1], known.second[1]]))
    with pytest.raises(BadData, match="has no such rows"):
        answered(models, "layers", target=str(tiny / "bert"), pairs=pairs, rows=[len(known)])
