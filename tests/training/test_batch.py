"""What a step gives an objective besides vectors: states with dropout, layers, places of tokens, passes without a gradient."""

import numpy as np
import pytest
import torch

from tests.objectives.trial import contrast, loop_of
from tests.tiny import tiny_model
from workbench.core.seeds import seeded

LONG_AND_SHORT = ["the man plays a guitar in the red ball", "a dog", "the cat is not on the ball", "this"] * 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("tiny"), layers=4)


def batch_of(folder, texts=LONG_AND_SHORT, **changes):
    """The batch of eight texts, as the loop makes it for its only term; the backbone was last used without dropout."""
    loop = loop_of(folder, contrast(), columns={"text": texts}, **changes)
    loop.encoder.backbone.eval()
    return loop._batch(0, loop.config.terms[0], np.arange(8), 0)


def states(batch, ids, mask, **settings):
    with seeded(0, "states"):
        return batch.states(ids, mask, **settings).detach()


def without_dropout(batch, ids, mask):
    batch.encoder.backbone.eval()
    with torch.no_grad():
        return batch.encoder.backbone(input_ids=ids, attention_mask=mask).last_hidden_state * mask[:, :, None]


def real(states, mask):
    return states * mask[:, :, None]


def test_states_are_those_of_the_backbone_with_the_dropout_of_the_run(folder):
    plain, noisy = batch_of(folder), batch_of(folder, dropout=0.3)
    ids, mask = plain.tokens("a")
    torch.testing.assert_close(real(states(plain, ids, mask), mask), without_dropout(plain, ids, mask))
    assert (states(noisy, ids, mask) - states(plain, ids, mask)).abs().max() > 0.1
    assert noisy.passed == mask.sum()


@pytest.mark.parametrize("changes", [{"dropout": 0.3}, {"drophead": 0.5}])
def test_a_rate_given_for_the_states_is_the_only_one(folder, changes):
    batch = batch_of(folder, **changes)
    ids, mask = batch.tokens("a")
    alone = states(batch, ids, mask)
    assert (real(alone, mask) - without_dropout(batch, ids, mask)).abs().max() > 0.1
    torch.testing.assert_close(real(states(batch, ids, mask, rate=0.0), mask), without_dropout(batch, ids, mask))
    if "dropout" in changes:
        torch.testing.assert_close(states(batch_of(folder), ids, mask, rate=0.3), alone, rtol=0, atol=0)


def test_heads_are_dropped_for_each_text_by_itself(folder):
    batch = batch_of(folder, texts=["the man plays"] * 8, drophead=0.5)
    assert len(states(batch, *batch.tokens("a"))[:, 0].unique(dim=0)) == 8


@pytest.mark.parametrize("pooling", ["mean", "first_last", "last2"])
def test_a_layer_is_pooled_as_if_the_backbone_ended_there(folder, pooling):
    batch = batch_of(folder, pooling=pooling, eval_pooling=pooling)
    ids, mask = batch.tokens("a")
    found = batch.layers(ids, mask, [2, 4])
    assert batch.passed == mask.sum()
    whole = batch.encoder.backbone.eval().encoder.layer
    for vectors, depth in zip(found, (2, 4), strict=True):
        batch.encoder.backbone.encoder.layer = whole[:depth]
        with torch.no_grad():
            given = batch.encoder.backbone(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        first, last = {"mean": (depth, depth), "first_last": (1, depth), "last2": (depth - 1, depth)}[pooling]
        tokens = (given.hidden_states[first] + given.hidden_states[last]) / 2
        wanted = [row[: int(length)].mean(dim=0) for row, length in zip(tokens, mask.sum(dim=1), strict=True)]
        torch.testing.assert_close(vectors.detach(), torch.stack(wanted))
    batch.encoder.backbone.encoder.layer = whole


def test_layers_have_the_dropout_of_the_run(folder):
    plain, noisy, heads = batch_of(folder), batch_of(folder, dropout=0.3), batch_of(folder, drophead=0.5)
    ids, mask = plain.tokens("a")
    (still,) = plain.layers(ids, mask, [4])
    for batch in (noisy, heads):
        batch.encoder.backbone.eval()
        assert (batch.layers(ids, mask, [4])[0] - still).abs().max() > 0.1


def test_places_are_those_of_the_real_tokens_in_their_own_columns(folder):
    batch, mask = batch_of(folder), torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    assert [tensor.tolist() for tensor in batch.places(mask)] == [[0, 0, 0, 1, 2, 2], [0, 1, 2, 0, 0, 1]]
    assert [tensor.tolist() for tensor in batch.places(mask, skipped=1)] == [[0, 0, 2], [1, 2, 1]]
    assert [tensor.tolist() for tensor in batch.places(mask, skipped=2)] == [[0], [2]]


@pytest.mark.parametrize(("parts", "sizes"), [(0, [8]), (3, [3, 3, 2]), (20, [1] * 8)])
def test_passes_are_cut_into_the_micro_batches_of_the_run(folder, parts, sizes):
    batch = batch_of(folder, memory_parts=parts)
    weight = torch.ones((), requires_grad=True)
    seen = []

    def scaled(rows, numbers):
        seen.append(len(rows))
        return weight * rows * numbers[:, None]

    rows, numbers = torch.randn(8, 2), torch.arange(8.0)
    still = batch.without_gradient(scaled, rows, numbers)
    assert seen == sizes and not still.requires_grad
    trained = batch.apart(scaled, rows, numbers)
    for values in (still, trained):
        torch.testing.assert_close(values, rows * numbers[:, None])
    trained.sum().backward()
    torch.testing.assert_close(weight.grad, (rows * numbers[:, None]).sum())
