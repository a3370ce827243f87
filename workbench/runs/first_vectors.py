"""Vectors of the weights that a run begins with, kept in the runs folder: the runs of a sweep begin with the same ones, and are
all compared with what those score."""

import hashlib
import json
from contextlib import suppress
from typing import Literal

import numpy as np

from workbench.core.device import queues
from workbench.core.progress import Progress, no_progress
from workbench.processes import sources
from workbench.runs.context import RunContext
from workbench.store import results
from workbench.store.environment import environment, with_torch

KEPT = "first_vectors"
"""The folder in the cache of the runs folder."""


def encoded(
    context: RunContext, texts: list[str], precision: Literal["fp32", "bf16"], on_progress: Progress = no_progress
) -> np.ndarray:
    """What the encoder's `encode` gives while it has the first weights, float32 (texts, dim); read, if an earlier run of the
    folder has encoded these texts with these weights in this environment, so that they have the same bits.

    On a CPU only, where encoding takes far longer than hashing the weights.

    Raises:
        Cancelled: the run was asked to stop.
        BadModel: a vector is not finite.
    """
    place = None if queues(context.encoder.device) else context.runs.cache / KEPT / _key(context, texts, precision)
    if place:
        with suppress(FileNotFoundError):
            vectors = np.array(results.load(place))
            if context.cancelled():
                from workbench.models.encoder import Cancelled

                raise Cancelled
            return vectors
    vectors = context.encoder.encode(texts, precision=precision, cancelled=context.cancelled, on_progress=on_progress)
    if place:
        with suppress(OSError):  # then the next run encodes them too
            results.save(place, vectors)
    return vectors


def _key(context: RunContext, texts: list[str], precision: str) -> str:
    """A hash of everything that the bits depend on."""
    about = environment()
    machine = [about[name] for name in ("implementation", "python", "packages", "architecture", "processor")]
    machine += [sources.stamp(), with_torch(context.device, context.threads, precision)]
    encoder = context.encoder
    model = (
        encoder.fingerprint(),
        encoder.backbone.config.to_json_string(),
        encoder.tokenizer.backend_tokenizer.to_str(),
    )
    digest = hashlib.sha256(json.dumps(machine).encode())
    for text in (*model, *texts):
        part = text.encode("utf-8", "surrogatepass")
        digest.update(f"{len(part)}:".encode() + part)
    return digest.hexdigest()[:32]
