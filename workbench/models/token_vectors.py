"""What each token adds to the vector of a text, where the vector is a mean over tokens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadSetting
from workbench.models.frequent_tokens import left_mask
from workbench.pooling import METHODS

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder


@dataclass(frozen=True)
class TokenVectors:
    """The tokens of a text that are pooled, and the vector of each, float64 (tokens, dim), whose mean is that of the text."""

    tokens: tuple[str, ...]
    special: tuple[bool, ...]
    """Which of them are no part of the text, such as [CLS]."""
    vectors: np.ndarray


def averages(pooling: str) -> bool:
    """Whether a pooling is a mean over tokens, and so the sum of what each of them adds."""
    return METHODS[pooling].tags.get("average") == "yes"


def token_vectors(encoder: "Encoder", text: str) -> TokenVectors:
    """The vectors that a mean is taken of, dropout off, in fp32.

    Raises:
        BadSetting: the vector of a text is not the mean of what its tokens have: another pooling, or a head.
    """
    import torch

    if not averages(encoder.pooling) or encoder.head is not None:
        what = f"pooling {encoder.pooling}" if encoder.head is None else "a head"
        raise BadSetting(
            f"A cosine under {what} cannot be shared out among tokens.",
            rule="Only a mean over tokens is the sum of what each token adds.",
            way_out=f"Name the target with a pooling: {', '.join(name for name in METHODS if averages(name))}.",
        )
    table = encoder.tokenise([text])
    with encoder.evaluating(), torch.inference_mode(), encoder.computing("fp32") as states:
        ids, mask = table.batch([0], str(encoder.device))
        hidden = states(ids, mask)
        after = encoder.skipped()
        pooled = mask[:, after:]
        if encoder.left_out is not None:
            pooled = left_mask(ids[:, after:], pooled, encoder.left_out)
        places = (pooled[0].nonzero().flatten() + after).tolist()
        fn, weights = METHODS[encoder.pooling].fn, encoder.backbone.get_input_embeddings().weight
        # The mean over one token alone is that token's vector, whatever layers the pooling reads. One at a time: a batch of
        # them would hold the states of the text once for each.
        alone = torch.eye(ids.shape[1], dtype=mask.dtype, device=mask.device)[places]
        vectors = np.concatenate(
            [fn(hidden, one, ids=ids, weights=weights).double().cpu().numpy() for one in alone.split(1)]
        )
    shown = [encoder.token_view(text)[place] for place in places]
    return TokenVectors(
        tuple(token.text for token in shown), tuple(token.kind == "special" for token in shown), vectors
    )
