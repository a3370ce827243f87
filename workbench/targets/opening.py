"""Targets as encoders. torch is imported when a function is called."""

import copy
from typing import TYPE_CHECKING

from workbench.core.calls import read_call
from workbench.core.errors import BadRun
from workbench.store import checkpoints, names
from workbench.store.environment import packages_named
from workbench.targets.target import Target
from workbench.training.modules import new_head

if TYPE_CHECKING:
    import numpy
    from torch import nn

    from workbench.core.config import RunConfig
    from workbench.models.encoder import Encoder


def open_target(target: Target, *, device: str = "cpu") -> "Encoder":
    """The encoder of a backbone or of a run's checkpoint, with its own pooling.

    The pooling that a target names is applied by `pooled`, its transform to the vectors, by `targets.fitting.Fitted`.

    Raises:
        BadModel: it cannot be loaded.
        BadRun: the checkpoint is damaged or does not fit the model.
    """
    from workbench.models.load import load

    if target.run is None:
        return load(target.backbone, target.revision, device=device)
    config = target.run.config
    if target.run.has_scores_alone(target.checkpoint):
        raise BadRun(
            f"{target.run.id} was imported without its weights.",
            rule="Its scores can be compared on the pairs that it was evaluated on; all else needs its encoder.",
            way_out="Import it with its weights, or train it again.",
        )
    encoder = _begun(target, device)
    with packages_named(target.run.environment):
        head = new_head(encoder, config)
        as_evaluated(encoder, config, head)
    encoder.name = target.text
    if target.checkpoint != "step0":
        from workbench.training.weights import load_weights

        weights, _, _ = checkpoints.load(target.run.folder / names.CHECKPOINTS / target.checkpoint)
        if weights:  # otherwise it stands for the untrained backbone
            load_weights(encoder, head if config.model.keep_head else None, weights)
    return encoder


def _begun(target: Target, device: str) -> "Encoder":
    """The encoder that a run started from. The Hub is not asked for it: pages open runs by themselves, and whoever made a run
    chose what it names.
    """
    assert target.run is not None
    config = target.run.config
    if config.pretrains:
        from workbench.targets.pretrained import begun

        return begun(config, target.run.folder, device=device, download=False).encoder
    from workbench.models.load import load

    return load(config.model.backbone, config.model.revision, device=device, download=False)


def pooled(encoder: "Encoder", target: Target, left_out: "numpy.ndarray | None" = None) -> "Encoder":
    """The encoder with the pooling that a target names, without head or normalisation; weights are shared with `encoder`.

    Raises:
        BadModel: this backbone does not support the pooling.
    """
    if not target.pooling:
        return encoder
    bare = copy.copy(encoder)
    bare.pooling, bare.left_out = read_call(target.pooling)[0], left_out
    bare.head, bare.normalise = None, False
    bare.name = target.text
    bare.check_pooling(bare.pooling)
    return bare


def as_evaluated(encoder: "Encoder", config: "RunConfig", head: "nn.Module | None") -> None:
    """Set pooling and head to those after training by the configuration; a head that came with the backbone is dropped."""
    encoder.check_pooling(config.model.eval_pooling)
    encoder.pooling = config.model.eval_pooling
    encoder.head = head if config.model.keep_head else None
