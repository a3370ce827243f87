"""Answers about a step of a training, taken or to come."""

from typing import TYPE_CHECKING, Any

from workbench.compute.model_cache import Desk, Told
from workbench.inspecting import batch
from workbench.inspecting import gradients as pulling
from workbench.targets.target import Target

if TYPE_CHECKING:
    from torch import nn

    from workbench.augmentations.draw import Lines
    from workbench.core.config import RunConfig
    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder


def inspect(desk: Desk, told: Told, *, target: Target, config: str, step: int) -> dict[str, Any]:
    """See questions.runs.inspect."""
    settled, texts, encoder, head = _in_training(desk, told, target, config)
    lines = _lines(desk, told, settled)
    return batch.batch(encoder, head, texts, settled, step=step, told=told, lock=desk.lock, lines=lines)


def gradients(
    desk: Desk, told: Told, *, target: Target, config: str, step: int, pipelines: list[str], rows: int
) -> dict[str, Any]:
    """See questions.runs.gradients."""
    settled, texts, encoder, head = _in_training(desk, told, target, config)
    lines, lock = _lines(desk, told, settled), desk.lock
    return pulling.gradients(
        encoder, head, texts, settled, pipelines, step=step, rows=rows, told=told, lock=lock, lines=lines
    )


def dry_run(desk: Desk, told: Told, *, config: str) -> dict[str, Any]:
    """See questions.runs.dry_run."""
    from workbench.core.config import from_toml
    from workbench.core.device import choose
    from workbench.preflight import dry_run as rehearsal
    from workbench.preflight import pretraining_dry_run

    settled = from_toml(config)
    rehearse = pretraining_dry_run.rehearse if settled.pretrains else rehearsal.rehearse
    with desk.lock:
        device = choose(settled.training.device)
        return rehearse(settled, device=device, precision=desk.precision(settled.training.precision), told=told)


def _lines(desk: Desk, told: Told, config: "RunConfig") -> "Lines":
    """What models write of all texts, from where the runs keep it: it decides about rows where a view says so."""
    from workbench.augmentations.resources import Resources
    from workbench.augmentations.stored_lines import stored_lines

    place, resources = desk.folder.cache / "augmentations", Resources(device=desk.device)
    return stored_lines(place, resources, seed=config.training.seed, told=lambda share, note: told(0.2, note))


def _in_training(
    desk: Desk, told: Told, target: Target, config: str
) -> "tuple[RunConfig, CorpusTexts, Encoder, nn.Module | None]":
    """Configuration, corpus, and the encoder of a target with the head it is trained with."""
    from workbench.core.config import from_toml
    from workbench.core.errors import BadData
    from workbench.recipes.fits import corpus_of
    from workbench.store import checkpoints, names
    from workbench.training.modules import new_head
    from workbench.training.weights import load_weights

    settled = from_toml(config)
    told(0.0, "Reading the corpus")
    texts = corpus_of(settled, progress=lambda share, note: told(0.2 * share, note))
    if settled.corpus.sha256 and settled.corpus.sha256 != texts.sha256:
        raise BadData(
            f"The corpus {settled.corpus.source} is not the one the run was trained on.",
            rule="Its batches are rows of that corpus.",
            way_out="Put the old file back.",
        )
    told(0.2, f"Loading {target.label}")
    with desk.lock:
        encoder = desk.model(target)
        head = new_head(encoder, settled)
        if head is not None and target.run and target.checkpoint != "step0":
            weights, _, _ = checkpoints.load(target.run.folder / names.CHECKPOINTS / target.checkpoint)
            if any(name.startswith("head.") for name in weights):
                load_weights(encoder, head, weights)
    return settled, texts, encoder, head
