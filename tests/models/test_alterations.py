"""Positions, states and masks that are altered on the way in: on every family, in both precisions, with nothing else changed."""

from functools import partial

import numpy as np
import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from workbench.augmentations.positions.token_shuffle import token_shuffle
from workbench.augmentations.states.fgv import fgv
from workbench.augmentations.states.span_cutoff import span_cutoff
from workbench.augmentations.states.token_cutoff import token_cutoff
from workbench.core.errors import BadModel
from workbench.core.seeds import seeded, torch_generator
from workbench.models.alterations import Alteration
from workbench.models.load import load

TEXTS = ["a man plays guitar.", "the dog runs", "a cat eats the red ball on a dog", "dog"]
IDENTITY = Alteration(positions=lambda ids, mask: ids, states=lambda states, mask: (states, mask))


@pytest.fixture(scope="module", params=FAMILIES)
def encoder(request, tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp(request.param), request.param)))


@pytest.fixture
def batch(encoder):
    return encoder.tokenise(TEXTS).batch(range(len(TEXTS)))


def shuffle(seed=0):
    return Alteration(positions=partial(token_shuffle, generator=torch_generator(seed)))


def kept(mask, low, high):
    """The mask with only the places from `low` to `high` of every row left."""
    places = torch.arange(mask.shape[1])
    return mask * ((places >= low) & (places < high)).long()


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("gathered", [False, True])
def test_identity_changes_no_bit(encoder, batch, training, precision, gathered):
    ids, mask = batch
    vocabulary = ids.numpy() if gathered else None
    found = []
    with encoder.evaluating():
        encoder.backbone.train(training)
        with torch.no_grad(), encoder.computing(precision, pooling="first_last", vocabulary=vocabulary) as states:
            for alter in (None, Alteration(), IDENTITY):
                with seeded(0, "alike"):
                    found.append(states.altered(ids, mask, alter))
            with seeded(0, "alike"):
                plain = states(ids, mask)
    for hidden, after in found:
        assert torch.equal(after, mask) and len(hidden) == len(plain) == 3
        assert all(torch.equal(one, other) for one, other in zip(hidden, plain, strict=True))
        assert all(layer.dtype == torch.float32 for layer in hidden)


def test_without_padding_the_mask_may_be_none(encoder):
    ids, mask = encoder.tokenise(["the dog runs"]).batch([0])
    with encoder.evaluating(), torch.no_grad():
        plain = encoder.forward(ids, None)
        hidden, after = encoder.altered(ids, None, IDENTITY)
        span = Alteration(states=lambda states, mask: (states, kept(mask, 0, 2)))
        cut, left = encoder.altered(ids, None, span)
        expected = encoder.forward(ids, kept(mask, 0, 2))
    assert torch.equal(after, mask) and torch.equal(hidden[-1], plain[-1])
    assert left.sum() == 2 and torch.equal(cut[-1], expected[-1])


def test_shuffled_positions_are_the_same_ones_in_another_order(encoder, batch):
    ids, mask = batch
    starts = 0 if encoder.backbone.config.model_type in ("bert", "distilbert", "electra", "modernbert") else 2
    seen = {}

    def watched(own, mask):
        seen["own"], seen["new"] = own, token_shuffle(own, mask, generator=torch_generator(0))
        return seen["new"]

    with encoder.evaluating(), torch.no_grad():
        plain = encoder.forward(ids, mask)
        hidden, after = encoder.altered(ids, mask, Alteration(positions=watched))
        # The same by the front door: every family takes position ids of one's own.
        direct = encoder.backbone(input_ids=ids, attention_mask=mask, position_ids=seen["new"]).last_hidden_state
    assert torch.equal(after, mask) and torch.equal(hidden[-1], direct)
    for own, new, length in zip(seen["own"], seen["new"], mask.sum(1).tolist(), strict=True):
        assert own[:length].tolist() == list(range(starts, starts + length))
        assert sorted(new[:length].tolist()) == own[:length].tolist()
        assert torch.equal(new[length:], own[length:])
    vectors, before = encoder.pool(hidden, ids, after), encoder.pool(plain, ids, mask)
    moved = (seen["own"] != seen["new"]).any(dim=1)
    assert moved.sum() >= 3
    assert ((vectors - before).abs().amax(dim=1) > 1e-3)[moved].all()


def test_a_position_free_encoder_does_not_see_a_shuffle(encoder, batch):
    ids, mask = batch
    weights = positions_of(encoder.backbone)
    before = [weight.detach().clone() for weight in weights]
    try:
        with encoder.evaluating(), torch.no_grad():
            for weight in weights:
                weight.zero_()
            plain = encoder.forward(ids, mask)
            hidden, after = encoder.altered(ids, mask, shuffle())
        torch.testing.assert_close(encoder.pool(hidden, ids, after), encoder.pool(plain, ids, mask))
    finally:
        for weight, old in zip(weights, before, strict=True):
            weight.data.copy_(old)


def positions_of(backbone):
    """What makes positions differ: their embeddings, or in ModernBERT the frequencies by which queries and keys are turned."""
    if backbone.config.model_type != "modernbert":
        return [backbone.embeddings.position_embeddings.weight]
    found = [tensor for name, tensor in backbone.rotary_emb.named_buffers() if name.endswith("attention_inv_freq")]
    assert len(found) == 2
    return found


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_new_mask_reaches_attention_and_pooling(encoder, batch, precision):
    ids, mask = batch
    span = Alteration(states=lambda states, mask: (states, kept(mask, 1, 3)))
    with encoder.evaluating(), torch.no_grad(), encoder.computing(precision, vocabulary=ids.numpy()) as states:
        hidden, left = states.altered(ids, mask, span)
        whole, masked = states(ids, mask), states(ids, kept(mask, 1, 3))
    assert torch.equal(left, kept(mask, 1, 3))
    assert torch.equal(hidden[-1], masked[-1]) and not torch.allclose(hidden[-1], whole[-1], atol=1e-3)
    pooled = encoder.pool(hidden, ids, left)
    torch.testing.assert_close(pooled[0], hidden[-1][0, 1:3].mean(dim=0))


def test_what_a_span_lost_has_no_influence(encoder, batch):
    """Other words outside the run, the same vector: they are gone from states, attention and pooling."""
    ids, mask = batch
    other = ids.clone()
    other[:, 1] = ids[:, 1].roll(1)

    def vectors(ids):
        span = Alteration(states=lambda states, mask: (states, kept(mask, 2, 4)))
        hidden, left = encoder.altered(ids[:3], mask[:3], span)
        return encoder.pool(hidden, ids[:3], left)

    with encoder.evaluating(), torch.no_grad():
        torch.testing.assert_close(vectors(ids), vectors(other))


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("training", [False, True])
def test_states_are_altered_where_the_embedding_module_ends(encoder, batch, precision, training):
    """Zero states give zero input to the first layer, or the bias of ELECTRA's widening; once, and then never again."""
    ids, mask = batch
    calls = []

    def zeroed(states, mask):
        calls.append(states)
        return torch.zeros_like(states), mask

    encoder.backbone.train(training)
    with torch.no_grad(), encoder.computing(precision, pooling="static_last", vocabulary=ids.numpy()) as states:
        hidden, _ = states.altered(ids, mask, Alteration(states=zeroed))
        again = states(ids, mask)
    encoder.backbone.eval()
    wide = getattr(encoder.backbone, "embeddings_project", None)
    expected = torch.zeros(32) if wide is None else wide.bias.detach()
    torch.testing.assert_close(hidden[0], expected.expand_as(hidden[0]), atol=1e-2, rtol=0)
    width = 16 if encoder.backbone.config.model_type == "electra" else 32
    assert len(calls) == 1 and calls[0].shape == (*ids.shape, width)
    assert calls[0].dtype == (torch.bfloat16 if precision == "bf16" else torch.float32)
    assert not torch.equal(again[0], hidden[0])
    embeddings = encoder.backbone.embeddings
    assert "forward" not in embeddings.__dict__
    assert not any(module._forward_pre_hooks for module in encoder.backbone.modules())


def test_nothing_stays_after_an_error(encoder, batch):
    def broken(states, mask):
        raise KeyError

    with encoder.evaluating(), torch.no_grad():
        plain = encoder.forward(*batch)
        with pytest.raises(KeyError):
            encoder.altered(*batch, Alteration(lambda ids, mask: ids.flip(1), broken))
        assert torch.equal(encoder.forward(*batch)[-1], plain[-1])


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_gradients_reach_the_weights_and_the_states(encoder, batch, precision):
    """As FGV does it: one pass for the gradient of a loss by the states, another along it, which has a higher loss."""
    ids, mask = batch
    target = torch.randn(len(ids), 32, generator=torch_generator(1))
    seen = []

    def watched(states, mask):
        seen.append(states)
        return states, mask

    def loss(states, change):
        hidden, left = states.altered(ids, mask, Alteration(states=change))
        return (encoder.pool(hidden, ids, left) * target).sum()

    with encoder.evaluating(), encoder.computing(precision, vocabulary=ids.numpy()) as states:
        before = loss(states, watched)
        (gradient,) = torch.autograd.grad(before, seen)
        assert all(weight.grad is None for weight in encoder.backbone.parameters())
        after = loss(states, partial(fgv, gradient=gradient, epsilon=0.1, generator=torch_generator(0)))
        states.give([states.gradients(after, torch.ones(()))])
    assert gradient.shape == seen[0].shape and (gradient * (1 - mask)[:, :, None]).abs().max() == 0
    assert after > before
    assert encoder.backbone.get_input_embeddings().weight.grad.abs().sum() > 0
    assert all(weight.grad.abs().sum() > 0 for weight in positions_of(encoder.backbone) if weight.requires_grad)
    encoder.backbone.zero_grad()


def test_matrices_before_and_after(encoder):
    alter = Alteration(
        partial(token_shuffle, generator=torch_generator(0)),
        partial(span_cutoff, rate=0.5, generator=torch_generator(0)),
    )
    encoder.backbone.train()
    found = encoder.embedding_matrices(TEXTS, alter)
    assert encoder.backbone.training
    encoder.backbone.eval()
    ids, mask = encoder.tokenise(TEXTS).batch(range(len(TEXTS)))
    with torch.no_grad():
        np.testing.assert_array_equal(found.before, encoder.backbone.embeddings(input_ids=ids).numpy())
    np.testing.assert_array_equal(found.mask_before, mask.numpy())
    gone = (found.mask_before == 1) & (found.mask_after == 0)
    assert gone.sum() == (mask.sum(1) - mask.sum(1) // 2).sum() and (found.after[gone] == 0).all()
    np.testing.assert_array_equal(found.after[mask.numpy() == 0], found.before[mask.numpy() == 0])
    moved = found.positions_before != found.positions_after
    assert moved.any() and found.positions_before.shape == ids.shape
    same = (found.mask_after == 1) & ~moved
    np.testing.assert_array_equal(found.after[same], found.before[same])
    changes = np.abs(found.after - found.before)[(found.mask_after == 1) & moved].max(axis=1)
    turned = encoder.backbone.config.model_type == "modernbert"  # positions act in the attention, not in the embeddings
    assert all(changes == 0) if turned else all(changes > 0)


def test_matrices_of_a_table_and_of_nothing_altered(encoder):
    found = encoder.embedding_matrices(encoder.tokenise(TEXTS[:2]), Alteration())
    np.testing.assert_array_equal(found.before, found.after)
    np.testing.assert_array_equal(found.positions_before, found.positions_after)
    assert found.before.dtype == np.float32
    cut = encoder.embedding_matrices(
        TEXTS, Alteration(states=partial(token_cutoff, rate=0.3, generator=torch_generator(0)))
    )
    lost = (cut.after == 0).all(axis=2) & (cut.before != 0).any(axis=2)
    assert lost.sum(axis=1).tolist() == [int(0.3 * length) for length in cut.mask_before.sum(axis=1)]


def test_a_backbone_without_positions_is_refused(encoder, batch):
    class Bare(torch.nn.Module):
        pass

    from workbench.models.alterations import altering

    with pytest.raises(BadModel, match="Bare has no embedding module"), altering(Bare(), shuffle(), *batch):
        pass
    with altering(Bare(), Alteration(), *batch) as seen:
        assert seen.mask is batch[1]


def test_dropout_twice(encoder, batch):
    """METHODS' first augmentation: alike without dropout, different with it, and the same again from the same seed."""
    ids, mask = batch

    def twice(rate):
        encoder.backbone.train()
        with encoder.dropout(rate), torch.no_grad(), seeded(0, "twice"):
            hidden = encoder.forward(ids.repeat(2, 1), mask.repeat(2, 1))
        encoder.backbone.eval()
        return encoder.pool(hidden, ids.repeat(2, 1), mask.repeat(2, 1)).chunk(2)

    a, b = twice(0.0)
    torch.testing.assert_close(a, b)
    a, b = twice(0.1)
    assert ((a - b).abs().amax(dim=1) > 1e-3).all()
    again = twice(0.1)
    assert torch.equal(a, again[0]) and torch.equal(b, again[1])
