import numpy as np
import pytest
import torch
from torch.nn import functional

from tests.tiny import FAMILIES, tiny_model
from workbench.augmentations.pipeline import parse
from workbench.core.errors import BadData
from workbench.core.seeds import seeded, text_rng
from workbench.models.alterations import Alteration
from workbench.models.load import load
from workbench.previews.states_preview import DROPOUT, WITHIN, cosines, gradient_of, planned, states

SENTENCES = ["the man plays the red guitar", "a dog runs on the ball"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp("altered") / "bert")))


def asked(encoder, line, *, draws=2, **said):
    return states(encoder, SENTENCES, SENTENCES * draws, line, seed=0, **said)


def test_cut_tokens_are_counted_and_nothing_else_moves(encoder):
    found = asked(encoder, "token_cutoff(rate=0.5)", dims=8)
    tokens, values = found["tokens"], found["values"]
    assert len(tokens) == 8 and tokens["token"].iloc[1] == "the"
    assert (tokens["zeroed"] == 1).sum() == 4 and tokens["moved"].sum() == 0
    assert len(values) == 8 * 8 and values["dim"].nunique() == 8
    gone = tokens.loc[tokens["zeroed"] == 1, "position"]
    assert (values.loc[values["position"].isin(gone), "after"] == 0).all()
    rest = values[~values["position"].isin(gone)]
    assert (rest["before"] == rest["after"]).all()


def test_masked_and_moved_tokens_are_reported(encoder):
    tokens = asked(encoder, "span_cutoff(rate=0.3)")["tokens"]
    assert not tokens["kept"].all() and ((tokens["zeroed"] == 1) == ~tokens["kept"]).all()
    tokens = asked(encoder, "token_shuffle")["tokens"]
    assert sorted(tokens["place_after"]) == list(tokens["place_before"])
    assert ((tokens["place_before"] != tokens["place_after"]) == (tokens["moved"] > 0)).all()


def test_two_steps_of_one_name_act_on_rows_of_their_own():
    texts = [f"text {number}" for number in range(200)]
    line = parse("token_shuffle@0.5 + token_cutoff@0.5 + token_cutoff@0.5 + token_cutoff(rate=0.3)@0.5")
    steps = planned(line, texts, seed=0, draw=0, levels=WITHIN)
    rows = [set(step.acting().tolist()) for step in steps]
    assert len({frozenset(one) for one in rows}) == 4 and all(70 < len(one) < 130 for one in rows)
    # The first of a name acts where it does alone.
    (alone,) = planned(parse("token_cutoff@0.5"), texts, seed=0, draw=0, levels=WITHIN)
    assert set(alone.acting().tolist()) == rows[1]
    assert rows[1] == {
        row for row, text in enumerate(texts) if text_rng(0, "token_cutoff.acts", 0, text).random() < 0.5
    }


@pytest.mark.parametrize("line", ["", "eda_swap", "token_cutoff@0.01"])
def test_without_a_change_the_cosine_is_one(encoder, line):
    found = asked(encoder, line)
    table = cosines(found["originals"], found["vectors"])
    assert table["cosine"].to_numpy() == pytest.approx(1, abs=1e-5)
    assert table[["sentence", "draw"]].to_numpy().tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize("line", ["embedding_dropout(rate=0.5)", "modals_gaussian", "feature_cutoff + modals_linear"])
def test_draws_differ_and_can_be_repeated(encoder, line):
    first, second = asked(encoder, line)["vectors"], asked(encoder, line)["vectors"]
    assert (first == second).all()
    assert not np.allclose(first[:2], first[2:])


def test_adversarial_noise_follows_the_gradient_over_all_sentences(encoder):
    found = asked(encoder, "fgv(epsilon=0.5)")
    assert found["about"]["gradient"] and (found["tokens"]["moved"] > 0.9).all()
    assert all(parameter.grad is None for parameter in encoder.backbone.parameters())
    assert not encoder.backbone.training
    assert all(parameter.requires_grad for parameter in encoder.backbone.parameters())
    with pytest.raises(BadData, match="gradient"):
        states(encoder, SENTENCES[:1], SENTENCES[:1], "fgv", seed=0)


def test_the_gradient_is_that_of_two_dropout_views(encoder):
    """By hand from the loss, with gradients of the weights too, of which only those of the states are taken."""
    table, ids_of = encoder.tokenise(SENTENCES), range(len(SENTENCES))
    found = gradient_of(encoder, table, 3, 1)
    states_of, (ids, mask) = [], table.batch(ids_of, "cpu")

    def kept(states, mask):
        states_of.append(states.detach().requires_grad_())
        return states_of[0], mask

    with torch.enable_grad(), encoder.dropout(DROPOUT), seeded(3, "gradient", 1, device="cpu"):
        encoder.backbone.train()
        one, other = (
            encoder.pool(hidden, ids, after)
            for hidden, after in (encoder.altered(ids, mask, alter) for alter in (Alteration(states=kept), None))
        )
        cosines = functional.normalize(one, dim=1) @ functional.normalize(other, dim=1).T
        loss = functional.cross_entropy(cosines / 0.05, torch.arange(len(SENTENCES)))
        (wanted,) = torch.autograd.grad(loss, states_of)
    encoder.backbone.eval()
    assert found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_shows_its_matrix(family, tmp_path):
    found = asked(load(str(tiny_model(tmp_path / family, family))), "token_shuffle + feature_cutoff", max_length=6)
    assert len(found["tokens"]) == 6
    assert np.isfinite(found["vectors"]).all()
