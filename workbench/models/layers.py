"""The vectors of texts at every layer of an encoder."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.progress import Progress, no_progress
from workbench.models.turns import turns

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder


def layer_vectors(
    encoder: "Encoder",
    texts: Sequence[str],
    poolings: Sequence[str],
    *,
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
) -> dict[str, np.ndarray]:
    """For each pooling float32 (layers + 1, texts, width); layer 0 is the output of the embeddings. `lock` is held for some
    batches at a time, see `turns`.

    Each layer is pooled as if it were the last: `poolings` read a last layer. Without head, with dropout off, in fp32.
    """
    import torch

    with lock or nullcontext():
        table = encoder.tokens.table(texts, encoder.max_length)
    layers = int(encoder.backbone.config.num_hidden_layers) + 1
    shape = (layers, len(table), int(encoder.backbone.config.hidden_size))
    vectors = {pooling: np.empty(shape, dtype=np.float32) for pooling in poolings}
    done = 0
    for batches in turns(encoder, list(table.batches(encoder.budget)), lock):
        on_progress(done / len(table), f"Encoding at every layer, {done:,} of {len(table):,} texts")
        with (
            lock or nullcontext(),
            encoder.evaluating(),
            torch.inference_mode(),
            encoder.computing("fp32", every_layer=True) as states,
        ):
            for batch in batches:
                ids, mask = table.batch(batch, str(encoder.device))
                every = states(ids, mask)
                for pooling, pooled in vectors.items():
                    for layer in range(layers):
                        pooled[layer, batch] = encoder.pool(every[: layer + 1], ids, mask, pooling).cpu().numpy()
                done += len(batch)
                on_progress(done / len(table), f"Encoding at every layer, {done:,} of {len(table):,} texts")
    return vectors
