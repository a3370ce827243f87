"""DeCLUTR with masked language modelling: the spans of `declutr_spans`, and masked tokens in their anchors."""

from itertools import islice

import numpy as np
import pytest

from tests.objectives.trial import masked_model
from tests.tiny import tiny_model
from workbench.core.errors import BadModel
from workbench.models.load import load
from workbench.recipes import RECIPES, settle
from workbench.recipes.fits import corpus_of
from workbench.training.loop import Loop

SAME = {"batch_size": 8, "steps": 10, "learning_rate": 1e-3, "warmup": 0.0, "precision": "fp32"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(masked_model(tmp_path_factory.mktemp("declutr") / "bert"))


def loop_of(recipe, folder, **changes):
    config = settle(recipe, backbone=folder, corpus="demo:documents", changes={**SAME, **changes})
    return Loop(load(folder), corpus_of(config).columns, config)


def test_it_is_declutr_spans_plus_masked_tokens(folder):
    spans, masked = RECIPES["declutr_spans"], RECIPES["declutr_mlm"]
    assert masked.terms[0] == spans.terms[0] and masked.training == spans.training and masked.backbone == "mini-mlm"
    # Both are published with the AdamW of one configuration of the authors: epsilon 1e-6, no bias correction.
    assert masked.official == spans.official
    assert (spans.official["training"]["epsilon"], spans.official["training"]["bias_correction"]) == (1e-6, False)
    plain = [step.loss for step in loop_of("declutr_spans", folder).run()]
    alone = [step.loss for step in loop_of("declutr_mlm", folder, **{"terms.1.weight": 0.0}).run()]
    both = list(loop_of("declutr_mlm", folder).run())
    assert np.allclose(alone, plain, rtol=2e-4) and not np.allclose([step.loss for step in both], plain, rtol=1e-2)
    # The sum of both losses, each with weight 1.
    found = [[value for name, value in step.losses.items() if name in ("0.ntxent_2n", "1.mlm_aux")] for step in both]
    assert np.allclose(np.sum(found, axis=1), [step.loss for step in both])


def test_the_masked_texts_are_the_anchors_of_the_contrast(folder):
    loop = loop_of("declutr_mlm", folder)
    contrast, masked = loop.config.terms
    rows = np.arange(8)

    def texts(view):
        return loop.texts.show(view, rows, 0).texts()

    assert texts(masked.views["a"]) == texts(contrast.views["a"]) != texts(contrast.views["b"])
    assert texts(masked.views["b"]) == texts(contrast.more["a"]) != texts(contrast.more["b"])


def test_the_masked_tokens_are_learnt(folder):
    said = [step.losses["1.mlm_aux"] for step in islice(loop_of("declutr_mlm", folder, steps=60).run(), 60)]
    assert np.mean(said[-10:]) < np.mean(said[:10]) - 0.2


def test_a_backbone_without_a_masked_language_head_is_refused(tmp_path):
    with pytest.raises(BadModel, match="masked-language head"):
        loop_of("declutr_mlm", str(tiny_model(tmp_path / "bert")))
