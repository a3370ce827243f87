"""Heads: projections between pooling and loss, used in training only unless a recipe keeps them. One file each.

Each is a function `(dim, *, <settings>) -> nn.Module`, with torch imported inside; the module maps (batch, dim) to (batch, out).

Tags: `normalised`, over what, if a head has batch normalisation.
"""

from typing import TYPE_CHECKING

from workbench.core.config import Value
from workbench.core.discovery import discover
from workbench.core.method import calling, described, find, wrong_return

if TYPE_CHECKING:
    from torch import nn

METHODS = discover(__name__, list(__path__))


def build(name: str, dim: int, **settings: Value) -> "nn.Module":
    """The head called `name` for vectors of that length, on the CPU, once it has been tried on two of them.

    Raises:
        UnknownName: no such head.
        BadMethod: a plug-in's head that fails, or a head that gives no float32 vector for each.

    >>> sum(weight.numel() for weight in build("mlp", 3).parameters())  # 3 * 3 + 3
    12
    """
    import torch
    from torch import nn

    method = find(METHODS, "head", name)
    with calling("head", method):
        head = method.fn(dim, **settings)
    if not isinstance(head, nn.Module):
        raise wrong_return("head", method, "a module", described(head))
    training = head.training
    # In evaluation mode, in which batch normalisation takes any number of vectors and remembers none.
    with calling("head", method), torch.no_grad():
        out = head.eval()(torch.zeros(2, dim))
    if not isinstance(out, torch.Tensor) or out.ndim != 2 or len(out) != 2 or out.dtype != torch.float32:
        raise wrong_return("head", method, "a module from (batch, dim) to (batch, out) in float32", described(out))
    return head.train(training)
