"""Every pooling by loops and floats, and properties of all of them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import BadData, BadModel, BadSetting
from workbench.pooling import METHODS

MASK_ID = 7


def case(rows: int = 3, tokens: int = 5, dim: int = 4, layers: int = 3, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    states = tuple(torch.randn(rows, tokens, dim, generator=generator) for _ in range(layers + 1))
    lengths = torch.randint(1, tokens + 1, (rows,), generator=generator)
    mask = (torch.arange(tokens) < lengths[:, None]).long()
    ids = torch.randint(0, MASK_ID, (rows, tokens), generator=generator)
    ids[torch.arange(rows), lengths - 1] = MASK_ID
    weights = torch.randn(MASK_ID + 1, dim, generator=generator)
    return states, mask, ids, weights


def call(name, states, mask, ids, weights):
    more = {"pooler": lambda last: torch.tanh(last[:, 0])} if name == "pooler" else {}
    more |= {"mask_id": MASK_ID} if name == "mask_token" else {}
    return METHODS[name].fn(states, mask, ids=ids, weights=weights, **more)


def by_hand(name, states, mask, ids, weights):
    rows = []
    for row in range(len(mask)):
        real = [token for token in range(mask.shape[1]) if mask[row, token]]
        at = {
            "cls": lambda t, r=row: states[-1][r, 0],
            "pooler": lambda t, r=row: torch.tanh(states[-1][r, 0]),
            "mean": lambda t, r=row: states[-1][r, t],
            "last2": lambda t, r=row: (states[-1][r, t] + states[-2][r, t]) / 2,
            "first_last": lambda t, r=row: (states[1][r, t] + states[-1][r, t]) / 2,
            "static_last": lambda t, r=row: (states[0][r, t] + states[-1][r, t]) / 2,
            "static": lambda t, r=row: weights[int(ids[r, t])],
            "mask_token": lambda t, r=row, end=real[-1]: states[-1][r, end],
        }[name]
        rows.append(sum(at(token) for token in real) / len(real))
    return torch.stack(rows)


SPECIFIED = ("cls", "pooler", "mean", "last2", "first_last", "static_last", "static", "mask_token")


def test_every_pooling_of_the_specification_exists():
    assert set(METHODS) >= set(SPECIFIED)


@pytest.mark.parametrize("name", METHODS)
def test_the_vectors_are_one_row_a_text_and_the_inputs_stay(name):
    inputs = case()
    copies = [tensor.clone() for tensor in (*inputs[0], *inputs[1:])]
    vectors = call(name, *inputs)
    assert vectors.shape == (3, 4) and vectors.isfinite().all()
    assert all(torch.equal(a, b) for a, b in zip((*inputs[0], *inputs[1:]), copies, strict=True))


@pytest.mark.parametrize("name", SPECIFIED)
@given(seed=st.integers(0, 1000), layers=st.integers(1, 4))
@settings(max_examples=15)
def test_equals_the_formula_by_loops(name, seed, layers):
    inputs = case(seed=seed, layers=layers)
    copies = [tensor.clone() for tensor in (*inputs[0], *inputs[1:])]
    torch.testing.assert_close(call(name, *inputs), by_hand(name, *inputs))
    assert all(torch.equal(a, b) for a, b in zip((*inputs[0], *inputs[1:]), copies, strict=True))


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_states_that_it_needs_are_enough_and_no_fewer_are(name):
    states, mask, ids, weights = case()
    least = int(METHODS[name].tags.get("states", 1))
    assert call(name, states[:least], mask, ids, weights).isfinite().all()
    if least > 1:
        with pytest.raises(IndexError):
            call(name, states[: least - 1], mask, ids, weights)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_padding_changes_nothing(name):
    states, mask, ids, weights = case()
    padded = tuple(torch.nn.functional.pad(layer, (0, 0, 0, 3), value=99.0) for layer in states)
    more = call(
        name,
        padded,
        torch.nn.functional.pad(mask, (0, 3)),
        torch.nn.functional.pad(ids, (0, 3), value=MASK_ID),
        weights,
    )
    torch.testing.assert_close(more, call(name, states, mask, ids, weights), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_row_without_tokens_is_an_error(name):
    states, mask, ids, weights = case()
    mask[1] = 0
    with pytest.raises(BadData, match="Row 1 has no token"):
        call(name, states, mask, ids, weights)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_gradients_are_finite(name):
    states, mask, ids, weights = case()
    leaves = [tensor.requires_grad_() for tensor in (*states, weights)]
    call(name, states, mask, ids, weights).square().sum().backward()
    grads = [leaf.grad for leaf in leaves if leaf.grad is not None]
    assert grads and all(grad.isfinite().all() for grad in grads)


def test_last2_of_equal_layers_is_mean():
    states, mask, _, _ = case()
    states = (*states[:-1], states[-2])
    torch.testing.assert_close(METHODS["last2"].fn(states, mask), METHODS["mean"].fn(states, mask))


def test_mean_of_identical_rows_is_that_row_also_in_half_precision():
    row = torch.randn(4).bfloat16()
    states = (row.expand(2, 300, 4),)
    got = METHODS["mean"].fn(states, torch.ones(2, 300, dtype=torch.long))
    assert got.dtype == torch.float32
    torch.testing.assert_close(got, row.float().expand(2, 4))


def test_one_layer_first_last_is_mean():
    states, mask, _, _ = case(layers=1)
    torch.testing.assert_close(METHODS["first_last"].fn(states, mask), METHODS["mean"].fn(states, mask))


def test_mask_token_takes_the_last_one_and_refuses_rows_without():
    states = (torch.arange(4.0).reshape(1, 4, 1),)
    mask = torch.tensor([[1, 1, 1, 0]])
    assert METHODS["mask_token"].fn(states, mask, ids=torch.tensor([[7, 7, 1, 7]]), mask_id=7).item() == 1.0
    with pytest.raises(BadData, match="no mask token"):
        METHODS["mask_token"].fn(states, mask, ids=torch.tensor([[1, 1, 1, 7]]), mask_id=7)


def test_missing_inputs_are_named():
    states, mask, ids, _ = case()
    with pytest.raises(BadModel, match="pooler"):
        METHODS["pooler"].fn(states, mask)
    with pytest.raises(BadSetting, match="embedding matrix"):
        METHODS["static"].fn(states, mask, ids=ids)
    with pytest.raises(BadSetting, match="mask token"):
        METHODS["mask_token"].fn(states, mask, ids=ids)


def test_shapes_are_those_of_the_signature():
    from beartype import beartype
    from jaxtyping import Float, Int, jaxtyped
    from torch import Tensor

    states, mask, ids, weights = case()
    for name, method in METHODS.items():
        fn = method.fn
        if name == "pooler":  # its callable stands in quotes of its own
            continue
        fn.__globals__.update(Float=Float, Int=Int, Tensor=Tensor)
        checked = jaxtyped(typechecker=beartype)(fn)
        more = {"mask_id": MASK_ID} if name == "mask_token" else {}
        assert checked(states, mask, ids=ids, weights=weights, **more).shape == (3, 4)
