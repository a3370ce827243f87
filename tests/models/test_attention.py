"""What a backbone computes is the same whichever form of mask it is given."""

import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from workbench.models import attention
from workbench.models.alterations import Alteration, altering
from workbench.models.computing import padded
from workbench.models.load import load


@pytest.mark.parametrize("family", FAMILIES)
def test_a_gpus_mask_hides_the_same_tokens(family, tmp_path, monkeypatch):
    encoder = load(str(tiny_model(tmp_path / family, family)))
    ids, mask = encoder.tokenise(["The dog runs.", "The red cat eats on the ball.", "A man."]).batch(range(3))
    assert not mask.all()

    def cut(states, own):
        return states, own * (torch.arange(own.shape[1]) % 2 == 0)

    def states():
        (plain,) = padded(encoder.backbone, ids, mask, every_layer=False)
        with altering(encoder.backbone, Alteration(states=cut), ids, mask):
            (fewer,) = padded(encoder.backbone, ids, mask, every_layer=False)
        return plain, fewer

    with torch.inference_mode():
        expected = states()
        monkeypatch.setattr(attention, "at_hand", lambda tensor: False)
        found = states()
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one[mask.bool()], other[mask.bool()], atol=1e-5, rtol=1e-4)
