"""The flow as a scikit-learn transformer. Imported late: it needs scikit-learn, and torch when fitted."""

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import numpy_rng, torch_generator
from workbench.metrics import check_vectors
from workbench.transforms._fewness import say

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

BATCH = 64
MOST_STEPS = 5000
"""Updates after which a fit ends, whatever the number of texts: about a minute on one core."""
_ROWS = 8192  # rows transformed at once
_SMALLEST = 1e-6  # standard deviation below which a dimension is only centred


class Block(NamedTuple):
    """Actnorm, permutation, additive coupling; everything except `order` is learned."""

    bias: "Float[Tensor, ' dim']"
    log_scale: "Float[Tensor, ' dim']"
    order: "Tensor"
    first: "Float[Tensor, 'width half']"
    first_bias: "Float[Tensor, ' width']"
    middle: "Float[Tensor, 'width width']"
    middle_bias: "Float[Tensor, ' width']"
    last: "Float[Tensor, 'rest width']"
    last_bias: "Float[Tensor, ' rest']"

    def shift(self, kept: "Float[Tensor, 'batch half']") -> "Float[Tensor, 'batch rest']":
        """What the coupling adds to the second half."""
        import torch

        linear, relu = torch.nn.functional.linear, torch.relu
        hidden = relu(linear(kept, self.first, self.first_bias))
        return linear(relu(linear(hidden, self.middle, self.middle_bias)), self.last, self.last_bias)

    def forward(self, rows: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
        """One step of the flow."""
        import torch

        rows = ((rows + self.bias) * self.log_scale.exp())[:, self.order]
        kept, moved = rows.split([rows.shape[1] // 2, rows.shape[1] - rows.shape[1] // 2], dim=1)
        return torch.cat([kept, moved + self.shift(kept)], dim=1)

    def inverse(self, rows: "Float[Tensor, 'batch dim']") -> "Float[Tensor, 'batch dim']":
        """The inverse of that step."""
        import torch

        kept, moved = rows.split([rows.shape[1] // 2, rows.shape[1] - rows.shape[1] // 2], dim=1)
        rows = torch.cat([kept, moved - self.shift(kept)], dim=1)[:, self.order.argsort()]
        return rows * (-self.log_scale).exp() - self.bias


class Glow(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """See `flow.flow`."""

    def __init__(
        self, blocks: int = 9, width: int = 32, epochs: int = 1, learning_rate: float = 1e-3, seed: int = 0
    ) -> None:
        self.blocks, self.width, self.epochs = blocks, width, epochs
        self.learning_rate, self.seed = learning_rate, seed

    def fit(self, vectors: NDArray[np.floating], y: object = None, *, on_progress: Progress = no_progress) -> Self:
        """Maximise the likelihood of `vectors`. `on_progress` may raise an error to stop the fit.

        Raises:
            BadData: vectors of a single dimension, fewer than two vectors, or a number that is not finite.
        """
        import torch

        rows = check_vectors(vectors, "Fitting flow")
        if rows.shape[1] < 2:
            raise BadData("flow needs vectors of at least 2 dimensions.", got=str(rows.shape[1]))
        data = torch.from_numpy(np.array(rows, np.float32))
        self.blocks_ = self._initial(data)
        self.losses_: list[float] = []
        learned = [part.requires_grad_() for block in self.blocks_ for part in block if part.is_floating_point()]
        optimizer = torch.optim.Adam(learned, lr=self.learning_rate)
        batches = -(-len(data) // BATCH)
        steps = min(self.epochs * batches, MOST_STEPS)
        for step in range(steps):
            if step % batches == 0:
                order = torch.from_numpy(numpy_rng(self.seed, "flow order", step // batches).permutation(len(data)))
            start = step % batches * BATCH
            loss = self._surprise(data[order[start : start + BATCH]])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.losses_.append(loss.item())
            on_progress((step + 1) / steps, f"Fitting the flow, step {step + 1:,} of {steps:,}")
        self.blocks_ = [Block(*(part.detach() for part in block)) for block in self.blocks_]
        few = f"The flow was fitted on {len(rows):,} texts for {rows.shape[1]} dimensions, too few to learn a density from. "
        say(self, few + "Fit on more texts." if len(rows) <= rows.shape[1] else "")
        return self

    def _initial(self, data: "Float[Tensor, 'texts dim']") -> list[Block]:
        """Blocks before the first update: each actnorm gives its inputs mean 0 and variance 1, each coupling adds nothing."""
        import torch

        dim = data.shape[1]
        half = dim // 2
        made: list[Block] = []
        for number in range(self.blocks):
            generator = torch_generator(self.seed, "flow", number)
            deviation = data.std(dim=0, correction=0)
            scale = torch.where(deviation > _SMALLEST, 1 / deviation.clamp(min=_SMALLEST), 1.0)
            first, middle = torch.empty(self.width, half), torch.empty(self.width, self.width)
            for weight in (first, middle):
                torch.nn.init.kaiming_uniform_(weight, nonlinearity="relu", generator=generator)
            narrow, rest = torch.zeros(self.width), torch.zeros(dim - half)
            block = Block(
                bias=-data.mean(dim=0),
                log_scale=scale.log(),
                order=torch.randperm(dim, generator=generator),
                first=first,
                first_bias=narrow.clone(),
                middle=middle,
                middle_bias=narrow.clone(),
                last=torch.zeros(dim - half, self.width),
                last_bias=rest,
            )
            made.append(block)
            data = block.forward(data)
        return made

    def _surprise(self, rows: "Float[Tensor, 'batch dim']") -> "Float[Tensor, '']":
        """Mean negative log likelihood, in nats per dimension."""
        import math

        log_det = self._log_det()
        for block in self.blocks_:
            rows = block.forward(rows)
        nats = 0.5 * (rows.square().sum(dim=1).mean() + rows.shape[1] * math.log(2 * math.pi)) - log_det
        return nats / rows.shape[1]

    def _log_det(self) -> "Tensor | int":
        return sum(block.log_scale.sum() for block in self.blocks_)

    def transform(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """`vectors` in the space where they are normally distributed, in their dtype, computed in fp32."""
        return self._through(vectors, back=False)

    def inverse_transform(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """The vectors that `transform` maps to these."""
        return self._through(vectors, back=True)

    def _through(self, vectors: NDArray[np.floating], back: bool) -> NDArray[np.floating]:
        import torch

        mapped = np.empty(np.shape(vectors), np.asarray(vectors).dtype)
        with torch.inference_mode():
            for start in range(0, len(mapped), _ROWS):
                rows = torch.from_numpy(np.array(vectors[start : start + _ROWS], np.float32))
                for block in reversed(self.blocks_) if back else self.blocks_:
                    rows = block.inverse(rows) if back else block.forward(rows)
                mapped[start : start + _ROWS] = rows.numpy()
        return mapped

    def log_det(self) -> float:
        """Log of the factor by which `transform` changes volumes: the same everywhere, since couplings only add."""
        return float(self._log_det())

    def score(self, vectors: NDArray[np.floating], y: object = None) -> float:
        """Mean log likelihood of `vectors`, in nats per text."""
        import torch

        with torch.inference_mode():
            rows = torch.from_numpy(np.array(vectors, np.float32))
            return -float(self._surprise(rows)) * rows.shape[1]
