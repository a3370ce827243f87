"""Attention for batches without padding, with dropout from a given generator, so that threads may share a model."""

from typing import TYPE_CHECKING

from workbench.models.dropout import dropped

if TYPE_CHECKING:
    from torch import Generator, Tensor, nn

NAME = "workbench_varlen"


def attention(
    module: "nn.Module",
    query: "Tensor",
    key: "Tensor",
    value: "Tensor",
    attention_mask: object,
    scaling: float | None = None,
    dropout: float = 0.0,
    *,
    drawing: "Generator | None" = None,
    **_: object,
) -> "tuple[Tensor, None]":
    """Every token attends to every token of its row. Takes (batch, heads, tokens, dim of a head); returns
    (batch, tokens, heads, dim of a head).
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    weights = ((query * scale) @ key.transpose(-1, -2)).softmax(dim=-1)
    if dropout > 0:
        weights = dropped(weights, dropout, drawing)
    return (weights @ value).transpose(1, 2), None


def register() -> None:
    """Register the attention with transformers; repeated calls are harmless."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attention)
