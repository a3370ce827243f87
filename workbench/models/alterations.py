"""Changes between the tokenizer and the first layer: to position ids, states and mask."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from workbench.core.errors import BadModel
from workbench.models.attention import attention_mask

if TYPE_CHECKING:
    import numpy as np
    from jaxtyping import Float, Int
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone

    Ids = Int[Tensor, "batch tokens"]
    Given = tuple[object, ...]
    Named = dict[str, object]
    States = Float[Tensor, "batch tokens dim"]


@dataclass(frozen=True)
class Alteration:
    """Functions of a whole batch, each called once per pass; None changes nothing."""

    positions: "Callable[[Ids, Ids], Ids] | None" = None
    """(position ids, mask) -> position ids, as the model numbers them: RoBERTa and MPNet start at 2, and padding has 1."""
    states: "Callable[[States, Ids], tuple[States, Ids]] | None" = None
    """(states, mask) -> (states, mask), on the output of the embedding module: after its LayerNorm and dropout.

    ELECTRA widens the states only afterwards. They come in the precision they are computed in, bf16 or fp32.
    """


@dataclass
class Altered:
    """The result of an altered pass: the mask that attention used and that pooling must use."""

    mask: "Ids"


class Matrices(NamedTuple):
    """Token embeddings of some texts before and after an alteration, as arrays (texts, tokens[, dim])."""

    before: "np.ndarray"
    after: "np.ndarray"
    mask_before: "np.ndarray"
    mask_after: "np.ndarray"
    positions_before: "np.ndarray"
    positions_after: "np.ndarray"


@contextmanager
def altering(backbone: "Backbone", alter: Alteration, ids: "Ids", mask: "Ids | None") -> Iterator[Altered]:
    """A context in which one pass of `backbone` over `ids` and `mask` is altered; afterwards the result has the mask.

    Uses hooks, so it works whether the backbone is called with its weights or with others. MPNet's relative positions
    are not ids: shuffling the ids does not change them.

    Raises:
        BadModel: `alter` is not empty, and the backbone has no embedding module.
    """
    import torch

    given = torch.ones_like(ids) if mask is None else mask
    seen = Altered(given)
    if alter == Alteration():
        yield seen
        return
    embeddings = getattr(backbone, "embeddings", None)
    places = getattr(embeddings, "position_embeddings", None)
    if embeddings is None:
        raise BadModel(
            f"{type(backbone).__name__} has no embedding module.",
            rule="Positions and states are altered there.",
            way_out="Use augmentations of texts or vectors with it.",
        )
    hooks = []
    move = alter.positions
    if move is not None and places is not None:
        hooks.append(places.register_forward_pre_hook(lambda _, inputs: (move(inputs[0].expand(ids.shape), given),)))
    elif move is not None:

        def turn(_: "nn.Module", arguments: "Given", inputs: "Named") -> "tuple[Given, Named]":
            return arguments, inputs | {"position_ids": move(_numbered(ids), given)}

        hooks.append(backbone.register_forward_pre_hook(turn, with_kwargs=True))
    change = alter.states
    if change is not None:

        def embed(_: "nn.Module", arguments: "Given", inputs: "Named") -> "tuple[Given, Named]":
            # The model takes its mask in the same pass that computes the embeddings, so they are computed here first,
            # and the embedding module then returns them.
            states, seen.mask = change(embeddings(input_ids=inputs["input_ids"]), given)
            embeddings.forward = lambda *_, **__: states
            left: Named = {} if seen.mask is given else {"attention_mask": attention_mask(backbone, seen.mask)}
            return arguments, inputs | left

        hooks.append(backbone.register_forward_pre_hook(embed, with_kwargs=True))
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()
        embeddings.__dict__.pop("forward", None)


def _numbered(ids: "Ids") -> "Ids":
    """The position ids of a backbone that turns queries and keys by them, as ModernBERT does, instead of adding embeddings."""
    import torch

    return torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)


def matrices(backbone: "Backbone", alter: Alteration, ids: "Ids", mask: "Ids") -> Matrices:
    """See `Encoder.embedding_matrices`."""
    import torch

    positions = []

    def watched(ids: "Ids", mask: "Ids") -> "Ids":
        positions.append(ids)
        positions.append(ids if alter.positions is None else alter.positions(ids, mask))
        return positions[1]

    with torch.inference_mode():
        before = backbone.embeddings(input_ids=ids)
        if getattr(backbone.embeddings, "position_embeddings", None) is None:
            watched(_numbered(ids), mask)
            after = before
        else:
            with altering(backbone, Alteration(watched), ids, mask):
                after = backbone.embeddings(input_ids=ids)
        after, left = (after, mask) if alter.states is None else alter.states(after, mask)
    found = (before.float(), after.float(), mask, left, *positions)
    return Matrices(*(tensor.cpu().numpy() for tensor in found))
