"""A batch without padding: all tokens in one row, with attention within each text."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.device import current, placed, queues
from workbench.models.dropout import dropped
from workbench.models.layout import FROM_PADDING

if TYPE_CHECKING:
    import numpy as np
    from torch import Generator, Tensor, nn

    from workbench.models.backbone import Backbone
    from workbench.models.fused_attention import Texts
    from workbench.models.graphs import Graphs
    from workbench.models.heads_apart import Heads

NAME = "workbench_unpadded"
FAMILIES = ("bert", "electra", "distilbert", *FROM_PADDING)
"""Families whose attention can be replaced."""
BLOCKS = 2
"""Groups of texts of similar length that attention pads: more groups cost more calls, fewer cost larger products. On a GPU
all texts are one group, see `fused_attention` and `heads_apart`: there each call costs more than padding the attention."""
SIXTEENTHS = 16
"""In training on a GPU, numbers of tokens are rounded up to a multiple of a sixteenth of the power of 2 below, which adds 2 to
3 %: a step then runs from one of a few CUDA graphs, see `graphs`."""


@dataclass(frozen=True)
class Block:
    """Texts of similar length: indices of their tokens in the row and in the block, and the mask of its padding."""

    rows: int
    width: int
    source: "Tensor"
    back: "Tensor"
    bias: "Tensor | None"


@dataclass(frozen=True)
class Unpadded:
    """Layout of one batch: ids and positions of shape (1, all tokens), texts from short to long."""

    ids: "Tensor"
    positions: "Tensor"
    blocks: tuple[Block, ...]
    places: "Tensor"
    """For each token of the row, its index in the flattened padded batch."""
    shape: tuple[int, int]
    generator: "Generator | None" = None
    heads: "Heads | None" = None
    """What attention needs on a GPU, instead of blocks."""
    texts: "Texts | None" = None
    """What attention needs on a GPU with Triton, instead of both."""

    def padded(self, states: "Tensor") -> "Tensor":
        """States of shape (1, all tokens, dim) as (batch, tokens, dim), with zeros at the padding."""
        rows, width = self.shape
        empty = states.new_zeros(rows * width, states.shape[-1])
        return empty.index_copy(0, self.places, states.squeeze(0)[: len(self.places)]).view(rows, width, -1)


def supports(backbone: "Backbone") -> bool:
    """Whether this backbone can run without padding. MPNet cannot, because it adds relative positions to the attention."""
    return backbone.config.model_type in FAMILIES and hasattr(backbone.config, "_attn_implementation")


def layout_of(backbone: "Backbone", ids: "Tensor", mask: "Tensor", generator: "Generator | None" = None) -> Unpadded:
    """The layout of a padded batch, on the backbone's device. Ids and mask are in CPU memory, (batch, tokens); padding must be
    at the end of each row.
    """
    import numpy as np
    import torch

    config = backbone.config
    first = (config.pad_token_id or 0) + 1 if config.model_type in FROM_PADDING else 0
    lengths = mask.numpy().sum(axis=1)
    order = np.argsort(lengths, kind="stable")
    rows, width = ids.shape
    if queues(backbone.device):
        return _whole(backbone, ids, mask, lengths, first)
    places, blocks, start = [], [], 0
    for part in np.array_split(order, min(BLOCKS, len(order))):
        own = lengths[part]
        widest, columns = int(own.max()), np.arange(int(own.max()))[None, :]
        real = columns < own[:, None]
        begin = start + np.concatenate([[0], np.cumsum(own)[:-1]])
        # Padding in the block reads the text's first token; the bias hides it, and its output is dropped.
        source = np.where(real, begin[:, None] + columns, begin[:, None])
        bias = None
        if not real.all():
            bias = torch.zeros(len(part), 1, 1, widest)
            bias.masked_fill_(torch.from_numpy(~real)[:, None, None, :], float("-inf"))
        back = torch.from_numpy(np.flatnonzero(real))
        blocks.append(Block(len(part), widest, torch.from_numpy(source.reshape(-1)), back, bias))
        places.append((part[:, None] * width + columns)[real])
        start += int(own.sum())
    where = torch.from_numpy(np.concatenate(places))
    positions = where % width + first
    return Unpadded(ids.reshape(-1)[where][None], positions[None], tuple(blocks), where, (rows, width), generator)


def _whole(backbone: "Backbone", ids: "Tensor", mask: "Tensor", lengths: "np.ndarray", first: int) -> Unpadded:
    """The layout of all texts as one group, for a GPU."""
    import numpy as np
    import torch

    from workbench.models import fused_attention, heads_apart

    device, width = backbone.device, ids.shape[1]
    shape = (len(ids), width)
    # With NumPy: torch would wake its threads for each of these small operations.
    full = np.flatnonzero(mask.numpy())
    tokens, positions = ids.numpy().reshape(-1)[full], full % width + first
    heads = int(backbone.config.num_attention_heads)
    if not fused_attention.fits(device, int(lengths.max()), int(backbone.config.hidden_size) // heads, backbone.dtype):
        places, row, order = (placed(one, device) for one in (full, tokens, positions))
        own = heads_apart.layout_of(places, lengths, width, heads)
        return Unpadded(row[None], order[None], (), places, shape, heads=own)
    tile = fused_attention.tile(int(lengths.max()))
    if torch.is_grad_enabled():
        more = fillers(len(full), tile)
        lengths = np.concatenate([lengths, more])
        tokens = np.append(tokens, np.full(more.sum(), backbone.config.pad_token_id or 0))
        positions = np.append(positions, np.full(more.sum(), first))
    starts = np.cumsum(lengths) - lengths
    parts = full, tokens, positions, starts.astype(np.int32), lengths.astype(np.int32)
    places, row, order, begin, length = (placed(one, device) for one in parts)
    texts = fused_attention.Texts(begin, length, tile)
    return Unpadded(row[None], order[None], (), places, shape, texts=texts)


def fillers(tokens: int, longest: int) -> "np.ndarray":
    """Lengths of texts of padding, the same number of them for all numbers of tokens that are rounded up to the same one.

    >>> fillers(1000, 16).tolist(), fillers(1020, 16).tolist()
    ([16, 8], [4, 0])
    """
    import numpy as np

    step = max(1, 2 ** (tokens.bit_length() - 1) // SIXTEENTHS)
    missing, count = -tokens % step, -(-step // longest)
    return np.clip(missing - longest * np.arange(count), 0, longest)


def run(
    backbone: "Backbone", layout: Unpadded, every_layer: bool, graphs: "Graphs | None" = None
) -> "Sequence[Tensor]":
    """States of every layer, or only of the last one, each of shape (1, all tokens, dim); the last one's from `graphs`."""
    import torch

    inputs = {"input_ids": layout.ids, "position_ids": layout.positions, "unpadded": layout}
    if backbone.config.model_type != "distilbert":
        inputs["token_type_ids"] = torch.zeros_like(layout.ids)
    running = graphs.running(backbone, layout) if graphs is not None and not every_layer else nullcontext()
    with current(backbone.device), running:
        output = backbone(**inputs, output_hidden_states=every_layer)
    return (*output.hidden_states[:-1], output.last_hidden_state) if every_layer else (output.last_hidden_state,)


def attention(
    module: "nn.Module",
    query: "Tensor",
    key: "Tensor",
    value: "Tensor",
    attention_mask: object,
    scaling: float | None = None,
    dropout: float = 0.0,
    *,
    unpadded: Unpadded,
    **_: object,
) -> "tuple[Tensor, None]":
    """Every token attends to the tokens of its text. Takes (1, heads, all tokens, dim of a head); returns
    (1, all tokens, heads, dim of a head).
    """
    import torch

    if unpadded.texts is not None:
        from workbench.models import fused_attention

        return fused_attention.attention(query, key, value, unpadded.texts, scaling, dropout), None
    if unpadded.heads is not None:
        from workbench.models import heads_apart

        return heads_apart.attention(query, key, value, unpadded.heads, scaling, dropout), None
    rows = [states[0].transpose(0, 1) for states in (query, key, value)]
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    found = []
    for block in unpadded.blocks:
        shape = (block.rows, block.width, *rows[0].shape[1:])
        q, k, v = (states.index_select(0, block.source).view(shape).transpose(1, 2) for states in rows)
        scores = (q @ k.transpose(-1, -2)) * scale
        if block.bias is not None:
            scores = scores + block.bias.to(scores.dtype)
        weights = scores.softmax(dim=-1)
        if dropout > 0:
            weights = dropped(weights, dropout, unpadded.generator)
        mixed = (weights @ v).transpose(1, 2).reshape(block.rows * block.width, *rows[0].shape[1:])
        found.append(mixed.index_select(0, block.back))
    return torch.cat(found)[None], None


def register() -> None:
    """Register the attention with transformers; repeated calls are harmless."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attention)
