"""What is saved loads in the real sentence-transformers and here, and gives the same vectors to 1e-5."""

import json

import numpy as np
import pytest
import torch

from tests.tiny import FAMILIES, tiny_model, write_modules
from workbench.core.errors import BadModel
from workbench.core.seeds import seeded
from workbench.heads import METHODS as HEADS
from workbench.models.export import dense_layers, exportable, save
from workbench.models.load import load

TEXTS = ["A man plays the guitar.", "", "the dog runs on a red ball " * 40, "שלום 🤖 naïve", "Dog!"]
HEAD_SETTINGS = {"mlp": {}, "bn_projection": {}, "sg_opt_mlp": {"width": 24}, "projector": {"sizes": "24-16"}}


def head_of(name, dim):
    """A head whose batch statistics and shifts are not those it starts with."""
    with seeded(0, name):
        head = HEADS[name].fn(dim, **HEAD_SETTINGS[name])
        head.train()
        for _ in range(20):
            head(2 * torch.randn(16, dim) + 1)
        for parameter in head.parameters():
            parameter.data.add_(0.1 * torch.randn_like(parameter))
    return head.eval()


def check(encoder, folder):
    from sentence_transformers import SentenceTransformer

    expected = encoder.encode(TEXTS)
    save(encoder, folder)
    again = load(str(folder))
    np.testing.assert_allclose(again.encode(TEXTS), expected, atol=1e-5)
    assert (again.max_length, again.normalise, again.dim) == (encoder.max_length, encoder.normalise, encoder.dim)
    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    np.testing.assert_allclose(theirs.encode(TEXTS), expected, atol=1e-5)
    assert theirs.max_seq_length == encoder.max_length
    assert not list(folder.rglob("*.bin"))


@pytest.mark.slow
def test_minilm_l3(tmp_path, capfd):
    encoder = load("minilm-l3")
    check(encoder, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["num_hidden_layers"] == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from", family)))
    encoder.max_length = 20
    check(encoder, tmp_path / "to")


@pytest.mark.parametrize("head", sorted(HEAD_SETTINGS))
def test_kept_heads_become_dense_modules(head, tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from")))
    encoder.pooling, encoder.head = "cls", head_of(head, 32)
    assert exportable("cls", head) == ""
    check(encoder, tmp_path / "to")
    assert {"mlp": 1}.get(head, 2) == len(list((tmp_path / "to").glob("*_Dense")))


def test_pooler_is_cls_and_a_dense_module(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from", "roberta")))
    encoder.pooling = "pooler"
    check(encoder, tmp_path / "to")


def test_normalise_is_a_module(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from")))
    encoder.normalise, encoder.head = True, head_of("mlp", 32)
    check(encoder, tmp_path / "to")


def test_what_sentence_transformers_saves_is_read(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    body = modules.Transformer(str(tiny_model(tmp_path / "from", "distilbert")))
    pooling = modules.Pooling(32, pooling_mode="cls")
    dense = modules.Dense(32, 8, activation_function=torch.nn.GELU())
    theirs = SentenceTransformer(modules=[body, pooling, dense, modules.Normalize()], device="cpu")
    theirs.max_seq_length = 16
    theirs.save(str(tmp_path / "to"))
    encoder = load(str(tmp_path / "to"))
    assert (encoder.pooling, encoder.max_length, encoder.dim, encoder.normalise) == ("cls", 16, 8, True)
    np.testing.assert_allclose(encoder.encode(TEXTS), theirs.encode(TEXTS), atol=1e-5)


@pytest.mark.parametrize("pooling", ["last2", "first_last", "static_last"])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_averages_of_two_layers_become_a_weighted_layer_pooling(pooling, layers, tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from", layers=layers)))
    encoder.pooling = pooling
    assert exportable(pooling) == ""
    check(encoder, tmp_path / "to")
    # With fewer layers another pooling may average the same states.
    assert layers < 3 or load(str(tmp_path / "to")).pooling == pooling


def test_an_average_of_layers_that_no_pooling_expresses_is_refused(tmp_path):
    from workbench.models.tensors import save_tensors

    encoder = load(str(tiny_model(tmp_path / "from")))
    encoder.pooling = "last2"
    save(encoder, tmp_path / "to")
    weights = tmp_path / "to" / "1_WeightedLayerPooling" / "model.safetensors"
    save_tensors(weights, {"layer_weights": torch.tensor([1.0, 2.0])})
    with pytest.raises(BadModel, match="an average of states"):
        load(str(tmp_path / "to"))
    weights.write_bytes(b"not a tensor")
    with pytest.raises(BadModel, match="cannot be read"):
        load(str(tmp_path / "to"))
    weights.unlink()
    with pytest.raises(BadModel, match=r"no model\.safetensors"):
        load(str(tmp_path / "to"))


@pytest.mark.parametrize("pooling", ["static", "mask_token"])
def test_what_cannot_be_expressed_is_reported_before_and_refused(pooling, tmp_path):
    reason = exportable(pooling)
    assert pooling in reason and reason.endswith(".") and reason.count(". ") == 0
    encoder = load(str(tiny_model(tmp_path / "from")))
    encoder.pooling = pooling
    with pytest.raises(BadModel, match="cannot express"):
        save(encoder, tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_a_head_of_other_layers_is_refused():
    with pytest.raises(BadModel, match="Conv1d"):
        dense_layers(torch.nn.Sequential(torch.nn.Conv1d(1, 1, 1)))
    assert dense_layers(None) == []


def test_saving_over_an_older_export_leaves_no_module_of_it(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "from")))
    encoder.head = head_of("mlp", 32)
    save(encoder, tmp_path / "to")
    encoder.head = None
    check(encoder, tmp_path / "to")
    write_modules(tmp_path / "to", [("", "Transformer")])
    with pytest.raises(BadModel, match="order of modules"):
        load(str(tmp_path / "to"))
