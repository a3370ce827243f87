"""Example arguments for losses, and formulas computed with plain loops and floats."""

import inspect
import math
import types

import torch
from beartype import beartype
from jaxtyping import Bool, Float, jaxtyped

from workbench.losses import INPUTS, needs


def views(count=2, rows=5, dim=6, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, rows, dim, generator=generator, dtype=dtype).unbind()


def arguments(method, settings=None, **shape):
    """All inputs that a loss needs, by name: random vectors and integer scores."""
    names = needs(method, settings)
    made = dict(zip(names, views(len(names), **shape), strict=True))
    return {
        name: torch.arange(len(view), dtype=view.dtype).mul(7).remainder(4) if INPUTS[name] == "score" else view
        for name, view in made.items()
    }


def cosine(x, y):
    dot = sum(p * q for p, q in zip(x, y, strict=True))
    return dot / math.sqrt(sum(p * p for p in x)) / math.sqrt(sum(q * q for q in y))


def picking(own, others):
    """Cross-entropy of picking the logit `own` among itself and `others`."""
    return -math.log(math.exp(own) / (math.exp(own) + sum(map(math.exp, others))))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def shape_checked(fn):
    """`fn` with its quoted shape annotations evaluated, so that jaxtyping and beartype check them at every call."""
    names = {**fn.__globals__, "Float": Float, "Bool": Bool, "Tensor": torch.Tensor}
    copy = types.FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)
    copy.__kwdefaults__ = fn.__kwdefaults__
    copy.__annotations__ = {
        name: eval(annotation, names) if isinstance(annotation, str) else annotation
        for name, annotation in inspect.get_annotations(fn).items()
    }
    return jaxtyped(typechecker=beartype)(copy)
