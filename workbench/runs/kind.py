"""What a training is of: the driver asks it for texts, encoder and loop, and for what is made of them in the end."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.config import Corpus
from workbench.preflight.training_warnings import Caution

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder
    from workbench.runs.driver import Driver
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

    def rivals(self) -> "dict[str, Backbone]":
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
