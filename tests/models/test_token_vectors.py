"""A text's vector as the mean of what its tokens have."""

import numpy as np
import pytest

from workbench.core.errors import BadSetting
from workbench.models.load import load
from workbench.models.token_vectors import averages, token_vectors
from workbench.pooling import METHODS

TEXT = "A man is playing the guitar."


@pytest.fixture
def encoder(tiny):
    return load(str(tiny / "bert"))


@pytest.mark.parametrize("pooling", [name for name in METHODS if averages(name)])
def test_their_mean_is_the_vector_of_the_text(encoder, pooling):
    encoder.pooling = pooling
    found = token_vectors(encoder, TEXT)
    assert len(found.tokens) == len(found.vectors) == len(encoder.token_view(TEXT))
    assert found.special[0] and found.special[-1] and not any(found.special[1:-1])
    assert found.vectors.mean(axis=0) == pytest.approx(encoder.encode([TEXT])[0], abs=1e-5)


def test_tokens_left_out_are_not_among_them(encoder):
    encoder.pooling = "mean"
    whole = token_vectors(encoder, TEXT)
    encoder.left_out = encoder.tokenise([TEXT]).ids[[0, -1]].astype(np.int64)
    found = token_vectors(encoder, TEXT)
    assert found.tokens == whole.tokens[1:-1] and not any(found.special)
    assert found.vectors.mean(axis=0) == pytest.approx(encoder.encode([TEXT])[0], abs=1e-5)


@pytest.mark.parametrize("pooling", [name for name in METHODS if not averages(name)])
def test_other_poolings_cannot_be_shared_out(encoder, pooling):
    encoder.pooling = pooling
    with pytest.raises(BadSetting, match="Only a mean over tokens"):
        token_vectors(encoder, TEXT)


def test_a_head_cannot_be_shared_out(encoder):
    import torch

    encoder.pooling, encoder.head = "mean", torch.nn.Linear(encoder.dim, 4)
    with pytest.raises(BadSetting, match="A cosine under a head"):
        token_vectors(encoder, TEXT)
