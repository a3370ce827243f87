"""Word embeddings by rank, beside a plain computation token by token."""

from collections import Counter

import numpy as np
import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from workbench.core.errors import BadData
from workbench.models import frequency
from workbench.models.frequency import NEIGHBOURS, by_frequency
from workbench.models.load import load

TEXTS = ["a man plays guitar.", "the dog runs", "a cat eats the red ball on a dog", "dog"] * 3


@pytest.mark.parametrize("family", FAMILIES)
def test_bins_are_those_of_a_computation_by_hand(family, tmp_path, monkeypatch):
    monkeypatch.setattr(frequency, "EDGES", (0, 2, 5, 500))
    monkeypatch.setattr(frequency, "CHUNK", 3)
    encoder = load(str(tiny_model(tmp_path, family)))
    special = set(encoder.tokenizer.all_special_ids)
    counts = Counter(
        number for text in TEXTS for number in encoder.tokenizer(text)["input_ids"] if number not in special
    )
    ranked = sorted(counts, key=lambda number: (-counts[number], number))
    vectors = encoder.backbone.get_input_embeddings().weight.detach().double().numpy()
    words = [number for number in range(len(vectors)) if number not in special]
    bins = by_frequency(encoder, TEXTS)
    assert [(one["first"], one["last"]) for one in bins] == [(0, 1), (2, 4), (5, len(ranked) - 1)]
    assert (
        sum(one["tokens"] for one in bins) == len(ranked) and sum(one["occurrences"] for one in bins) == counts.total()
    )
    for one in bins:
        part = ranked[one["first"] : one["last"] + 1]
        assert one["norm"] == pytest.approx(np.mean([np.linalg.norm(vectors[number]) for number in part]), rel=1e-4)
        for at, k in enumerate(NEIGHBOURS):
            near, most = [], []
            for number in part:
                others = [other for other in words if other != number]
                near.append(np.sort(np.linalg.norm(vectors[others] - vectors[number], axis=1))[:k].mean())
                most.append(np.sort(vectors[others] @ vectors[number])[::-1][:k].mean())
            assert one["distances"][at] == pytest.approx(np.mean(near), rel=1e-3)
            assert one["products"][at] == pytest.approx(np.mean(most), rel=1e-3, abs=1e-6)


def test_the_longer_a_vector_the_longer_its_bin(tmp_path):
    encoder = load(str(tiny_model(tmp_path)))
    [before] = by_frequency(encoder, TEXTS)
    with torch.no_grad():
        encoder.backbone.get_input_embeddings().weight.mul_(2)
    [after] = by_frequency(encoder, TEXTS)
    assert after["norm"] == pytest.approx(2 * before["norm"], rel=1e-4)
    np.testing.assert_allclose(after["distances"], 2 * np.array(before["distances"]), rtol=1e-3)
    np.testing.assert_allclose(after["products"], 4 * np.array(before["products"]), rtol=1e-3)


@pytest.mark.parametrize("texts", [[], [""]])
def test_texts_without_tokens_are_refused(texts, tmp_path):
    with pytest.raises(BadData, match="No token"):
        by_frequency(load(str(tiny_model(tmp_path))), texts)
