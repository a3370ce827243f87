"""From the states of a text's tokens to one vector: one file each.

Tags: `layers`, those that it reads: `last`, `several`, or `none` but the word embeddings; `needs`, the backbone's `pooler layer`
or the mask token of a `prompt` around each text; `average`, if it averages tokens, of which the most frequent can be left out;
`export`, the pooling of sentence-transformers that is the same over the last layer (behind a dense layer, where it needs the
pooler layer), or `not_exported`, what it does that such a folder cannot say, to follow its name.
"""

from workbench.core.discovery import discover

METHODS = discover(__name__, list(__path__))
