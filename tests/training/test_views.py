"""Each dropout policy has its rate, each micro-batch dropout of its own, and each step acts on its share of the rows."""

import numpy as np
import pytest
import torch

from tests.tiny import prompted_model, tiny_model
from workbench.core.config import Term, View
from workbench.core.errors import BadSetting
from workbench.models.load import load
from workbench.training.texts import Texts
from workbench.training.views import Views


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), "bert", "plain")


def encoded(folder, texts, *asked, rate=0.0, parts=0, max_length=16):
    term = Term(loss="ntxent_2n", views=dict(zip("ab", asked, strict=True)))
    views = Views(Texts(load(str(folder)), [term], {"text": texts}, max_length=max_length, seed=0), [term])
    torch.manual_seed(0)
    found = views.encode(np.arange(len(texts)), epoch=0, pooling="mean", rate=rate, parts=parts)
    return [vectors.detach() for vectors in found.values()]


def test_a_view_with_a_rate_of_its_own_has_it_whatever_the_runs(folder):
    texts = ["the man plays", "a woman runs"]
    plain, own = encoded(folder, texts, View(dropout="off"), View(dropout=0.3))
    assert (plain - own).abs().max() > 1e-3
    plain, none = encoded(folder, texts, View(dropout="off"), View(dropout=0.0), rate=0.3)
    torch.testing.assert_close(plain, none)


@pytest.mark.parametrize("parts", [0, 4])
def test_the_same_text_has_other_dropout_in_every_micro_batch(folder, parts):
    for vectors in encoded(folder, ["the man plays"] * 16, View(), View(copy=1), rate=0.1, parts=parts):
        assert len(vectors.unique(dim=0)) == 16


@pytest.mark.parametrize(("share", "least", "most"), [(0.25, 60, 140), (0.75, 260, 340), (1.0, 400, 400)])
def test_a_step_acts_on_its_share_of_the_rows(folder, share, least, most):
    some = View(augmentation=f"token_cutoff(rate=0.5)@{share}", dropout="off")
    plain, cut = encoded(folder, ["the man plays a guitar"] * 400, View(dropout="off"), some)
    assert least <= (plain - cut).abs().amax(dim=1).gt(1e-4).sum() <= most


@pytest.mark.parametrize("included", [True, False])
def test_a_default_prompt_is_before_the_texts_of_training_too(included, tmp_path):
    folder, texts = (
        prompted_model(tmp_path, included=included),
        ["the man plays a guitar on a red ball", "a woman runs"],
    )
    expected = load(str(folder)).encode(texts, max_length=16)
    augmented = View(augmentation="token_cutoff(rate=0)", dropout="off")
    for vectors in encoded(folder, texts, View(dropout="off"), augmented):
        np.testing.assert_allclose(vectors.numpy(), expected, atol=1e-5)
    with pytest.raises(BadSetting, match="max_length 8 leaves no room"):
        encoded(folder, texts, View(), View(copy=1), max_length=8)
