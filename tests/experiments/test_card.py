import numpy as np
import pytest

from experiments.evidence.card import POOLINGS, held_out, layers, lines, main
from tests.pretraining.corpus import corpus
from tests.tiny import tiny_model
from workbench.core.errors import BadData
from workbench.data.pairs import load_pairs
from workbench.models.load import load
from workbench.pretraining import loop

TEXTS = ["the man plays", "a red dog", "the woman runs on the ball", "a cat"]


def test_layers_are_those_that_pooling_reads(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "bert")))
    found = list(layers(encoder, TEXTS))
    assert len(found) == 3
    assert np.allclose(found[-1][0], encoder.encode(TEXTS), atol=1e-5)
    encoder.pooling = "cls"
    assert np.allclose(found[-1][1], encoder.encode(TEXTS), atol=1e-5)
    encoder.pooling = "static"
    assert np.abs(found[0][0] - encoder.encode(TEXTS)).max() > 1e-3  # embeddings with positions and norm, not the table


def test_held_out_loss_is_that_of_the_loop(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "VALIDATION", 4096)
    folder = tiny_model(tmp_path / "bert")
    path = corpus(tmp_path, articles=60)
    told = held_out(str(folder), [path], tmp_path / "kept")
    assert told == held_out(str(folder), [path], tmp_path / "kept")
    assert 2.0 < told["loss"] < 30.0 and 0.0 <= told["accuracy"] < 0.5 and told["pieces_per_word"] > 1.0


def test_the_card_has_a_row_per_layer_and_per_pooling(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "bert")))
    text = "\n".join(lines(encoder, {"demo dev": load_pairs("demo:dev")}))
    assert text.count("\n| 1 |") == 1 and all(f"| `{pooling}` |" in text for pooling in POOLINGS)
    with pytest.raises(BadData, match="A card needs STS files"):
        main([str(tmp_path / "bert")])
