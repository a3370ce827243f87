"""The copy in bf16 has the backbone's weights at each use, and its device."""

import torch

from tests.tiny import tiny_model
from workbench.models.load import load
from workbench.models.rounded import Rounded


def test_it_follows_weights_and_buffers(tmp_path):
    backbone = load(str(tiny_model(tmp_path / "bert"))).backbone
    rounded, table = Rounded(backbone), backbone.get_input_embeddings().weight
    with torch.no_grad():
        for weight in backbone.parameters():
            weight.add_(1)
    half = rounded.follow(without=table)
    for (name, copied), weight in zip(half.named_parameters(), backbone.parameters(), strict=True):
        assert torch.equal(copied, weight.to(torch.bfloat16)) == (weight is not table), name
    assert rounded.follow() is half and torch.equal(half.get_input_embeddings().weight, table.to(torch.bfloat16))


def test_a_moved_encoder_rounds_where_it_is(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "bert")))
    assert encoder.prepared("bf16").backbone.device.type == "cpu"
    moved = encoder.to("meta").prepared("bf16")
    assert {leaf.used.device.type for leaf in moved.leaves} == {moved.backbone.device.type} == {"meta"}
