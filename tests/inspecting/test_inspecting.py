"""Inside a batch: matrices and shares by hand, the rows of the training, gradients that leave nothing behind."""

import math

import numpy as np
import pytest

from tests.tiny import tiny_model
from tests.trial import TEXTS
from tests.verbs.trial import answered
from workbench.compute.model_cache import ModelCache
from workbench.core.config import to_toml
from workbench.core.errors import BadSetting
from workbench.data.corpora import load_corpus
from workbench.inspecting.batch import batch
from workbench.inspecting.gradients import gradients
from workbench.inspecting.negatives import CLOSER, EQUAL, negatives
from workbench.inspecting.steps import rows_of
from workbench.models.load import load
from workbench.preflight.training_warnings import has_dropout, near_share, of_config
from workbench.recipes import settle
from workbench.store.names import runs_folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny model, and a corpus."""
    folder = tmp_path_factory.mktemp("inspected")
    tiny_model(folder / "bert")
    (folder / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    return folder


@pytest.fixture(scope="module")
def encoder(place):
    return load(str(place / "bert"))


def config_of(place, recipe="simcse_unsup", **changes):
    changes = {"training.batch_size": 6, "training.steps": 20, **changes}
    return settle(recipe, backbone=str(place / "bert"), corpus=str(place / "corpus.txt"), changes=changes)


def corpus_of(config):
    return load_corpus(config.corpus.source)


def test_the_rows_are_those_of_the_training(place, encoder):
    from workbench.training.loop import Loop

    config = config_of(place)
    texts = corpus_of(config)
    loop = Loop(encoder, texts.columns, config)
    loop.step = 3
    _, taken = next(loop._batches())
    _, rows = rows_of(config, texts, 4)
    assert rows.tolist() == taken.tolist()
    found = batch(encoder, None, texts, config, step=4)
    assert found.rows["text"].tolist() == [texts.texts[row] for row in rows.tolist()]
    assert found.similarity.shape == (6, 6)
    assert np.abs(found.similarity).max() <= 1 + 1e-5
    assert (found.similarity == batch(encoder, None, texts, config, step=4).similarity).all()
    assert not encoder.backbone.training


def test_without_dropout_the_positive_is_the_text_itself(place, encoder):
    config = config_of(place, **{"training.dropout": 0.0})
    found = batch(encoder, None, corpus_of(config), config, step=1)
    assert np.diagonal(found.similarity) == pytest.approx(1, abs=1e-5)


def test_shares_follow_from_the_softmax():
    similarity = np.array([[0.9, 0.5, 0.1], [0.2, 0.8, 0.85], [0.0, 0.3, 0.7]])
    texts = ["a small boat", "A small boat!", "nothing of the kind"]
    found = negatives(similarity, texts, texts, 0.5).set_index(["row", "candidate"])
    powers = [math.exp(value / 0.5) for value in similarity[0]]
    assert found.loc[(0, 1), "weight"] == pytest.approx(powers[1] / sum(powers))
    assert found.loc[(0, 1), "share"] == pytest.approx(powers[1] / (powers[1] + powers[2]))
    assert found.groupby("row")["share"].sum().to_numpy() == pytest.approx(1)
    assert found.loc[(0, 1), "kind"] == EQUAL == found.loc[(1, 0), "kind"]
    assert found.loc[(1, 2), "kind"] == CLOSER
    assert found.loc[(0, 2), "kind"] == ""


def test_the_weight_is_the_gradient_of_the_loss():
    torch = pytest.importorskip("torch")
    from workbench.losses import METHODS

    rng = np.random.default_rng(0)
    a, b = (torch.tensor(rng.normal(size=(4, 8)), requires_grad=True) for _ in "ab")
    unit = torch.nn.functional.normalize
    similarity = (unit(a, dim=1) @ unit(b, dim=1).T).detach().requires_grad_()
    loss = torch.nn.functional.cross_entropy(similarity / 0.1, torch.arange(4))
    assert float(loss.detach()) == pytest.approx(float(METHODS["infonce_nn"].fn(a, b, temperature=0.1).detach()))
    loss.backward()
    found = negatives(similarity.detach().numpy(), list("wxyz"), list("wxyz"), 0.1)
    for row in found.itertuples():
        assert float(similarity.grad[row.row, row.candidate]) == pytest.approx(row.weight / 0.1 / 4)


def test_gradients_agree_with_themselves_and_leave_nothing_behind(place, encoder):
    config = config_of(place)
    before = {name: tensor.clone() for name, tensor in encoder.backbone.state_dict().items()}
    found = gradients(encoder, None, corpus_of(config), config, ["eda_swap", "token_cutoff"], step=1, rows=6)
    matrix = found.cosines.pivot(index="first", columns="second", values="cosine")
    assert sorted(matrix.index) == ["", "again", "eda_swap", "token_cutoff"]
    assert np.diagonal(matrix.to_numpy()) == pytest.approx(1, abs=1e-4)
    assert matrix.to_numpy() == pytest.approx(matrix.to_numpy().T, abs=1e-5)
    assert (found.norms["norm"] > 0).all() and found.about["left_out"] == []
    assert all(parameter.grad is None for parameter in encoder.backbone.parameters())
    assert all((tensor == before[name]).all() for name, tensor in encoder.backbone.state_dict().items())
    short = gradients(encoder, None, corpus_of(config), config, ["eda_swap"], step=1, rows=6, seconds=-1)
    assert short.about["left_out"] == ["", "again", "eda_swap"] and short.cosines.empty


def test_the_verbs_answer(place, tmp_path):
    folder = runs_folder(tmp_path / "runs")
    models = ModelCache(folder)
    config = to_toml(config_of(place, seed=1))
    target = str(place / "bert")
    assert answered(models, "inspect", target=target, config=config, step=2).about["views"] == ["a", "b"]
    assert len(answered(models, "gradients", target=target, config=config, pipelines=["eda_swap"], rows=6).norms) == 3
    found = answered(models, "dry_run", config=config)
    assert found["needed_bytes"] > 0 and found["seconds"] > 0 and found["rows"] == len(TEXTS)
    with pytest.raises(BadSetting, match="backbone alone has no batches"):
        answered(models, "inspect", target=target)
    with pytest.raises(BadSetting, match="step"):
        answered(models, "inspect", target=target, config=config, step=21)
    with pytest.raises(BadSetting, match="number of augmentations"):
        answered(models, "gradients", target=target, config=config, pipelines=[])


class TestCautions:
    def test_identical_views_and_small_normalised_batches_must_be_accepted(self, place):
        assert not [one for one in of_config(config_of(place)) if one.accept]
        still = of_config(config_of(place, **{"training.dropout": 0.0}))
        assert [one.accept for one in still] == ["same_views"] and "identical" in still[0].text
        few = of_config(config_of(place, **{"model.head": "bn_projection"}))
        assert [one.accept for one in few] == ["batch_norm"] and "normalises over 12 vectors" in few[0].text
        moved = {"training.dropout": 0.0, "terms.0.views.b.augmentation": "eda_swap"}
        assert of_config(config_of(place, **moved)) == []

    def test_near_copies_in_a_batch_are_counted(self):
        texts = [f"{letter * 6} is a text of its own" for letter in "abcdefghij"]
        assert near_share(texts, 4, 0) == 0
        # Two of twelve, each with its copy beside it with probability (4 - 1) / 11 in a batch of 4.
        twelve = ["the quick brown fox jumps", "The quick brown fox jumps.", *texts]
        assert near_share(twelve, 4, 0) == pytest.approx(2 / 12 * 3 / 11)
        assert near_share(twelve, 4, 0, dedup_batch=True) == near_share(twelve, 4, 0)
        # Of three, two differ in case alone and never meet then; the third may stand beside either.
        more = ["THE QUICK brown fox jumps", *twelve[:-1]]
        both = 1 - (1 - 3 / 11) ** 2
        assert near_share(more, 4, 0) == pytest.approx(3 / 12 * both)
        assert near_share(more, 4, 0, dedup_batch=True) == pytest.approx((2 * 3 / 11 + both) / 12)

    def test_a_backbone_without_dropout_is_reported(self, encoder):
        from torch import nn

        assert has_dropout(encoder)

        class Bare:
            backbone = nn.Linear(2, 2)

        assert not has_dropout(Bare())
