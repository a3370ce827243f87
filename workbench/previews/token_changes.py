"""Changes of the tokens of one batch while it is altered, counted on the device for all texts at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.previews.states_preview import MOVED

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.models.alterations import Alteration
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

_NAMED = 5  # tokens that an example names


class TokenChanges(NamedTuple):
    """Changes of the tokens of one batch: positions and states, before and after."""

    level: str
    """`positions` or `states`."""
    share: np.ndarray
    """(batch,), 0..1: tokens at another position, or numbers that changed."""
    size: np.ndarray
    """(batch,): norm of the change over the norm of the token states."""
    length: np.ndarray
    """(batch,): relative change of the number of tokens attended to."""
    positions: np.ndarray
    """(batch, tokens): position ids after."""
    positions_before: np.ndarray
    real: np.ndarray
    """(batch, tokens): attended to before, bool."""
    attended: np.ndarray
    """(batch, tokens): attended to before and after, bool."""
    zeroed: np.ndarray
    """(batch, tokens): all numbers of the token set to zero, bool."""
    columns: np.ndarray
    """(batch,): dimensions set to zero in all tokens."""
    zeros: np.ndarray
    """(batch,): numbers set to zero."""
    dim: int

    def describe(self, row: int, names: Sequence[str]) -> str:
        """The change of one text in words. Tokens without a name, such as those of a prompt, are only counted."""
        count = int(self.real[row].sum())
        if self.level == "positions":
            before, after = self.positions_before[row], self.positions[row]
            moved = [index for index in range(count) if after[index] != before[index]]
            first = int(before[:count].min())
            parts = [f"“{name}” to {after[index] - first + 1}" for index, name in _named(moved, names)]
            return f"{len(moved)} of {count} tokens at another position: {_listed(parts, len(moved))}"
        gone = np.flatnonzero(self.real[row] & ~self.attended[row])
        if len(gone):
            rest = [name for _, name in _named(np.flatnonzero(self.attended[row]), names, len(names))]
            return f"{len(gone)} of {count} tokens cut off and no longer attended to; left: “{' '.join(rest)}”"
        tokens = np.flatnonzero(self.zeroed[row])
        if len(tokens):
            parts = [f"“{name}”" for _, name in _named(tokens, names)]
            return f"{len(tokens)} of {count} tokens zeroed: {_listed(parts, len(tokens))}"
        if self.columns[row]:
            return f"{self.columns[row]} of {self.dim} dimensions zeroed in every token"
        if self.zeros[row]:
            return f"{self.zeros[row]:,} of {count * self.dim:,} numbers zeroed"
        return spaced(f"{self.share[row]:.0%} of the numbers changed, in total by {self.size[row]:.1%} of their norm")


class Recorder:
    """Records what an alteration does to one batch: pass `recorded` to the encoder in its place."""

    def __init__(self, encoder: "Encoder", table: "TokenTable", alter: "Alteration", level: str) -> None:
        import torch

        from workbench.models.alterations import Alteration

        self.level, self.alter = level, alter
        self.ids, self.mask = table.batch(range(len(table)), str(encoder.device))
        with encoder.evaluating(), torch.inference_mode():
            self.before = encoder.backbone.embeddings(input_ids=self.ids).float()
        self.after, self.mask_after = self.before, self.mask
        self.positions_before = self.positions = torch.zeros_like(self.ids)
        self.recorded = Alteration(self._positions if alter.positions else None, self._states)

    def _positions(self, ids: "Tensor", mask: "Tensor") -> "Tensor":
        assert self.alter.positions is not None
        self.positions_before = ids
        self.positions = self.alter.positions(ids, mask)
        return self.positions

    def _states(self, states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        after, mask_after = (states, mask) if self.alter.states is None else self.alter.states(states, mask)
        self.after, self.mask_after = after.float(), mask_after
        return after, mask_after

    def changes(self) -> TokenChanges:
        """The changes of all texts of the batch."""
        real = self.mask.bool()
        tokens = real.sum(dim=1).clamp_min(1)
        within = real[:, :, None]
        change = (self.after - self.before).masked_fill(~within, 0.0)
        changed = change.abs() > MOVED
        zeros = changed & (self.after == 0)
        norm = self.before.masked_fill(~within, 0.0).norm(dim=(1, 2)).clamp_min(1e-12)
        numbers = tokens * change.shape[2]
        moved = (self.positions != self.positions_before) & real
        share = moved.sum(dim=1) / tokens if self.level == "positions" else changed.sum(dim=(1, 2)) / numbers
        whole = (self.after == 0).all(dim=2) & zeros.any(dim=2)
        columns = ((self.after == 0) | ~within).all(dim=1) & zeros.any(dim=1)
        attended = self.mask_after.bool() & real

        def out(tensor: "Tensor") -> np.ndarray:
            return np.asarray(tensor.cpu().numpy())

        return TokenChanges(
            level=self.level,
            dim=change.shape[2],
            share=out(share),
            size=out(change.norm(dim=(1, 2)) / norm),
            length=out(attended.sum(dim=1) / tokens - 1),
            positions=out(self.positions),
            positions_before=out(self.positions_before),
            real=out(real),
            attended=out(attended),
            zeroed=out(whole & real),
            columns=out(columns.sum(dim=1)),
            zeros=out(zeros.sum(dim=(1, 2))),
        )


def _named(indices: "Sequence[int] | np.ndarray", names: Sequence[str], most: int = _NAMED) -> list[tuple[int, str]]:
    return [(int(index), names[index]) for index in indices if index < len(names)][:most]


def _listed(parts: Sequence[str], count: int) -> str:
    return ", ".join(parts) + (f" and {count - len(parts)} more" if count > len(parts) else "")


def spaced(text: str) -> str:
    """The text with a space before each percent sign."""
    return text.replace("%", " %")
