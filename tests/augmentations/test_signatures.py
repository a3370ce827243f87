"""Methods on tensors have the shapes of their signatures and refuse others."""

import inspect
from types import FunctionType

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, Int, TypeCheckError, jaxtyped

from workbench.augmentations import positions, states, vectors
from workbench.core.seeds import torch_generator

LEVELS = {"positions": positions.METHODS, "states": states.METHODS, "vectors": vectors.METHODS}
EVERY = [pytest.param(level, method, id=name) for level, methods in LEVELS.items() for name, method in methods.items()]


def shape_checked(fn):
    """`fn` with its quoted shapes evaluated, so that jaxtyping and beartype check them at every call."""
    names = {"Float": Float, "Int": Int, "Tensor": torch.Tensor, "Generator": torch.Generator}
    copy = FunctionType(fn.__code__, fn.__globals__, fn.__name__)
    copy.__kwdefaults__ = fn.__kwdefaults__
    copy.__annotations__ = {
        name: eval(annotation, names) if isinstance(annotation, str) else annotation
        for name, annotation in inspect.get_annotations(fn).items()
    }
    return jaxtyped(typechecker=beartype)(copy)


@pytest.mark.parametrize(("level", "method"), EVERY)
def test_shapes_in_the_signature_hold(level, method):
    mask = torch.ones(3, 5, dtype=torch.long)
    rows = torch.randn(3, 5, 4)
    good = {"positions": [mask.cumsum(dim=1), mask], "vectors": [rows[:, 0]]}.get(
        level, [rows, mask, *[rows] * len(method.inputs)]
    )
    checked = shape_checked(method.fn)
    checked(*good, generator=torch_generator(0))
    for place in range(len(good)):
        wrong = [*good[:place], good[place][..., None], *good[place + 1 :]]
        with pytest.raises(TypeCheckError):
            checked(*wrong, generator=torch_generator(0))
    with pytest.raises(TypeError):
        checked(*good)
    assert all(name not in method.tags for name in ("language", "alias"))
    assert method.tags["class"] in ("meaning_alteration", "possible", "preserving")
    assert method.tags["role"] in ("positive", "negative")
