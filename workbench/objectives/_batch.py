"""What an objective can use in a step besides the vectors of its views; implemented in `workbench.training.batch`."""

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
    """The source of all randomness in this step."""

    @property
    def max_length(self) -> int:
        """The maximum number of tokens per text in this training, special tokens included."""

    @property
    def pooling(self) -> str:
        """The pooling that turns token states into a vector in this training."""

    @property
    def numbers(self) -> "dict[str, Tensor]":
        """The numbers of these rows, on the device: scores as fp32, labels as integers."""

    def texts(self, name: str) -> list[str]:
        """The texts of a view of the term, as augmented; or those of a column of the corpus."""

    def originals(self, name: str) -> list[str]:
        """The texts of a view before any augmentation."""

    def labels(self, name: str) -> list[str]:
        """The augmentation that changed each text of a view; `none` if it is unchanged."""

    def pooled(self, name: str) -> "Float[Tensor, 'batch dim']":
        """The vectors of a view before the training's head, with gradient."""

    def tokens(self, name: str) -> "tuple[Ids, Ids]":
        """Ids and attention mask of `texts`, each (batch, tokens), padded to the longest, on the device."""

    def tokenised(self, texts: Sequence[str]) -> "tuple[Ids, Ids]":
        """Ids and attention mask of any texts, truncated to `max_length`."""

    def prompted(self, texts: Sequence[str], prompt: tuple[str, str]) -> "tuple[Ids, Ids]":
        """Ids and attention mask of texts inside a prompt, truncated to `max_length`."""

    def on_host(self, tensor: "Tensor") -> "Tensor":
        """Ids or mask of the methods above in CPU memory, without waiting for a GPU; any other tensor as it is."""

    def places(self, mask: "Ids", skipped: int = 0) -> "tuple[Tensor, Tensor]":
        """(row, column) of every token of such a mask, (tokens,) each on the device, without the first `skipped` columns."""

    def states(self, ids: "Ids", mask: "Ids", *, rate: float | None = None) -> "States":
        """States of the last layer of the backbone in training, in fp32, with the run's dropout or with rate `rate`."""

    def layers(self, ids: "Ids", mask: "Ids", numbers: Sequence[int]) -> "list[Float[Tensor, 'batch dim']]":
        """For each of these layers the vectors of all texts, pooled as in this training, in fp32; 0 is the embedding output."""

    def precise(self) -> AbstractContextManager[object]:
        """A context that computes in the precision of the run."""

    def apart(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """The result of `compute` on row-aligned tensors, in as many micro-batches as the run has."""

    def without_gradient(self, compute: "Callable[..., Tensor]", *rows: "Tensor") -> "Tensor":
        """As `apart`, but without a gradient: only the result stays in memory."""

    def whole(self, tensor: "Tensor") -> "Tensor":
        """`tensor`, for values that every process computes in full from the trained weights.

        With several processes its gradient is divided by their number, so that the gradients sum to that of one process.
        """
