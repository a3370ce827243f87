"""MODALS on pooled vectors, each formula by hand."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workbench.augmentations.vectors import METHODS
from workbench.augmentations.vectors.modals_extrapolation import modals_extrapolation
from workbench.augmentations.vectors.modals_gaussian import modals_gaussian
from workbench.augmentations.vectors.modals_interpolation import modals_interpolation
from workbench.augmentations.vectors.modals_linear import modals_linear
from workbench.core.seeds import torch_generator

every = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def some(rows, dim=8, seed=0):
    return torch.randn(rows, dim, generator=torch_generator(seed, "vectors")) + 0.5


@every
@given(rows=st.integers(0, 9), dim=st.integers(1, 5), bf16=st.booleans())
def test_magnitude_0_and_a_batch_of_one_are_the_identity(method, rows, dim, bf16):
    vectors = some(rows, dim).to(torch.bfloat16 if bf16 else torch.float32)
    still = method.fn(vectors, magnitude=0.0, generator=torch_generator(0))
    assert torch.equal(still, vectors) and still.dtype == vectors.dtype
    if rows == 1:
        assert torch.equal(method.fn(vectors, magnitude=1.0, generator=torch_generator(0)), vectors)


@every
def test_vectors_move_and_the_input_is_not_modified(method):
    vectors = some(12)
    moved = method.fn(vectors, generator=torch_generator(0))
    assert ((moved - vectors).abs().amax(dim=1) > 1e-4).all() and torch.equal(vectors, some(12))
    half = method.fn(vectors.bfloat16(), generator=torch_generator(0))
    assert half.dtype == torch.bfloat16 and torch.isfinite(half).all()


@every
def test_the_other_vectors_are_constants_for_gradients(method):
    vectors = some(12).requires_grad_()
    method.fn(vectors, magnitude=0.25, generator=torch_generator(0))[3].sum().backward()
    own = {"modals_interpolation": 0.75, "modals_extrapolation": 1.25}.get(method.id, 1.0)
    expected = torch.zeros(12, 8)
    expected[3] = own
    torch.testing.assert_close(vectors.grad, expected)


@every
def test_equal_rows_stay_where_they_are(method):
    vectors = torch.ones(6, 4, requires_grad=True)
    moved = method.fn(vectors, magnitude=1.0, generator=torch_generator(0))
    moved.sum().backward()
    assert torch.equal(moved, vectors) and torch.isfinite(vectors.grad).all()


@given(st.integers(2, 30), st.integers(0, 99))
def test_interpolation_at_1_gives_another_row(rows, seed):
    vectors = some(rows)
    moved = modals_interpolation(vectors, magnitude=1.0, generator=torch_generator(seed))
    for place, row in enumerate(moved):
        found = [other for other in range(rows) if torch.equal(vectors[other], row)]
        assert found and place not in found


@pytest.mark.parametrize(("rows", "best"), [(60, 3 / 4), (38, 1 / 2)])
def test_interpolation_takes_the_most_similar_of_those_drawn(rows, best):
    """Of 60 rows three are candidates, and the best of three evenly spread ranks is 3/4 on average; of 38 one is."""
    vectors = some(rows) + torch.arange(8.0)
    centred = (vectors - vectors.mean(dim=0)).double()
    cosines = torch.corrcoef(torch.cat([centred, -centred], dim=1))[:rows, :rows].fill_diagonal_(torch.nan)
    picks = []
    for seed in range(300):
        moved = modals_interpolation(vectors, magnitude=1.0, temperature=10.0, generator=torch_generator(seed))
        places = (moved[:, None] == vectors[None]).all(dim=2).int().argmax(dim=1)
        picks.append(cosines[torch.arange(rows), places])
    ranks = (cosines[None, :, :] < torch.stack(picks)[:, :, None]).double().sum(dim=2) / (rows - 2)
    # Temperature 10 makes all nearly as likely.
    assert ranks.mean().item() == pytest.approx(best, abs=0.03)


def test_interpolation_draws_by_distance_from_the_mean():
    """One candidate of five: drawn with softmax(distance / temperature) among the other four."""
    vectors = torch.tensor([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]]) + 3
    generator, counts, draws = torch_generator(0), torch.zeros(5), 8000
    for _ in range(draws):
        moved = modals_interpolation(vectors, magnitude=1.0, temperature=0.5, generator=generator)
        counts[(vectors == moved[0]).all(dim=1).int().argmax()] += 1
    weights = np.exp(np.array([1, 1, 2, 2]) / 0.5)
    np.testing.assert_allclose(counts[1:] / draws, weights / weights.sum(), atol=0.02)
    assert counts[0] == 0


@pytest.mark.parametrize("magnitude", [0.1, 0.5, 1.0])
def test_extrapolation_by_hand(magnitude):
    vectors = some(7)
    moved = modals_extrapolation(vectors, magnitude=magnitude, generator=torch_generator(0))
    plain = vectors.numpy()
    mean = sum(plain) / 7
    for before, after in zip(plain, moved.numpy(), strict=True):
        np.testing.assert_allclose(after - before, magnitude * (before - mean), atol=1e-5)
    torch.testing.assert_close(moved.mean(dim=0), vectors.mean(dim=0))


@given(st.integers(2, 12), st.integers(0, 99))
def test_linear_steps_are_differences_of_two_rows(rows, seed):
    vectors = some(rows)
    moved = modals_linear(vectors, magnitude=0.5, generator=torch_generator(seed))
    gaps = (vectors[:, None] - vectors[None]).reshape(-1, 8)
    for step in (moved - vectors) / 0.5:
        near = (gaps - step).abs().amax(dim=1) < 1e-4
        assert near.any() and step.abs().max() > 1e-3


def test_linear_draws_every_pair_equally_often():
    vectors = torch.tensor([[0.0], [1.0], [3.0]])
    generator = torch_generator(0)
    steps = torch.cat(
        [modals_linear(vectors, magnitude=1.0, generator=generator) - vectors for _ in range(4000)]
    ).round()
    values, counts = steps.unique(return_counts=True)
    assert values.tolist() == [-3, -2, -1, 1, 2, 3]
    np.testing.assert_allclose(counts / len(steps), 1 / 6, atol=0.02)


def test_gaussian_noise_scales_with_the_spread_of_each_dimension():
    vectors = some(20_000) * torch.tensor([0.0, 0.1, 1.0, 2.0, 5.0, 0.5, 1.5, 3.0])
    moved = modals_gaussian(vectors, magnitude=0.3, generator=torch_generator(0))
    step = (moved - vectors).double()
    variance = vectors.double().var(dim=0, correction=0)
    torch.testing.assert_close(step.var(dim=0), 0.09 * variance, rtol=0.05, atol=1e-9)
    assert (step.mean(dim=0).abs() <= 0.02 * variance.sqrt()).all()
    assert torch.corrcoef(step[:, 1:].T).fill_diagonal_(0).abs().max() < 0.05
