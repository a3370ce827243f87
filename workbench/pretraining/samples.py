"""Masked tokens of held-out text and what the model currently predicts for them: what a loss of 3 nats looks like."""

from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadModel
from workbench.pretraining.vocabulary import begins
from workbench.store.shapes import Covered, Filled

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast

    from workbench.pretraining.loop import MaskedLoop

TEXTS = 3
MOST_TOKENS = 28
APART = 7
"""Fewest tokens from one masked token to the next, so that each has context."""
TOP = 3


def filled(loop: "MaskedLoop", count: int = TEXTS) -> list[Filled]:
    """A few held-out sequences, always the same ones, in which some words that are a single piece are masked.

    Each is a dict with `text`, which contains the mask tokens, and `covered`: for each mask the original `piece` and in
    `named` the most likely pieces, as (piece, probability).
    """
    import torch

    tokenizer = loop.encoder.tokenizer
    places = len(loop.tables.validation) // loop.room
    starts = np.unique(np.linspace(0, places - 1, min(count, places)).astype(int)) * loop.room
    found: list[Filled] = []
    with loop._ready(training=False) as ready, torch.inference_mode():
        for start in starts.tolist():
            own = loop.tables.validation[start : start + min(loop.room, MOST_TOKENS)].astype(np.int64)
            masks = _places(own, tokenizer)
            seen = own.copy()
            seen[masks] = tokenizer.mask_token_id
            first, last = loop._first, loop._last
            ids = torch.from_numpy(np.concatenate([[first], seen, [last]]))[None].to(loop.encoder.device)
            shares = ready.head(ready.states(ids, None)[:, [place + 1 for place in masks]])[0].float().softmax(dim=1)
            best = shares.topk(min(TOP, shares.shape[1]), dim=1)
            covered: list[Covered] = [
                {"piece": _shown(tokenizer, own[place]), "named": _named(tokenizer, row, chances)}
                for place, row, chances in zip(masks, best.indices, best.values, strict=True)
            ]
            found.append({"text": _text(tokenizer, own, masks), "covered": covered})
    return found


def _places(ids: np.ndarray, tokenizer: "PreTrainedTokenizerFast") -> list[int]:
    """Positions, spaced apart, of words that are a single piece; of any pieces if the vocabulary does not mark words."""
    words = [place for place in range(1, len(ids) - 1) if ids[place] not in tokenizer.all_special_ids]
    try:
        first = begins(tokenizer)
        words = [place for place in words if first[ids[place]] and first[ids[place + 1]]] or words
    except BadModel:
        pass
    words = [place for place in words if _shown(tokenizer, ids[place]).isalpha()] or words
    found: list[int] = []
    for place in words:
        if place >= (found[-1] if found else 0) + min(APART, len(ids) - 1) or (not found and place == words[-1]):
            found.append(place)
    return found


def _shown(tokenizer: "PreTrainedTokenizerFast", piece: int) -> str:
    return str(tokenizer.decode([int(piece)])).strip()


def _named(tokenizer: "PreTrainedTokenizerFast", row: "Tensor", chances: "Tensor") -> list[tuple[str, float]]:
    return [
        (_shown(tokenizer, one), round(float(share), 4))
        for one, share in zip(row.tolist(), chances.tolist(), strict=True)
    ]


def _text(tokenizer: "PreTrainedTokenizerFast", ids: np.ndarray, masks: list[int]) -> str:
    parts, low = [], 0
    for place in [*masks, len(ids)]:
        parts.append(str(tokenizer.decode(ids[low:place].tolist(), clean_up_tokenization_spaces=True)).strip())
        low = place + 1
    return f" {tokenizer.mask_token} ".join(parts).strip()
