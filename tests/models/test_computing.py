"""States of a backbone with padding left out are those that it gives with padding."""

import pytest
import torch

from tests.tiny import FAMILIES, tiny_model
from tests.trial import TEXTS
from workbench.core.seeds import seeded
from workbench.models import computing
from workbench.models.alterations import Alteration
from workbench.models.computing import states_of
from workbench.models.load import load
from workbench.models.thread_pool import ThreadPool


@pytest.fixture(scope="module", params=FAMILIES)
def encoder(request, tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp(request.param), request.param, "plain")))


def batch_of(encoder):
    texts = [" ".join(TEXTS[row : row + 1 + row % 3]) for row in range(8)]
    return encoder.tokenise(texts).batch(range(8), "cpu")


@pytest.mark.parametrize("every_layer", [False, True])
def test_the_states_of_real_tokens_and_their_gradients(encoder, every_layer):
    ids, mask = batch_of(encoder)
    assert int(mask.sum()) < mask.numel()
    weights = [p for p in encoder.backbone.parameters() if p.requires_grad]
    real, found = mask.bool(), []
    for own in (
        states_of(encoder.backbone, ids, mask, every_layer=every_layer),
        encoder.forward(ids, mask, every_layer=every_layer),
    ):
        slopes = torch.autograd.grad(sum(layer[real].square().sum() for layer in own), weights, allow_unused=True)
        found.append(([layer[real] for layer in own], [slope for slope in slopes if slope is not None]))
    (states, slopes), (wanted, wished) = found
    assert len(states) == len(wanted) == (3 if every_layer else 1)
    torch.testing.assert_close(states, wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(slopes, wished, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("width", ["as they are", "with a hole"])
def test_vectors_in_the_place_of_first_tokens(encoder, width):
    ids, mask = batch_of(encoder)
    if width == "with a hole":
        mask[:, 1] = 0
    real = mask.bool()
    embeddings = encoder.backbone.embeddings
    dim = encoder.backbone.get_input_embeddings().weight.shape[1]
    vectors = torch.randn(len(ids), dim, generator=torch.Generator().manual_seed(0)).requires_grad_()
    own = states_of(encoder.backbone, ids, mask, first=vectors)[0][real]
    put = Alteration(states=lambda states, mask: (torch.cat([vectors[:, None], states[:, 1:]], dim=1), mask))
    wanted = encoder.altered(ids, mask, put, every_layer=False)[0][0][real]
    torch.testing.assert_close(own, wanted, atol=1e-5, rtol=1e-4)
    slopes = [torch.autograd.grad(states.square().sum(), vectors)[0] for states in (own, wanted)]
    torch.testing.assert_close(*slopes, atol=1e-4, rtol=1e-3)
    assert slopes[0].abs().max() > 0 and not embeddings._forward_hooks
    assert not torch.allclose(own, states_of(encoder.backbone, ids, mask)[0][real], atol=1e-3)


def test_a_mask_with_a_hole_is_taken_as_it_is(encoder):
    ids, mask = batch_of(encoder)
    mask[:, 1] = 0
    own = states_of(encoder.backbone, ids, mask)[0]
    torch.testing.assert_close(own, encoder.forward(ids, mask, every_layer=False)[0])


def test_its_dropout_follows_from_the_seed_and_is_off_out_of_training(encoder):
    ids, mask = batch_of(encoder)
    real = mask.bool()

    def noisy(seed):
        with seeded(seed), encoder.evaluating(), encoder.dropout(0.3):
            encoder.backbone.train()
            return states_of(encoder.backbone, ids, mask)[0][real]

    assert torch.equal(noisy(0), noisy(0)) and not torch.equal(noisy(0), noisy(1))
    plain = states_of(encoder.backbone, ids, mask)[0]
    assert torch.equal(plain, states_of(encoder.backbone, ids, mask)[0])


def test_padding_is_left_out_where_the_family_can(encoder, monkeypatch):
    ids, mask = batch_of(encoder)
    seen, run = [], computing.unpadded.run
    monkeypatch.setattr(computing.unpadded, "run", lambda *given: seen.append(given[1].ids.shape) or run(*given))
    states_of(encoder.backbone, ids, mask)
    assert seen == ([] if encoder.backbone.config.model_type in ("mpnet", "modernbert") else [(1, int(mask.sum()))])
    assert encoder.backbone.config._attn_implementation != computing.unpadded.NAME


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("pool", [None, ThreadPool(2)], ids=["alone", "by threads"])
def test_gradients_are_added_to_what_is_there_and_a_tables_memory_is_used_again(encoder, precision, pool):
    ids, mask = batch_of(encoder)
    table = encoder.backbone.get_input_embeddings().weight
    weights = {name: p for name, p in encoder.backbone.named_parameters() if p.requires_grad}

    def gradients(before):
        for parameter in weights.values():
            parameter.grad = before
        states = encoder.prepared(precision, vocabulary=ids.unique().numpy(), unpadded=True)
        with states.active():
            outputs = [states(ids[part], mask[part])[-1] for part in (slice(0, 4), slice(4, 8))]
        found = [states.gradients(output, torch.ones_like(output) / 8) for output in outputs]
        states.give(found, pool)
        wanted = {owner: torch.zeros_like(owner) for owner in weights.values()}
        for own in found:
            for leaf, given in zip(states.leaves, own, strict=True):
                if given is not None and leaf.rows is None:
                    wanted[leaf.owner] += given.float()
                elif given is not None:
                    wanted[leaf.owner].index_add_(0, leaf.rows, given.float())
        return wanted

    first = gradients(None)
    memory = table.grad
    for owner, wanted in first.items():
        if owner.grad is not None:
            torch.testing.assert_close(owner.grad, wanted)
        assert owner.grad is not None or not wanted.any()
    memory.fill_(7)  # whatever was left there is not added to
    second = gradients(None)
    assert table.grad is memory
    torch.testing.assert_close(memory, second[table])
    for parameter in weights.values():
        parameter.grad = torch.ones_like(parameter)
    states = encoder.prepared(precision, vocabulary=ids.unique().numpy(), unpadded=True)
    with states.active():
        output = states(ids, mask)[-1]
    (found,) = [states.gradients(output, torch.ones_like(output) / 8)]
    states.give([found, found], pool)
    for leaf, given in zip(states.leaves, found, strict=True):
        if given is not None and leaf.rows is None:
            torch.testing.assert_close(leaf.owner.grad, 1 + 2 * given.float())
    for parameter in weights.values():
        parameter.grad = None
