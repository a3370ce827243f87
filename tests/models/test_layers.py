"""Every layer's vectors are those that transformers gives text by text."""

import numpy as np
import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from workbench.models.layers import layer_vectors
from workbench.models.load import load

TEXTS = ["a man plays guitar.", "the dog runs", "a cat eats the red ball on a dog", "dog"]


@pytest.mark.parametrize("family", FAMILIES)
def test_each_layer_is_pooled_as_if_it_were_the_last(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path, family)))
    seen = []
    vectors = layer_vectors(encoder, TEXTS, ["mean", "cls"], on_progress=lambda share, note: seen.append((share, note)))
    layers = encoder.backbone.config.num_hidden_layers + 1
    assert list(vectors) == ["mean", "cls"] and vectors["mean"].shape == (layers, len(TEXTS), 32)
    for row, text in enumerate(TEXTS):
        ids = encoder.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            states = encoder.backbone(ids, output_hidden_states=True).hidden_states
        for layer, own in enumerate(states):
            np.testing.assert_allclose(vectors["mean"][layer, row], own[0].mean(0).numpy(), atol=1e-5)
            np.testing.assert_allclose(vectors["cls"][layer, row], own[0, 0].numpy(), atol=1e-5)
    np.testing.assert_allclose(vectors["mean"][-1], encoder.encode(TEXTS), atol=1e-5)
    assert seen[-1] == (1.0, "Encoding at every layer, 4 of 4 texts")
