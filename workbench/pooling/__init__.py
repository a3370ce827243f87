"""Poolings: from the states of a text's tokens to one vector. One file each.

Tags: `layers`, those that it reads: `last`, `several`, or `none` (word embeddings only); `states`, how many states it needs at
least, the embedding output included, where one is not enough; `needs`, the backbone's `pooler layer` or the mask token of a
`prompt` around each text; `average`, if it averages tokens, so that the most frequent ones can be left out; `export`, the
equivalent pooling of sentence-transformers over the last layer (after a dense layer, where it needs the pooler layer);
`averaged`, the indices of the states whose mean it averages over the tokens, which becomes a WeightedLayerPooling before mean
pooling; or `not_exported`, what such a folder cannot express, as the predicate of a sentence that begins with its name.
"""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
