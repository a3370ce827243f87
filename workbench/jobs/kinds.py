"""What a training is of: the driver asks it for texts, encoder and loop, and for what is made of them in the end."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.augmentations.resources import Resources
from workbench.core.config import Corpus, to_toml
from workbench.core.writing import write_text
from workbench.jobs.cautions import Caution, cautions_of
from workbench.jobs.drawn import kept_lines
from workbench.jobs.encoders import new_head
from workbench.objectives import apart
from workbench.store import events, names

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.data.corpora import CorpusTexts
    from workbench.data.pairs import PairSet
    from workbench.jobs.driver import Driver
    from workbench.models.encoder import Encoder
    from workbench.training.dryrun import Estimate


class Kind(ABC):
    """One kind of training, for one driver."""

    def __init__(self, driver: "Driver") -> None:
        self.driver = driver

    @abstractmethod
    def read(self) -> Corpus:
        """Find the texts, and say which they are.

        Raises:
            BadData: they cannot be read, or are not what the run needs.
        """

    @abstractmethod
    def load(self) -> "Encoder":
        """The encoder that training begins with.

        Raises:
            WorkbenchError: the backbone cannot be loaded.
        """

    @abstractmethod
    def begin(self) -> Any:
        """The loop, before its first step: a `training.loop.Loop`, or what has its interface."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """Texts of the corpus, for probes without pairs: all of them, or some."""

    @abstractmethod
    def report(self, pairs: "Sequence[PairSet]") -> dict[str, Any]:
        """What stays with the run about its corpus; `pairs` are those it is evaluated on."""

    @abstractmethod
    def cautions(self) -> list[Caution]:
        """What is to be known before the first step."""

    @abstractmethod
    def estimate(self) -> "Estimate":
        """Memory and time, by a rehearsal that changes nothing."""

    @abstractmethod
    def measured(self) -> dict[str, Any]:
        """Figures of its own for a look at the model, by name."""

    def rivals(self) -> "dict[str, nn.Module]":
        """By name the encoders that choosing the best step looks at beside the one in training."""
        return {}

    @abstractmethod
    def step0(self) -> "dict[str, Tensor]":
        """The weights that training began with, made anew."""

    @abstractmethod
    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """Put a checkpoint's weights into the model."""

    @abstractmethod
    def no_model_folder(self) -> str:
        """Why there will be no model folder; empty where there will."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """The model as it is now as a folder that others can load."""

    def save_backbone(self, folder: Path) -> None:
        """The backbone alone, where the model cannot be written."""
        from workbench.models.export import save_backbone

        save_backbone(self.driver.encoder, folder)


class FineTuning(Kind):
    """Losses and objectives on vectors of texts."""

    found: "CorpusTexts"

    def read(self) -> Corpus:
        """See `Kind.read`."""
        from workbench.recipes.fits import corpus_of

        config, say = self.driver.config, self.driver.worker.say
        self.found = corpus_of(config, progress=lambda share, note: say(note, share))
        return Corpus(config.corpus.source, self.found.name, self.found.sha256, self.found.rows)

    def load(self) -> "Encoder":
        """See `Kind.load`."""
        from workbench.models.load import load

        model = self.driver.config.model
        return load(model.backbone, model.revision, device=self.driver.device)

    def begin(self) -> Any:
        """See `Kind.begin`."""
        from workbench.training.loop import Loop

        driver = self.driver
        say = driver.worker.say
        say("Tokenising the corpus")
        lines = kept_lines(
            driver.worker.runs.cache / "augmentations",
            Resources(device=driver.device),
            seed=driver.config.training.seed,
            told=lambda share, note: say(f"Augmenting: {note}", share),
            cancelled=driver.worker.cancelled,
        )
        loop = Loop(
            driver.encoder,
            self.found.columns,
            driver.config,
            precision=driver.precision,
            cancelled=driver.worker.cancelled,
            lines=lines,
            numbers=self.found.numbers,
            told=lambda share, note: say(f"Augmenting: {note}", share),
        )
        loop.check_rows()
        if loop.config != driver.config:  # epochs are steps by the rows that are left
            driver.config = loop.config
            write_text(driver.folder / names.CONFIG, to_toml(driver.config))
        if loop.sifted is not None and not (driver.folder / names.CORPUS).exists():
            events.add(driver.folder, "notice", message=loop.sifted.said)
            print(loop.sifted.said, flush=True)
        for line in dict.fromkeys(line for drawer in loop.texts.drawers.values() for line in drawer.cautions):
            events.add(driver.folder, "notice", message=line)
        return loop

    @property
    def texts(self) -> Sequence[str]:
        """See `Kind.texts`."""
        return self.found.texts

    def report(self, pairs: "Sequence[PairSet]") -> dict[str, Any]:
        """See `Kind.report`."""
        from workbench.jobs.reports import report

        driver = self.driver
        training = driver.config.training
        return report(
            self.found,
            driver.encoder.tokens,
            max_length=training.max_length,
            batch_size=training.batch_size,
            apart=apart(driver.config.terms),
            dedup_batch=training.dedup_batch,
            pairs=pairs,
            progress=lambda share, note: driver.worker.say(f"Corpus report: {note}", share),
        )

    def cautions(self) -> list[Caution]:
        """See `Kind.cautions`."""
        return cautions_of(self.driver.config, self.found.columns, self.driver.encoder)

    def estimate(self) -> "Estimate":
        """See `Kind.estimate`."""
        from workbench.training.dryrun import estimate

        return estimate(self.driver.loop)

    def measured(self) -> dict[str, Any]:
        """Nothing: what is measured of vectors is measured of every encoder."""
        return {}

    def rivals(self) -> "dict[str, nn.Module]":
        """See `Kind.rivals`."""
        found: dict[str, nn.Module] = self.driver.loop.rivals()
        return found

    def step0(self) -> "dict[str, Tensor]":
        """See `Kind.step0`."""
        encoder = self.load()
        head = new_head(self.driver.config, encoder)
        found = {f"backbone.{name}": tensor for name, tensor in encoder.backbone.state_dict().items()}
        return found | {f"head.{name}": tensor for name, tensor in (head.state_dict() if head else {}).items()}

    def put(self, weights: "Mapping[str, Tensor]") -> None:
        """See `Kind.put`."""
        from workbench.training.weights import load_weights

        head = self.driver.loop.head if self.driver.config.model.keep_head else None
        load_weights(self.driver.encoder, head, weights)

    def no_model_folder(self) -> str:
        """See `Kind.no_model_folder`."""
        from workbench.models.export import exportable

        model = self.driver.config.model
        return exportable(model.eval_pooling, model.head if model.keep_head else "")

    def save(self, folder: Path) -> None:
        """A sentence-transformers folder."""
        from workbench.models.export import save

        save(self.driver.encoder, folder)


def kind_of(driver: "Driver") -> Kind:
    """The kind of training that a configuration is."""
    from workbench.jobs.masked import MaskedModelling

    return MaskedModelling(driver) if driver.config.pretrains else FineTuning(driver)
