"""The word embeddings of an encoder by how frequent their tokens are in some texts."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

EDGES = (0, 100, 500, 5_000, 10_000)
"""Ranks at which the bins begin and end, as in the paper's table, whose last bin is printed as 5K to 1K."""
NEIGHBOURS = (3, 5, 7)
"""Numbers of nearest embeddings over which distances and products are averaged."""
CHUNK = 512
"""Tokens whose distances to all others are held at once."""


class Bin(TypedDict):
    """The tokens of a range of ranks."""

    first: int
    """Rank of the most frequent one, from 0."""
    last: int
    """Rank of the rarest one."""
    tokens: int
    occurrences: int
    norm: float
    """Mean length of their embeddings."""
    distances: list[float]
    """Mean Euclidean distance to the nearest embeddings, for each number in `NEIGHBOURS`."""
    products: list[float]
    """Mean product with the embeddings that have the largest products with them, for each number in `NEIGHBOURS`."""


def by_frequency(
    encoder: "Encoder",
    texts: Sequence[str],
    *,
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
) -> list[Bin]:
    """Length of word embeddings and nearness to others, by the rank of their tokens in `texts`; empty bins are left out.

    Neighbours are looked for among the embeddings of all tokens but special ones, whether they occur in the texts or not.
    Nearest by distance and largest by product are chosen apart: the paper does not say whether it did. Li et al. 2020, On
    the Sentence Embeddings from Pre-trained Language Models, arXiv:2011.05864, table 1. Texts are tokenised with the
    lock held, if one is given; the rest reads weights only, while others may compute.

    Raises:
        BadData: no token of the vocabulary occurs.
    """
    import torch

    with torch.inference_mode():
        table = encoder.backbone.get_input_embeddings().weight.float()
        special = np.asarray(encoder.tokenizer.all_special_ids, dtype=np.int64)
        with lock or nullcontext():
            ids = encoder.tokens.table(texts, encoder.max_length).ids
        counts = np.bincount(ids, minlength=len(table))
        counts[special[special < len(counts)]] = 0
        words = np.setdiff1d(np.arange(len(table)), special)
        ranked = np.lexsort((np.arange(len(counts)), -counts))[: min(int((counts > 0).sum()), EDGES[-1])]
        most = min(max(NEIGHBOURS), len(words) - 1)
        if not len(ranked) or most < 1:
            raise BadData("No token of the vocabulary occurs in these texts.", way_out="Name a corpus with words.")
        others = table[torch.from_numpy(words).to(table.device)]
        place = np.searchsorted(words, ranked)  # of each ranked token among the others
        lengths = np.empty(len(ranked))
        distances, products = np.empty((len(ranked), most)), np.empty((len(ranked), most))
        for start in range(0, len(ranked), CHUNK):
            rows = torch.from_numpy(place[start : start + CHUNK]).to(table.device)
            own = others[rows]
            dots = own @ others.T
            own_squares, squares = (own**2).sum(1), (others**2).sum(1)
            apart = own_squares[:, None] + squares - 2 * dots
            itself = torch.arange(len(rows), device=table.device), rows
            apart[itself], dots[itself] = float("inf"), float("-inf")
            part = slice(start, start + len(rows))
            lengths[part] = own_squares.sqrt().cpu().numpy()
            distances[part] = apart.topk(most, largest=False).values.clamp(min=0).sqrt().cpu().numpy()
            products[part] = dots.topk(most).values.cpu().numpy()
            on_progress(
                (start + len(rows)) / len(ranked), f"Comparing embeddings, {start + len(rows):,} of {len(ranked):,}"
            )
    bins: list[Bin] = []
    for first, end in pairwise(EDGES):
        part = slice(first, min(end, len(ranked)))
        if part.start >= part.stop:
            break
        bins.append(
            {
                "first": first,
                "last": part.stop - 1,
                "tokens": part.stop - first,
                "occurrences": int(counts[ranked[part]].sum()),
                "norm": float(lengths[part].mean()),
                "distances": [float(distances[part, :k].mean()) for k in NEIGHBOURS],
                "products": [float(products[part, :k].mean()) for k in NEIGHBOURS],
            }
        )
    return bins
