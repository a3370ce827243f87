"""Losses that are a cross-entropy: the logits that a loss returns, and their mean cross-entropy.

Such a loss has a companion function `logits` with the same parameters and settings, and returns `cross_entropy` of its result.
Views of a batch in the interface read the same logits, so they show exactly what the loss compares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.losses._rows import full_precision

if TYPE_CHECKING:
    from jaxtyping import Float, Int
    from torch import Tensor


@dataclass(frozen=True)
class Logits:
    """Logits, (rows, candidates): each row picks its positive among its candidates by a softmax over its row of `values`."""

    values: "Float[Tensor, 'rows candidates']"
    """-inf where a column is not a candidate for that row."""
    rows: tuple[str, ...]
    """The views that the rows come from, stacked in this order, each with all texts of the batch in batch order."""
    candidates: tuple[str, ...]
    """The views that the columns come from, in the same way."""
    against: tuple[str, ...] = ()
    """For each view in `candidates`, the view whose vectors it is compared with; empty if that is the view of the row."""
    positives: "Int[Tensor, ' rows'] | None" = None
    """The column of each row's positive; if None, row i picks candidate i."""
    weights: "Float[Tensor, ' rows'] | None" = None
    """The weight of each row in the mean; if None, all rows count equally."""
    kept: "Int[Tensor, ' texts'] | None" = None
    """The batch indices of the texts that are included, for all views; None if the loss uses the whole batch."""
    alternating: bool = False
    """Whether rows and candidates are ordered text by text (a_1, b_1, a_2, b_2, ...) instead of view by view."""

    @property
    def picks(self) -> "Int[Tensor, ' rows']":
        """The column of each row's positive."""
        import torch

        if self.positives is not None:
            return self.positives
        return torch.arange(len(self.values), device=self.values.device)


def cross_entropy(directions: Sequence[Logits]) -> "Float[Tensor, '']":
    """Mean, in nats, of the cross-entropies of one or more directions, each the mean over its rows.

    >>> import torch
    >>> values = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> round(cross_entropy([Logits(values, rows=("a",), candidates=("b",))]).item(), 4)  # log(1 + exp(-1))
    0.3133
    """
    means = [_mean(direction) for direction in directions]
    return means[0] if len(means) == 1 else sum(means[1:], means[0]) / len(means)


def _mean(logits: Logits) -> "Float[Tensor, '']":
    import torch

    with full_precision(logits.values):
        if logits.weights is None:
            return torch.nn.functional.cross_entropy(logits.values, logits.picks)
        rows = torch.nn.functional.cross_entropy(logits.values, logits.picks, reduction="none")
        return (logits.weights * rows).sum() / logits.weights.sum()
