"""Targets as encoders. Imports torch when called."""

import copy
from typing import TYPE_CHECKING

from workbench.core.calls import read_call
from workbench.store import checkpoints, names
from workbench.targets.target import Target
from workbench.training.modules import new_head

if TYPE_CHECKING:
    import numpy
    from torch import nn

    from workbench.core.config import RunConfig
    from workbench.models.encoder import Encoder


def open_target(target: Target, *, device: str = "cpu") -> "Encoder":
    """The encoder of a backbone or of a run's checkpoint, as it pools by itself.

    A target's own pooling is put on it by `pooled`; transforms are applied by whoever has the vectors.

    Raises:
        BadModel: it cannot be loaded.
        BadRun: the checkpoint is damaged or does not fit.
    """
    from workbench.models.load import load

    if target.run is None:
        return load(target.backbone, target.revision, device=device)
    config = target.run.config
    encoder = _begun(target, device)
    head = new_head(encoder, config)
    as_evaluated(encoder, config, head)
    encoder.name = target.text
    if target.checkpoint != "step0":
        from workbench.training.weights import load_weights

        weights, _, state = checkpoints.load(target.run.folder / names.CHECKPOINTS / target.checkpoint)
        if state["files"]:
            load_weights(encoder, head if config.model.keep_head else None, weights)
    return encoder


def _begun(target: Target, device: str) -> "Encoder":
    """The encoder that a run began with."""
    assert target.run is not None
    config = target.run.config
    if config.pretrains:
        from workbench.targets.pretrained import begun

        return begun(config, target.run.folder, device=device).encoder
    from workbench.models.load import load

    return load(config.model.backbone, config.model.revision, device=device)


def pooled(encoder: "Encoder", target: Target, left_out: "numpy.ndarray | None" = None) -> "Encoder":
    """The encoder with a target's pooling, no head and no scaling after it; it shares all weights with the one given.

    Raises:
        BadModel: this backbone cannot be pooled that way.
    """
    if not target.pooling:
        return encoder
    found = copy.copy(encoder)
    found.pooling, found.left_out = read_call(target.pooling)[0], left_out
    found.head, found.normalise = None, False
    found.name = target.text
    found.check_pooling(found.pooling)
    return found


def as_evaluated(encoder: "Encoder", config: "RunConfig", head: "nn.Module | None") -> None:
    """Pooling and head as the configuration says they are after training: a head that came with the backbone is left out."""
    encoder.check_pooling(config.model.eval_pooling)
    encoder.pooling = config.model.eval_pooling
    encoder.head = head if config.model.keep_head else None
