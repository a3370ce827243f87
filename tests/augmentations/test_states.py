"""Altered embedding outputs: exact counts, padding and other numbers bit-equal, and formulas by hand."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.augmentations.states import METHODS
from workbench.augmentations.states._draws import picked, share
from workbench.augmentations.states.embedding_dropout import embedding_dropout
from workbench.augmentations.states.feature_cutoff import feature_cutoff
from workbench.augmentations.states.fgsm import fgsm
from workbench.augmentations.states.fgv import fgv
from workbench.augmentations.states.pca_jitter import pca_jitter
from workbench.augmentations.states.span_cutoff import span_cutoff
from workbench.augmentations.states.token_cutoff import token_cutoff
from workbench.core.seeds import torch_generator

DTYPES = st.sampled_from([torch.float32, torch.bfloat16])
RATES = st.integers(0, 90).map(lambda percent: percent / 100)
SEEDS = st.integers(0, 99)
every = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@st.composite
def batches(draw):
    """States without a zero, and a mask of any pattern: real positions need not come first."""
    tokens, dim = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    row = st.lists(st.integers(0, 1), min_size=tokens, max_size=tokens)
    mask = torch.tensor(draw(st.lists(row, min_size=1, max_size=5)))
    values = torch.randn(*mask.shape, dim, generator=torch_generator(draw(SEEDS), "states"))
    return (values + 0.1 * values.sign()).to(draw(DTYPES)), mask


def front(lengths, dim=8, seed=0):
    """States and a mask of these lengths, padding at the end."""
    lengths = torch.tensor(lengths)
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
    return torch.randn(*mask.shape, dim, generator=torch_generator(seed, "states")), mask


def call(method, states, mask, seed=0, **values):
    if method.inputs:
        values["gradient"] = torch.randn(states.shape, generator=torch_generator(1)).to(states.dtype)
    return method.fn(states, mask, **values, generator=torch_generator(seed))


def exact(rate, amount):
    return floor(Fraction(str(rate)) * amount)


@every
@given(batch=batches(), seed=SEEDS)
def test_shape_type_and_input_stay(method, batch, seed):
    states, mask = batch
    before = states.clone(), mask.clone()
    found, left = call(method, states, mask, seed)
    assert found.shape == states.shape and found.dtype == states.dtype and torch.isfinite(found).all()
    assert left.shape == mask.shape and left.dtype == mask.dtype
    assert torch.equal(states, before[0]) and torch.equal(mask, before[1])
    if method.id != "span_cutoff":
        assert torch.equal(left, mask)
    if method.id != "feature_cutoff":
        assert torch.equal(found[mask == 0], states[mask == 0])


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_flow_to_what_remains(method, dtype):
    states, mask = front([6, 9, 2])
    states = states.to(dtype).requires_grad_()
    found, _ = call(method, states, mask)
    found.sum().backward()
    cut = (found == 0) & (states != 0)
    assert torch.equal(states.grad, (~cut).to(dtype))


@given(RATES, st.integers(0, 600_000))
def test_share_is_the_exact_floor(rate, amount):
    assert share(rate, torch.tensor([amount])).item() == exact(rate, amount)


@given(st.integers(1, 40), st.integers(1, 5), SEEDS)
def test_picked_has_the_exact_count_and_grows_with_it(places, rows, seed):
    open_places = torch.rand(rows, places, generator=torch_generator(seed)) < 0.7
    few = torch.randint(places + 1, (rows,), generator=torch_generator(seed, 1)).minimum(open_places.sum(dim=1))
    many = (few + 2).minimum(open_places.sum(dim=1))
    less, more = (picked(open_places, counts, torch_generator(seed)) for counts in (few, many))
    assert torch.equal(less.sum(dim=1), few) and torch.equal(more.sum(dim=1), many)
    assert not (less & ~more).any() and not (more & ~open_places).any()


@given(batches(), RATES, SEEDS)
def test_token_cutoff_counts(batch, rate, seed):
    states, mask = batch
    found, _ = token_cutoff(states, mask, rate=rate, generator=torch_generator(seed))
    gone = (found == 0).all(dim=2)
    assert gone.sum(dim=1).tolist() == [exact(rate, int(length)) for length in mask.sum(dim=1)]
    assert torch.equal(found[~gone], states[~gone]) and not gone[mask == 0].any()


@given(batches(), RATES, SEEDS)
def test_feature_cutoff_counts(batch, rate, seed):
    states, mask = batch
    found, _ = feature_cutoff(states, mask, rate=rate, generator=torch_generator(seed))
    gone = (found == 0).all(dim=1)
    assert gone.sum(dim=1).tolist() == [exact(rate, states.shape[2])] * len(states)
    kept = ~gone[:, None, :].expand(states.shape)
    assert torch.equal(found[kept], states[kept]) and (found[~kept] == 0).all()


@given(batches(), RATES, SEEDS)
def test_embedding_dropout_counts(batch, rate, seed):
    states, mask = batch
    found, _ = embedding_dropout(states, mask, rate=rate, generator=torch_generator(seed))
    gone = found == 0
    assert gone.sum(dim=(1, 2)).tolist() == [exact(rate, int(length) * states.shape[2]) for length in mask.sum(dim=1)]
    assert torch.equal(found[~gone], states[~gone]) and not gone[mask == 0].any()


def test_embedding_dropout_is_exact_where_random_keys_are_often_equal():
    states, mask = torch.ones(2, 512, 768), torch.ones(2, 512, dtype=torch.long)
    found, _ = embedding_dropout(states, mask, rate=0.2, generator=torch_generator(0))
    assert (found == 0).sum(dim=(1, 2)).tolist() == [78643, 78643]  # floor(.2 * 512 * 768)


@given(batches(), RATES, SEEDS)
def test_span_cutoff_keeps_one_run(batch, rate, seed):
    states, mask = batch
    found, left = span_cutoff(states, mask, rate=rate, generator=torch_generator(seed))
    for before, after, real, kept in zip(states, found, mask.bool(), left.bool(), strict=True):
        length = int(real.sum())
        window = min(length, max(1, floor((1 - Fraction(str(rate))) * length)))
        assert not (kept & ~real).any() and kept.sum() == window
        assert "0" not in "".join(map(str, kept[real].int().tolist())).strip("0")
        assert torch.equal(after[kept | ~real], before[kept | ~real]) and (after[real & ~kept] == 0).all()


def test_span_cutoff_starts_anywhere_and_nests():
    states, mask = front([10] * 6000)
    _, low = span_cutoff(states, mask, rate=0.3, generator=torch_generator(0))
    _, high = span_cutoff(states, mask, rate=0.6, generator=torch_generator(0))
    assert not (high & ~low).any()
    starts = low.argmax(dim=1).bincount(minlength=10)
    assert (starts[4:] == 0).all() and (starts[:4] - 1500).abs().max() < 170  # 5 standard deviations of 34


@pytest.mark.parametrize("name", ["token_cutoff", "embedding_dropout"])
def test_six_tokens_at_15_percent(name):
    """floor(.15 * 6) = 0: a no-op for whole tokens, and floor(.15 * 48) = 7 single numbers of 8 dimensions."""
    states, mask = front([6, 6])
    found, _ = METHODS[name].fn(states, mask, rate=0.15, generator=torch_generator(0))
    assert (found == 0).sum().item() == {"token_cutoff": 0, "embedding_dropout": 14}[name]


@pytest.mark.parametrize("name", ["token_cutoff", "feature_cutoff", "embedding_dropout"])
def test_sentences_draw_independently_and_uniformly(name):
    states, mask = torch.ones(4000, 5, 5), torch.ones(4000, 5, dtype=torch.long)
    found, _ = METHODS[name].fn(states, mask, rate=0.4, generator=torch_generator(0))
    torch.testing.assert_close((found == 0).double().mean(dim=0), torch.full((5, 5), 0.4).double(), atol=0.04, rtol=0)


@given(batches(), st.floats(0.01, 5.0), SEEDS)
def test_fgv_moves_each_real_token_by_epsilon(batch, epsilon, seed):
    states, mask = batch[0].float(), batch[1]
    gradient = torch.randn(states.shape, generator=torch_generator(seed))
    gradient = 1e-3 * (gradient + 0.1 * gradient.sign())
    gradient[0, 0] = 0
    found, _ = fgv(states, mask, gradient, epsilon=epsilon, generator=torch_generator(0))
    step = (found - states).double().numpy()
    for row, token in np.ndindex(*mask.shape):
        push = gradient[row, token].double().numpy()
        length = np.sqrt(sum(push**2))
        if not mask[row, token] or length == 0:
            assert (step[row, token] == 0).all()
        else:
            np.testing.assert_allclose(step[row, token], epsilon * push / length, atol=1e-5 * max(1, epsilon))
            assert np.linalg.norm(step[row, token]) == pytest.approx(epsilon, abs=1e-5 * max(1, epsilon))


def test_fgv_in_bf16_and_of_a_bf16_gradient():
    states, mask = torch.zeros(2, 4, 16, dtype=torch.bfloat16), torch.ones(2, 4, dtype=torch.long)
    gradient = torch.randn(2, 4, 16, generator=torch_generator(0)).bfloat16() * 1e-4
    found, _ = fgv(states, mask, gradient, epsilon=1.0, generator=torch_generator(0))
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.float().norm(dim=2), torch.ones(2, 4), atol=1e-2, rtol=0)


@given(batches(), SEEDS)
def test_fgsm_is_epsilon_times_the_sign(batch, seed):
    states, mask = batch
    gradient = torch.randn(states.shape, generator=torch_generator(seed))
    gradient[..., 0] = 0
    found, _ = fgsm(states, mask, gradient, epsilon=0.5, generator=torch_generator(0))
    step = (found.float() - states.float()) * mask[:, :, None]
    expected = 0.5 * gradient.sign() * mask[:, :, None]
    torch.testing.assert_close(step, expected, atol=3e-2 if states.dtype == torch.bfloat16 else 1e-5, rtol=0)
    assert (step[..., 0] == 0).all()


@pytest.mark.parametrize("adversarial", [fgv, fgsm])
def test_the_gradient_is_a_constant(adversarial):
    states, mask = front([5, 3])
    gradient = torch.randn(states.shape, generator=torch_generator(1)).requires_grad_()
    assert not adversarial(states, mask, gradient, generator=torch_generator(0))[0].requires_grad


def jitter_by_hand(states, alpha):
    """The formula with the covariance of the dimensions, for one sentence without padding and up to the signs of eigenvectors."""
    values = states.double().numpy()
    centred = values - values.mean(axis=0)
    sigma = np.sqrt((centred**2).mean())
    covariance = (centred / sigma).T @ (centred / sigma) / len(values)
    sizes, vectors = np.linalg.eigh(covariance)
    return sigma * alpha * sizes, vectors


@pytest.mark.parametrize("tokens", [2, 3, 7, 20])
def test_pca_jitter_by_hand(tokens):
    """Every coordinate of the shift on the eigenvectors is sigma * alpha * eigenvalue, with signs by the heaviest token."""
    states, mask = front([tokens])
    found, _ = pca_jitter(states, mask, scale=0.1, generator=torch_generator(5))
    alpha = 0.1 * torch.randn(1, generator=torch_generator(5)).item()
    expected, vectors = jitter_by_hand(states[0], alpha)
    shift = (found - states).double().numpy()[0]
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-6)
    weights = (states[0] - states[0].mean(dim=0)).double().numpy() @ vectors
    heaviest = (np.abs(weights) >= 0.999 * np.abs(weights).max(axis=0)).argmax(axis=0)
    signs = np.sign(weights[heaviest, np.arange(len(heaviest))])
    np.testing.assert_allclose(shift[0] @ vectors, signs * expected, atol=1e-5)


@given(batches(), SEEDS)
def test_pca_jitter_is_one_shift_in_the_span_of_a_sentence(batch, seed):
    states, mask = batch[0].float(), batch[1]
    found, _ = pca_jitter(states, mask, scale=0.1, generator=torch_generator(seed))
    for before, after, real in zip(states, found, mask.bool(), strict=True):
        shift, rows = (after - before)[real].double(), before[real].double()
        if len(rows) < 2:
            assert (shift == 0).all()
            continue
        torch.testing.assert_close(shift, shift[:1].expand_as(shift), atol=1e-5, rtol=0)
        centred = (rows - rows.mean(dim=0)).numpy()
        solution = np.linalg.lstsq(centred.T, shift[0].numpy(), rcond=1e-6)[0]
        np.testing.assert_allclose(centred.T @ solution, shift[0], atol=1e-4)


def test_pca_jitter_at_0_or_with_equal_tokens_is_the_identity():
    states, mask = front([5, 1, 3])
    assert torch.equal(pca_jitter(states, mask, scale=0.0, generator=torch_generator(0))[0], states)
    alike = states[:, :1].expand(states.shape).contiguous() * 1e3
    assert torch.equal(pca_jitter(alike, mask, scale=0.1, generator=torch_generator(0))[0], alike)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_pca_jitter_grows_with_the_states(factor):
    states, mask = front([5, 8])
    once = pca_jitter(states, mask, scale=0.1, generator=torch_generator(0))[0] - states
    more = pca_jitter(states * factor, mask, scale=0.1, generator=torch_generator(0))[0] - states * factor
    torch.testing.assert_close(more / factor, once, atol=1e-4, rtol=1e-3)


def test_pca_jitter_does_not_see_padding():
    states, mask = front([5, 8])
    other = states + 7 * (1 - mask)[:, :, None]
    once = pca_jitter(states, mask, scale=0.1, generator=torch_generator(0))[0] - states
    again = pca_jitter(other, mask, scale=0.1, generator=torch_generator(0))[0] - other
    torch.testing.assert_close(again, once, atol=1e-5, rtol=0)


def test_pca_jitter_draws_one_factor_per_sentence():
    states, mask = front([6])
    many, masks = states.repeat(4000, 1, 1), mask.repeat(4000, 1)
    shift = (pca_jitter(many, masks, scale=0.1, generator=torch_generator(0))[0] - many)[:, 0]
    lengths = shift.norm(dim=1) * torch.where(shift[:, shift[0].abs().argmax()] > 0, 1.0, -1.0)
    assert torch.linalg.matrix_rank(shift, rtol=1e-4) == 1
    expected, _ = jitter_by_hand(states[0], 0.1)
    assert lengths.std().item() == pytest.approx(np.linalg.norm(expected), rel=0.05)
    assert abs(lengths.mean().item()) < 0.06 * lengths.std().item()
