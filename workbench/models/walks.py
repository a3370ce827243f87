"""Walks through the modules of a model, several in each training step: torch's own take five times as long."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


def modules_of(model: "nn.Module") -> "list[nn.Module]":
    """A model and all modules inside it, in the order of `model.modules()`; one that occurs twice is listed twice."""
    found: list[nn.Module] = []

    def add(module: "nn.Module") -> None:
        found.append(module)
        for child in module._modules.values():
            if child is not None:
                add(child)

    add(model)
    return found


def named_parameters_of(model: "nn.Module") -> "dict[str, nn.Parameter]":
    """What `model.named_parameters()` gives: one with several names is listed under the first."""
    found: dict[str, nn.Parameter] = {}
    seen: set[int] = set()

    def add(prefix: str, module: "nn.Module") -> None:
        for name, one in module._parameters.items():
            if one is not None and id(one) not in seen:
                seen.add(id(one))
                found[prefix + name] = one
        for name, child in module._modules.items():
            if child is not None:
                add(f"{prefix}{name}.", child)

    add("", model)
    return found


def set_mode(model: "nn.Module", *, training: bool) -> None:
    """`model.train(training)`, unless every module is in that mode."""
    if any(module.training != training for module in modules_of(model)):
        model.train(training)
