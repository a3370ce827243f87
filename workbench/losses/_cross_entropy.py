"""Losses that are a cross-entropy: the logits that a loss writes down, and the mean that it is of them.

Such a loss has a function `logits` beside it, with the same parameters and the same settings, and is `cross_entropy` of what
that returns. What looks inside a batch reads the same logits, so it shows what the loss compares.
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
    """Rows by candidates: each row picks its positive among its candidates by the softmax of its row of `values`."""

    values: "Float[Tensor, 'rows candidates']"
    """-inf for what is not a candidate of that row."""
    rows: tuple[str, ...]
    """The views that the rows are of, one below the other, each with all texts of the batch in its order."""
    candidates: tuple[str, ...]
    """The views that the candidates are of, side by side, likewise."""
    against: tuple[str, ...] = ()
    """For each view of `candidates` the one whose vectors it is compared with; empty where that is the one of the row."""
    positives: "Int[Tensor, ' rows'] | None" = None
    """The column of each row's positive; without it row i picks candidate i."""
    weights: "Float[Tensor, ' rows'] | None" = None
    """How much each row counts in the mean; without it all the same."""
    kept: "Int[Tensor, ' texts'] | None" = None
    """The numbers of the texts that are in it, in all views, where the loss left some of the batch out."""
    alternating: bool = False
    """Rows and candidates go through the views text by text, as in a_1, b_1, a_2, b_2, ..., instead of view by view."""

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
