"""Poolings: from the states of a text's tokens to one vector. One file each.

`(hidden_states, mask, *, ids, weights) -> (batch, dim)`: `hidden_states` is a tuple of (batch, tokens, dim), the embedding
output first and the last layer last; `mask` (batch, tokens) is 1 for a token and 0 for padding; `ids` (batch, tokens) are the
numbers of the tokens, `weights` (words, width) the table of word embeddings. A text without tokens is refused (`_masked.py`).
A pooling has no settings.

Tags: `layers`, those that it reads: `last`, `several`, or `none` (word embeddings only); `states`, how many states it needs at
least, the embedding output included, where one is not enough; `needs`, the backbone's `pooler layer` or the mask token of a
`prompt` around each text; `average`, if it averages tokens, so that the most frequent ones can be left out; `export`, the
equivalent pooling of sentence-transformers over the last layer (after a dense layer, where it needs the pooler layer);
`averaged`, the indices of the states whose mean it averages over the tokens, which becomes a WeightedLayerPooling before mean
pooling; or `not_exported`, what such a folder cannot express, as the predicate of a sentence that begins with its name.
"""

import inspect

from workbench.core.discovery import discover
from workbench.core.method import Method
from workbench.pooling._checked import check_pooled

__all__ = ["METHODS", "check_pooled"]

_PARAMETERS = ("hidden_states", "mask", "ids", "weights")


def _lacks(method: Method) -> str:
    """Why a pooling cannot be called, in one line; empty if it can."""
    if method.settings:
        return f"a pooling has no settings, and it has {', '.join(method.settings)}."
    missing = [name for name in _PARAMETERS if name not in inspect.signature(method.fn).parameters]
    return f"its function takes no {' and no '.join(missing)}." if missing else ""


METHODS = discover(__name__, list(__path__), check=_lacks)
