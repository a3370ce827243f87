"""Shared by the verbs about one step of a training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.config import RunConfig, to_toml
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Knob, check_settings, setting_of
from workbench.core.progress import Progress, part
from workbench.data.references import file_stamps
from workbench.targets.target import Target
from workbench.verbs._fields import Configured, Encoded, settled, unparsed

if TYPE_CHECKING:
    from torch import nn

    from workbench.augmentations.draw import Lines
    from workbench.compute.model_cache import ModelCache
    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder


@dataclass(frozen=True)
class InAStep:
    """A step of a training, past or future."""

    target: Annotated[Target, Encoded(encoder="it is not trained")] = unparsed(presets.TARGET)
    config: Annotated[RunConfig | None, Configured("The configuration; by default that of the run.")] = None
    step: Annotated[int, "The step, counted from 1."] = 1

    @property
    def training(self) -> RunConfig:
        """The configuration of the training."""
        if self.config is not None:
            return self.config
        assert self.target.run is not None
        return settled(self.target.run.config)


def check(request: InAStep) -> None:
    """The target must be an encoder, and the training have such a step."""
    target = request.target
    if target.pooling or target.transform:
        raise BadSetting(f"{target.text} is more than an encoder.", way_out="Leave out pooling and transform.")
    if request.config is None and target.run is None:
        raise BadSetting("A backbone alone has no batches.", way_out="Name a run, or give a configuration.")
    config = request.training
    if config.pretrains:
        raise BadSetting(f"{config.recipe} has no batch of vectors.", rule="A pretraining predicts masked tokens.")
    steps = Annotated[int, Knob(1, config.training.steps, 1, "A step of the training.")]
    setting = setting_of("step", steps, 1)
    assert setting is not None
    check_settings({"step": setting}, {"step": request.step}, "a training")


def depends(request: InAStep) -> object:
    """The configuration of the run, if none is given."""
    if request.config is not None:
        return None
    return [to_toml(request.training), *map(file_stamps, request.training.corpus.files)]


def opened(
    request: InAStep, models: "ModelCache", on_progress: Progress
) -> "tuple[CorpusTexts, Encoder, nn.Module | None]":
    """The corpus, the encoder of the target, and the head that it is trained with.

    Raises:
        BadData: the corpus is no longer the one that the run was trained on.
    """
    from workbench.recipes.fits import corpus_of
    from workbench.store import checkpoints, names
    from workbench.training.modules import new_head
    from workbench.training.weights import load_weights

    config, target = request.training, request.target
    on_progress(0.0, "Reading the corpus")
    texts = corpus_of(config, on_progress=part(on_progress, 0.0, 0.2))
    if config.corpus.sha256 and config.corpus.sha256 != texts.sha256:
        raise BadData(
            f"The corpus {config.corpus.source} is not the one the run was trained on.",
            rule="Its batches are rows of that corpus.",
            way_out="Restore the old file.",
        )
    on_progress(0.2, f"Loading {target.label}")
    with models.lock:
        encoder = models.model(target)
        head = new_head(encoder, config)
        if head is not None and target.run and target.checkpoint != "step0":
            weights, _, _ = checkpoints.load(target.run.folder / names.CHECKPOINTS / target.checkpoint)
            if any(name.startswith("head.") for name in weights):
                load_weights(encoder, head, weights)
    return texts, encoder, head


def lines_of(config: RunConfig, models: "ModelCache", on_progress: Progress) -> "Lines":
    """The stored texts that models wrote for the runs, which decide about rows that a view filters."""
    from workbench.augmentations.resources import Resources
    from workbench.augmentations.stored_lines import stored_lines

    folder = models.folder.cache / "augmentations"
    resources = Resources(device=models.device)
    return stored_lines(folder, resources, seed=config.training.seed, on_progress=part(on_progress, 0.2, 0.4))
