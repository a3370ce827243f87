"""Attention by heads, which a GPU uses where padding is left out, is that of the blocks that a CPU uses."""

import numpy as np
import pytest
import torch

from tests.tiny import tiny_model
from workbench.models import unpadded
from workbench.models.attention import using
from workbench.models.load import load


@pytest.fixture(scope="module", params=["bert", "roberta", "xlm-roberta", "distilbert", "electra"])
def encoder(request, tmp_path_factory):
    found = load(str(tiny_model(tmp_path_factory.mktemp(request.param), request.param, "plain")))
    unpadded.register()
    return found


def states_of(encoder, lengths, monkeypatch, *, heads):
    """(states of a padded batch, their gradients) of random ids."""
    random = np.random.default_rng(len(lengths))
    mask = torch.from_numpy((np.arange(max(lengths)) < np.array(lengths)[:, None]).astype(np.int64))
    ids = torch.from_numpy(random.integers(5, encoder.backbone.config.vocab_size, tuple(mask.shape))) * mask
    ids = ids + (1 - mask) * encoder.tokens.pad
    monkeypatch.setattr(unpadded, "queues", lambda device: heads)
    weights = [p for p in encoder.backbone.parameters() if p.requires_grad]
    with using(encoder.backbone, unpadded.NAME):
        layout = unpadded.layout_of(encoder.backbone, ids, mask)
        assert (layout.heads is not None) is heads
        states = layout.padded(unpadded.run(encoder.backbone, layout, False)[0])
    slopes = torch.autograd.grad((states * torch.linspace(-1, 1, states.shape[-1])).sum(), weights, allow_unused=True)
    return states.detach(), [slope for slope in slopes if slope is not None]


@pytest.mark.parametrize("lengths", [[3, 9, 4, 16, 5], [7], [2, 2], [20, 3, 12, 4]])
@pytest.mark.parametrize("longest", [64, 4])
def test_states_and_gradients_are_those_of_blocks(encoder, lengths, longest, monkeypatch):
    from workbench.models import heads_apart

    monkeypatch.setattr(heads_apart, "LONGEST", longest)  # both ways to compute the weights
    wanted, wished = states_of(encoder, lengths, monkeypatch, heads=False)
    states, slopes = states_of(encoder, lengths, monkeypatch, heads=True)
    torch.testing.assert_close(states, wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(slopes, wished, atol=2e-4, rtol=1e-3)
