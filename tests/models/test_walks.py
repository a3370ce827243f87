"""Walks through a model see what torch's own see, also what changes between two steps."""

import numpy as np
import pytest
import torch
from torch import nn

from tests.tiny import tiny_model
from workbench.models.load import load
from workbench.models.walks import modules_of, named_parameters_of, set_mode


def test_they_list_what_torch_lists():
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 3, bias=False)))
    model.register_module("absent", None)
    assert modules_of(model) == list(model.modules())
    model[1][1].weight = model[0].weight
    found, wanted = named_parameters_of(model), dict(model.named_parameters())
    assert list(found) == list(wanted) and all(found[name] is wanted[name] for name in wanted)


@pytest.mark.parametrize("training", [True, False])
def test_a_mode_reaches_every_module(training):
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Dropout())).train(training)
    model[1][0].train(not training)
    set_mode(model, training=training)
    assert all(module.training == training for module in model.modules())


@pytest.fixture
def encoder(tmp_path):
    return load(str(tiny_model(tmp_path, "bert", "plain")))


def rounded(encoder, **settings):
    """Named weights and buffers of the copy in bf16, and the parameters that would get gradients."""
    states = encoder.prepared("bf16", **settings)
    return states.backbone.state_dict(), {id(leaf.owner) for leaf in states.leaves}


def test_the_copy_in_bf16_has_the_weights_of_now(encoder):
    rounded(encoder)
    changed = {name: tensor + 1 for name, tensor in encoder.backbone.state_dict().items()}
    encoder.backbone.load_state_dict(changed)
    encoder.backbone.embeddings.position_ids += 1
    found, _ = rounded(encoder)
    assert all(torch.equal(found[name], tensor.to(found[name].dtype)) for name, tensor in changed.items())
    copied = encoder.prepared("bf16").backbone.embeddings
    assert torch.equal(copied.position_ids, encoder.backbone.embeddings.position_ids)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_gradients_go_to_what_is_trained_now(encoder, precision):
    vocabulary = np.arange(3)
    for trained in (True, False, True):
        encoder.backbone.encoder.requires_grad_(trained)
        wanted = {id(one) for one in encoder.backbone.parameters() if one.requires_grad}
        states = encoder.prepared(precision, vocabulary=vocabulary)
        assert {id(leaf.owner) for leaf in states.leaves} == wanted


def test_another_backbone_gets_another_copy(encoder, tmp_path):
    rounded(encoder)
    encoder.backbone = load(str(tiny_model(tmp_path / "other", "bert", "plain", layers=1))).backbone
    found, owners = rounded(encoder)
    assert found.keys() == encoder.backbone.state_dict().keys()
    assert owners == {id(one) for one in encoder.backbone.parameters()}


def test_a_copy_left_in_train_mode_encodes_without_dropout(encoder):
    before = encoder.encode(["one text"], precision="bf16")
    encoder.prepared("bf16").backbone.train()
    np.testing.assert_array_equal(encoder.encode(["one text"], precision="bf16"), before)
