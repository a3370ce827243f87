"""What an objective may ask of a step beside the vectors of its views; `workbench.training.batch` answers it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Generator, Tensor

    Ids = Int[Tensor, "batch tokens"]
    States = Float[Tensor, "batch tokens dim"]


class Batch(Protocol):
    """One step of one term: its texts, tokens, labels and numbers, and the backbone in training."""

    generator: "Generator"
    """Draws what is random in this step."""

    @property
    def max_length(self) -> int:
        """Tokens that are kept of a text in this training, specials included."""

    @property
    def pooling(self) -> str:
        """What makes a vector of states in this training."""

    @property
    def numbers(self) -> "dict[str, Tensor]":
        """The numbers of these rows, on the device: scores as fp32, labels as integers."""

    def texts(self, name: str) -> list[str]:
        """The texts of a view of the term, as augmented; or those of a column of the corpus."""

    def originals(self, name: str) -> list[str]:
        """The texts of a view before any augmentation."""

    def labels(self, name: str) -> list[str]:
        """Which augmentation changed each text of a view, `none` where nothing did."""

    def pooled(self, name: str) -> "Float[Tensor, 'batch dim']":
        """The vectors of a view before the training's head, with gradient."""

    def tokens(self, name: str) -> "tuple[Ids, Ids]":
        """Ids and mask of `texts`, padded to the longest, on the device."""

    def tokenised(self, texts: Sequence[str]) -> "tuple[Ids, Ids]":
        """Ids and mask of any texts, cut to the length of this training."""

    def prompted(self, texts: Sequence[str], prompt: tuple[str, str]) -> "tuple[Ids, Ids]":
        """Ids and mask of texts inside a prompt, cut to the length of this training."""

    def states(self, ids: "Ids", mask: "Ids", *, rate: float | None = None) -> "States":
        """Last states of the backbone in training, fp32, with the run's dropout or with `rate` alone."""

    def layers(self, ids: "Ids", mask: "Ids", numbers: Sequence[int]) -> "list[Float[Tensor, 'batch dim']]":
        """A vector a text from each of these layers, pooled as in this training, fp32; 0 is the embedding output."""

    def precise(self) -> AbstractContextManager[object]:
        """A block in the precision of the run."""

    def apart(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """`compute` of row-aligned tensors, in as many micro-batches as the run has."""

    def without_gradient(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """See `apart`; nothing stays but the result."""

    def whole(self, tensor: "Tensor") -> "Tensor":
        """The same, where every process computes all of it from the trained weights: their gradients add up to one."""
