"""Properties that every loss has, whatever its inputs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from tests.losses.plain import arguments, shape_checked, views
from workbench.core.config import Term
from workbench.core.errors import BadData
from workbench.losses import INPUTS, METHODS, needs, takes
from workbench.objectives import contrasts

EVERY = [pytest.param(method, id=name) for name, method in METHODS.items()]
FURTHER = [pytest.param(method, id=name) for name, method in METHODS.items() if needs(method) != ("a", "b")]


def encoded(given_inputs):
    return {name: tensor for name, tensor in given_inputs.items() if INPUTS[name] == "encoded"}


@pytest.mark.parametrize("method", EVERY)
def test_the_inputs_are_declared_once_and_known(method):
    assert set(needs(method) + takes(method)) <= set(INPUTS)
    assert method.inputs == tuple(name for name in needs(method) if name not in ("a", "b"))
    assert "a" in needs(method)


@pytest.mark.parametrize("method", EVERY)
@given(order=st.permutations(range(5)), seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_order_of_the_batch_does_not_matter(method, order, seed):
    given_inputs = arguments(method, seed=seed)
    turned = {name: tensor[list(order)] for name, tensor in given_inputs.items()}
    assert method.fn(**turned).item() == pytest.approx(method.fn(**given_inputs).item(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", EVERY)
def test_contrasts_is_right_about_pushing_a_text_away_from_its_batch(method):
    """If so, other texts in the batch change a text's gradient; all scores are equal here, so that they order no pairs."""

    def moved(seed):
        others = arguments(method, seed=seed)
        given_inputs = {name: torch.cat([first[name][:1], tensor[1:]]) for name, tensor in others.items()}
        given_inputs |= {"gold": torch.ones(5)} if "gold" in given_inputs else {}
        given_inputs["a"].requires_grad_()
        (gradient,) = torch.autograd.grad(method.fn(**given_inputs), given_inputs["a"])
        return gradient[0]

    first = arguments(method, seed=0)
    assert contrasts(Term(loss=method.id)) == (not torch.allclose(moved(1), moved(2), atol=1e-9))


@pytest.mark.parametrize("method", FURTHER)
def test_gradient_is_that_of_the_formula(method):
    given_inputs = arguments(method, rows=3, dim=4)
    names = list(encoded(given_inputs))

    def loss(*tensors):
        return method.fn(**given_inputs | dict(zip(names, tensors, strict=True)))

    assert torch.autograd.gradcheck(loss, [given_inputs[name].clone().requires_grad_() for name in names])


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_loss_and_gradient_are_finite_and_no_frozen_input_gets_any(method, dtype):
    given_inputs = arguments(method, rows=8, dim=16)
    trained = encoded(given_inputs)
    given_inputs |= {name: tensor.to(dtype) for name, tensor in trained.items()}
    given_inputs = {name: tensor.clone().requires_grad_() for name, tensor in given_inputs.items()}
    value = method.fn(**given_inputs)
    value.backward()
    assert value.dtype in (torch.float32, torch.float64) and torch.isfinite(value)
    for name, tensor in given_inputs.items():
        if name in trained:
            assert tensor.grad.dtype == dtype and torch.isfinite(tensor.grad).all() and tensor.grad.abs().sum() > 0
        else:
            assert tensor.grad is None


@pytest.mark.parametrize("method", FURTHER)
def test_degenerate_rows_stay_finite(method):
    given_inputs = {name: tensor.float().clone() for name, tensor in arguments(method).items()}
    trained = list(encoded(given_inputs).values())
    trained[0][0] = 0  # an empty vector
    for other in trained[1:]:
        other[1] = trained[0][1]  # equal vectors, where a square root has no derivative
    trained = [tensor.requires_grad_() for tensor in trained]
    value = method.fn(**given_inputs)
    value.backward()
    assert torch.isfinite(value) and all(torch.isfinite(tensor.grad).all() for tensor in trained)


@pytest.mark.parametrize("method", EVERY)
def test_autocast_does_not_reach_the_arithmetic(method):
    given_inputs = arguments(method, rows=8, dim=64, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        inside = method.fn(**given_inputs)
    assert inside.item() == method.fn(**given_inputs).item()


@pytest.mark.parametrize("method", FURTHER)
def test_inputs_that_are_not_aligned_are_refused(method):
    given_inputs = arguments(method)
    for name in given_inputs:
        with pytest.raises(BadData):
            method.fn(**given_inputs | {name: given_inputs[name][:4]})


@pytest.mark.parametrize("method", FURTHER)
def test_shapes_in_the_signature_hold(method):
    given_inputs = arguments(method)
    checked = shape_checked(method.fn)
    assert checked(**given_inputs).shape == ()
    with pytest.raises(TypeCheckError):
        checked(**given_inputs | {"a": given_inputs["a"][:, :3]})


@pytest.mark.parametrize("method", FURTHER)
def test_ten_steps_of_descent_lower_it(method):
    given_inputs = arguments(method, rows=8, dim=8)
    names = list(encoded(given_inputs))
    trained = {name: given_inputs[name].clone().requires_grad_() for name in names}

    def loss():
        return method.fn(**given_inputs | trained)

    first = loss().item()
    optimiser = torch.optim.SGD(trained.values(), lr=0.2)
    for _ in range(10):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
    assert loss().item() < first


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_gpu_gives_the_value_of_the_processor(method, dtype):
    given_inputs = arguments(method, rows=32, dim=64, dtype=torch.float32)
    given_inputs |= {name: tensor.to(dtype) for name, tensor in encoded(given_inputs).items()}
    there = {name: tensor.cuda() for name, tensor in given_inputs.items()}
    with torch.autocast("cuda", torch.bfloat16):
        value = method.fn(**there)
    assert value.is_cuda and value.dtype == torch.float32
    assert value.item() == pytest.approx(method.fn(**given_inputs).item(), rel=1e-4, abs=1e-5)


def test_no_loss_duplicates_another_under_a_new_name():
    """At default settings on the same views; the only permitted equivalence is a different layout."""
    given_inputs = dict(zip([name for name, kind in INPUTS.items() if kind == "encoded"], views(5), strict=True))
    given_inputs |= dict(zip(("guide_a", "guide_b", "guide_negatives"), views(3, seed=9), strict=True))
    given_inputs |= {"gold": torch.arange(5.0), "changed": torch.tensor([True, True, False, True, True])}
    values = {}
    for name, method in METHODS.items():
        values[name] = round(method.fn(**{key: given_inputs[key] for key in needs(method) + takes(method)}).item(), 9)
    assert values.pop("ntxent_interleaved") == pytest.approx(values["ntxent_2n"], abs=1e-6)
    assert len(set(values.values())) == len(values), values
