"""What a run trains besides the backbone: the head and the objectives' modules, built, named and saved."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig, Term
from workbench.core.method import calling, described, find, wrong_return
from workbench.core.seeds import seeded
from workbench.heads import build
from workbench.models.walks import named_parameters_of
from workbench.objectives import GUIDE
from workbench.objectives import METHODS as OBJECTIVES
from workbench.training.weights import first_names

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder


def new_head(encoder: "Encoder", config: RunConfig) -> "nn.Module | None":
    """The head of a training, if it has one, with weights determined by the seed."""
    model = config.model
    if not model.head:
        return None
    with seeded(config.training.seed, "head"):
        head = build(model.head, encoder.width(model.pooling), **model.head_settings)
    return head.to(encoder.device)


def guide(encoder: "Encoder", term: Term) -> "Encoder | None":
    """The frozen second model that scores how similar texts are, if the term's loss needs one; else None."""
    name = str(term.settings.get(GUIDE, "")) if term.loss else ""
    if not name:
        return None
    from workbench.models.load import load

    found = load(name, device=str(encoder.device))
    found.backbone.requires_grad_(False)
    return found


def new_objectives(encoder: "Encoder", config: RunConfig) -> "dict[int, nn.Module]":
    """The objectives of a training by term number, with weights determined by the seed."""
    bare = copy.copy(encoder)  # pooled as in training: without the head that came with the model
    bare.pooling, bare.head = config.model.pooling, None
    found: dict[int, nn.Module] = {}
    for number, term in enumerate(config.terms):
        if term.objective:
            with seeded(config.training.seed, "objective", number):
                found[number] = _objective(bare, term).to(encoder.device)
    return found


def _objective(encoder: "Encoder", term: Term) -> "nn.Module":
    """The module of a term's objective, on the CPU.

    Raises:
        BadMethod: the objective fails, or does not return a module.
    """
    from torch import nn

    method = find(OBJECTIVES, "objective", term.objective)
    with calling("objective", method):
        module: object = method.fn(encoder, **term.settings)
    if not isinstance(module, nn.Module):
        raise wrong_return("objective", method, "a module", described(module))
    return module


def named_parameters(
    encoder: "Encoder", head: "nn.Module | None", objectives: "Mapping[int, nn.Module]"
) -> "dict[str, nn.Parameter]":
    """Everything that is trained, by name."""
    found = {f"backbone.{name}": p for name, p in named_parameters_of(encoder.backbone).items() if p.requires_grad}
    if head is not None:
        found |= {f"head.{name}": p for name, p in named_parameters_of(head).items()}
    for number, module in objectives.items():
        own = {name: p for name, p in named_parameters_of(module).items() if p.requires_grad}
        found |= {f"objectives.{number}.{name}": p for name, p in own.items()}
    return found


def weights(encoder: "Encoder", head: "nn.Module | None", objectives: "Mapping[int, nn.Module]") -> "dict[str, Tensor]":
    """Detached fp32 tensors of backbone, head and objectives, by name."""
    found = {f"backbone.{name}": tensor for name, tensor in encoder.backbone.state_dict().items()}
    if head is not None:
        found |= {f"head.{name}": tensor for name, tensor in head.state_dict().items()}
    for number, module in objectives.items():
        own, first = module.state_dict(), first_names(module)
        found |= {f"objectives.{number}.{name}": own[name] for name in own if first[name] == name}
    return {name: tensor.detach() for name, tensor in found.items()}


@contextmanager
def counted_once(modules: "Sequence[nn.Module | None]") -> Iterator[None]:
    """A context in which batch normalisation updates temporary copies of its statistics, since it sees the batch again later."""
    kept = [(own, dict(own._buffers)) for module in modules if module is not None for own in module.modules()]
    try:
        for own, before in kept:
            own._buffers.update({name: one if one is None else one.clone() for name, one in before.items()})
        yield
    finally:
        for own, before in kept:
            own._buffers.update(before)
