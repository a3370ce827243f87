"""The vectors of texts at every layer of an encoder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.progress import Progress, no_progress

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder


def layer_vectors(
    encoder: "Encoder", texts: Sequence[str], poolings: Sequence[str], *, on_progress: Progress = no_progress
) -> dict[str, np.ndarray]:
    """For each pooling float32 (layers + 1, texts, width); layer 0 is the output of the embeddings.

    Each layer is pooled as if it were the last: `poolings` read a last layer. Without head, with dropout off, in fp32.
    """
    import torch

    table = encoder.tokens.table(texts, encoder.max_length)
    layers = int(encoder.backbone.config.num_hidden_layers) + 1
    shape = (layers, len(table), int(encoder.backbone.config.hidden_size))
    vectors = {pooling: np.empty(shape, dtype=np.float32) for pooling in poolings}
    done = 0
    with encoder.evaluating(), torch.inference_mode(), encoder.computing("fp32", every_layer=True) as states:
        for batch in table.batches(encoder.budget):
            ids, mask = table.batch(batch, str(encoder.device))
            every = states(ids, mask)
            for pooling, pooled in vectors.items():
                for layer in range(layers):
                    pooled[layer, batch] = encoder.pool(every[: layer + 1], ids, mask, pooling).cpu().numpy()
            done += len(batch)
            on_progress(done / len(table), f"Encoding at every layer, {done:,} of {len(table):,} texts")
    return vectors
