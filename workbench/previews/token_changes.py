"""What becomes of the tokens of one batch while it is altered, counted on the device for all texts at once."""

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


class Seen(NamedTuple):
    """What became of the tokens of one batch: places and states before and after, counted."""

    at: str
    share: np.ndarray
    size: np.ndarray
    length: np.ndarray
    places: np.ndarray
    """(batch, tokens): position ids after; `was` before."""
    was: np.ndarray
    real: np.ndarray
    left: np.ndarray
    zeroed: np.ndarray
    """(batch, tokens): all numbers of the token set to zero."""
    columns: np.ndarray
    """(batch,): dimensions set to zero in all tokens."""
    zeros: np.ndarray
    """(batch,): numbers set to zero."""
    dim: int

    def said(self, row: int, names: Sequence[str]) -> str:
        """What was changed in one text. Tokens beyond the names, as those of a prompt, are counted and not named."""
        count = int(self.real[row].sum())
        if self.at == "positions":
            elsewhere = [place for place in range(count) if self.places[row, place] != self.was[row, place]]
            first = int(self.was[row, :count].min())
            said = [f"“{name}” to {self.places[row, place] - first + 1}" for place, name in _named(elsewhere, names)]
            return f"{len(elsewhere)} of {count} tokens at another place: {_listed(said, len(elsewhere))}"
        gone = np.flatnonzero(self.real[row] & ~self.left[row])
        if len(gone):
            kept = [name for _, name in _named(np.flatnonzero(self.left[row]), names, len(names))]
            return f"{len(gone)} of {count} tokens cut off and no longer attended to; left: “{' '.join(kept)}”"
        tokens = np.flatnonzero(self.zeroed[row])
        if len(tokens):
            said = [f"“{name}”" for _, name in _named(tokens, names)]
            return f"{len(tokens)} of {count} tokens zeroed: {_listed(said, len(tokens))}"
        if self.columns[row]:
            return f"{self.columns[row]} of {self.dim} dimensions zeroed in every token"
        if self.zeros[row]:
            return f"{self.zeros[row]:,} of {count * self.dim:,} numbers zeroed"
        return spaced(f"{self.share[row]:.0%} of the numbers moved, together by {self.size[row]:.1%} of their length")


class Watch:
    """Looks on while one batch is altered."""

    def __init__(self, encoder: "Encoder", table: "TokenTable", alter: "Alteration", at: str) -> None:
        import torch

        from workbench.models.alterations import Alteration

        self.at, self.alter = at, alter
        self.ids, self.mask = table.batch(range(len(table)), str(encoder.device))
        with encoder.evaluating(), torch.inference_mode():
            self.before = encoder.backbone.embeddings(input_ids=self.ids).float()
        self.after, self.left = self.before, self.mask
        self.was = self.now = torch.zeros_like(self.ids)
        self.watched = Alteration(self._positions if alter.positions else None, self._states)

    def _positions(self, ids: "Tensor", mask: "Tensor") -> "Tensor":
        assert self.alter.positions is not None
        self.was = ids
        self.now = self.alter.positions(ids, mask)
        return self.now

    def _states(self, states: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
        after, left = (states, mask) if self.alter.states is None else self.alter.states(states, mask)
        self.after, self.left = after.float(), left
        return after, left

    def found(self) -> Seen:
        """Counted for every text of the batch at once."""
        real = self.mask.bool()
        tokens = real.sum(dim=1).clamp_min(1)
        within = real[:, :, None]
        change = (self.after - self.before).masked_fill(~within, 0.0)
        changed = change.abs() > MOVED
        zeros = changed & (self.after == 0)
        norm = self.before.masked_fill(~within, 0.0).norm(dim=(1, 2)).clamp_min(1e-12)
        numbers = tokens * change.shape[2]
        elsewhere = (self.now != self.was) & real
        share = elsewhere.sum(dim=1) / tokens if self.at == "positions" else changed.sum(dim=(1, 2)) / numbers
        whole = (self.after == 0).all(dim=2) & zeros.any(dim=2)
        columns = ((self.after == 0) | ~within).all(dim=1) & zeros.any(dim=1)
        left = self.left.bool() & real

        def out(tensor: "Tensor") -> np.ndarray:
            return np.asarray(tensor.cpu().numpy())

        return Seen(
            at=self.at,
            dim=change.shape[2],
            share=out(share),
            size=out(change.norm(dim=(1, 2)) / norm),
            length=out(left.sum(dim=1) / tokens - 1),
            places=out(self.now),
            was=out(self.was),
            real=out(real),
            left=out(left),
            zeroed=out(whole & real),
            columns=out(columns.sum(dim=1)),
            zeros=out(zeros.sum(dim=(1, 2))),
        )


def _named(places: "Sequence[int] | np.ndarray", names: Sequence[str], most: int = _NAMED) -> list[tuple[int, str]]:
    return [(int(place), names[place]) for place in places if place < len(names)][:most]


def _listed(said: Sequence[str], count: int) -> str:
    return ", ".join(said) + (f" and {count - len(said)} more" if count > len(said) else "")


def spaced(text: str) -> str:
    """A number and its percent sign apart, as everywhere else."""
    return text.replace("%", " %")
