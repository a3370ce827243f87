"""What a run trains: its texts, its encoder and loop, and what is written in the end."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import Corpus
from workbench.core.progress import Progress
from workbench.preflight.training_warnings import TrainingWarning
from workbench.runs.context import RunContext

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.training.dryrun import Estimate
    from workbench.training.resumable import Resumable


class Kind(ABC):
    """One kind of training, for one attempt at one run."""

    def __init__(self, context: RunContext) -> None:
        self.context = context

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
    def begin(self) -> "Resumable":
        """The loop, before its first step; the encoder is loaded."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """Texts of the corpus, for probes without pairs: all of them, or some."""

    @abstractmethod
    def report(self, pairs: "Sequence[PairSet]", on_progress: Progress) -> Mapping[str, object]:
        """The corpus report, which is stored with the run; `pairs` are those it is evaluated on. Another thread may train."""

    @abstractmethod
    def warnings(self) -> list[TrainingWarning]:
        """What is to be known before the first step."""

    @abstractmethod
    def estimate(self) -> "Estimate":
        """Memory (bytes) and time (seconds), by a rehearsal that changes nothing."""

    @abstractmethod
    def measured(self) -> Mapping[str, object]:
        """Figures of this kind of training for a probe, by name."""

    def rivals(self) -> "dict[str, Backbone]":
        """By name, the encoders that compete with the one in training when the best step is chosen."""
        return {}

    @abstractmethod
    def step0(self) -> "dict[str, Tensor]":
        """The weights that training began with, rebuilt."""

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

        save_backbone(self.context.encoder, folder)
