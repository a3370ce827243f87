"""What a loss compares with what: its candidates and, where it is a softmax over them, what that is taken of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.config import Term
from workbench.core.method import Method
from workbench.losses._rows import unit_rows
from workbench.losses._wrapped import read_loss
from workbench.objectives import GUIDE, method_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from workbench.losses._cross_entropy import Logits

    Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Rows or candidates of one view; `of` is the view that a block of candidates is compared with, if not its row's."""

    view: str
    of: str = ""

    @property
    def label(self) -> str:
        """In a word or three."""
        return f"{self.view} from {self.of}" if self.of else self.view


@dataclass(frozen=True)
class Compared:
    """Rows by candidates. The loss of a row is the cross-entropy of picking `partner` among those of its candidates that
    are `among`, by the softmax of `scores` / `temperature` + `bonus`. Without `softmax` there is no such thing: `why` says so.
    """

    rows: tuple[Block, ...]
    columns: tuple[Block, ...]
    similarity: "Matrix"
    """Cosines; nan between views that the loss does not compare."""
    among: "NDArray[np.bool_]"
    partner: "NDArray[np.intp]"
    scores: "Matrix"
    bonus: "Matrix"
    temperature: float | None = None
    """None where none divides the scores, which then are what the softmax is of."""
    weights: "Matrix | None" = None
    """How much each row counts, 1 on average; None for all alike."""
    kept: "NDArray[np.intp] | None" = None
    """The texts that are in it, where the loss leaves some of the batch out."""
    softmax: bool = True
    why: str = ""
    note: str = ""

    def logits(self, temperature: float | None = None) -> "Matrix":
        """What the softmax is of, at another temperature if one is given; -inf for what is not a candidate."""
        divisor = temperature or self.temperature or 1.0
        return np.asarray(np.where(self.among, self.scores / divisor + self.bonus, -np.inf))


def unwrapped(term: Term) -> tuple[Method, dict[str, Any], str]:
    """The loss or objective that compares, its settings, and what is to be said of it: that another one applies it."""
    method, note = method_of(term), ""
    settings = {name: value for name, value in term.settings.items() if name != GUIDE}
    while setting := "" if term.objective else method.tags.get("wraps", ""):
        outer = method
        method, settings = read_loss(str(settings.get(setting, method.settings[setting].default)))
        note = f"{outer.id} takes {method.id} and {outer.tags['wrapping']}."
    return method, settings, note


def compared(term: Term, vectors: "Mapping[str, Tensor]", beside: "Mapping[str, Tensor] | None" = None) -> Compared:
    """What a term compares: `vectors` are the rows of its views, in the order of the views, without gradient.

    `beside` is what else its loss takes, by the loss's names: see `workbench.losses.INPUTS`.

    Raises:
        BadData: what the loss refuses.
    """
    method, settings, note = unwrapped(term)
    rows = {name: view.detach().cpu().double() for name, view in vectors.items()}
    units = {name: unit_rows(view).numpy() for name, view in rows.items()}
    if method.logits is None:
        lacking = (
            "makes a loss of its own of these vectors" if term.objective else "does not say what it is a softmax of"
        )
        return replace(_each_with_all(units), why=f"{method.id} {method.tags.get('no_softmax', lacking)}", note=note)
    logits, inputs, temperature = method.logits, {**rows, **(beside or {})}, settings.get("temperature")
    directions: Sequence[Logits] = logits(**inputs, **settings)
    values = [_ordered(direction) for direction in directions]
    divided = [(value, np.zeros(value.shape)) for value in values]
    if temperature is not None:
        others = [
            [_ordered(direction) for direction in logits(**inputs, **{**settings, "temperature": other})]
            for other in (1.0, 0.5, 0.25)
        ]
        tried = [_divided(temperature, *matrices) for matrices in zip(values, *others, strict=True)]
        known = [pair for pair in tried if pair is not None]
        divided, temperature = (known, temperature) if len(known) == len(tried) else (divided, None)
    parts = [_direction(*part, units) for part in zip(directions, values, divided, strict=True)]
    found = replace(_joined(parts), temperature=temperature)
    if "blank" in method.tags and not found.among.all():
        note = f"{note} Blank: {method.tags['blank']}, so it is not a candidate.".strip()
    return replace(found, note=note)


def _divided(
    temperature: float, own: "Matrix", once: "Matrix", twice: "Matrix", other: "Matrix"
) -> "tuple[Matrix, Matrix] | None":
    """(scores, bonus), if logits are scores / temperature + bonus at every temperature, else None.

    `own` are those at `temperature`, the others those at 1, 1/2 and 1/4. That they are so is not declared but tried: scores
    and bonus follow from two of them, and the other two must then be theirs. So a slider can weigh a batch anew without
    encoding it again, and only where that is right.
    """
    among = np.isfinite(own)
    if any((np.isfinite(value) != among).any() for value in (once, twice, other)):
        return None
    once, twice = np.where(among, once, 0.0), np.where(among, twice, 0.0)
    scores, bonus = twice - once, 2 * once - twice
    for divisor, value in ((temperature, own), (0.25, other)):
        if not np.allclose((scores / divisor + bonus)[among], value[among], rtol=1e-6, atol=1e-6):
            return None
    return scores, bonus


def _direction(
    direction: "Logits", values: "Matrix", divided: "tuple[Matrix, Matrix]", units: "Mapping[str, Matrix]"
) -> Compared:
    """One direction of a loss, its views one below and beside the other."""
    kept = None if direction.kept is None else direction.kept.cpu().numpy()
    parts = {name: rows if kept is None else rows[kept] for name, rows in units.items()}
    against = direction.against or ("",) * len(direction.candidates)
    (first, *further) = direction.rows
    # A view is named as the one compared with where it is not the row's.
    columns = tuple(
        Block(view, of if further or of != first else "")
        for view, of in zip(direction.candidates, against, strict=True)
    )
    similarity = np.block(
        [[parts[block.of or row] @ parts[block.view].T for block in columns] for row in direction.rows]
    )
    order = _order(direction, len(values), len(direction.rows))
    partner = np.argsort(_order(direction, values.shape[1], len(columns)))[direction.picks.cpu().numpy()[order]]
    weights = None
    if direction.weights is not None:
        weights = direction.weights.double().cpu().numpy()[order]
        weights = weights / weights.mean()
    rows, among = tuple(map(Block, direction.rows)), np.isfinite(values)
    scores, bonus = (np.where(among, part, 0.0) for part in divided)
    return Compared(rows, columns, similarity, among, partner, scores, bonus, weights=weights, kept=kept)


def _joined(parts: Sequence[Compared]) -> Compared:
    """Directions one below the other, each with its own candidates."""
    if len(parts) == 1:
        return parts[0]
    shape = tuple(np.sum([part.scores.shape for part in parts], axis=0))
    similarity, scores, bonus = np.full(shape, np.nan), np.zeros(shape), np.zeros(shape)
    among, partners, row, column = np.zeros(shape, dtype=bool), [], 0, 0
    for part in parts:
        down, across = part.scores.shape
        cells = slice(row, row + down), slice(column, column + across)
        similarity[cells], among[cells] = part.similarity, part.among
        scores[cells], bonus[cells] = part.scores, part.bonus
        partners.append(column + part.partner)
        row, column = row + down, column + across
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(len(part.scores)) if part.weights is None else part.weights for part in parts]
        )
    return Compared(
        tuple(block for part in parts for block in part.rows),
        tuple(block for part in parts for block in part.columns),
        similarity,
        among,
        np.concatenate(partners),
        scores,
        bonus,
        weights=weights,
        kept=parts[0].kept,
    )


def _each_with_all(units: "Mapping[str, Matrix]") -> Compared:
    """The rows of the first view, each with all rows of all others, without a softmax; the partner is in the second."""
    first, *others = units
    others = others or [first]
    similarity = np.concatenate([units[first] @ units[name].T for name in others], axis=1)
    count, width = similarity.shape
    among, bonus = np.ones((count, width), dtype=bool), np.zeros((count, width))
    blocks = tuple(map(Block, others))
    return Compared((Block(first),), blocks, similarity, among, np.arange(count), similarity, bonus, softmax=False)


def _order(direction: "Logits", size: int, views: int) -> "NDArray[np.intp]":
    """Where the rows, or candidates, of one view after the other stand in the matrix of a loss."""
    places = np.arange(size)
    return places.reshape(-1, views).T.ravel() if direction.alternating else places


def _ordered(direction: "Logits") -> "Matrix":
    """The logits in fp64, view after view."""
    values: Matrix = direction.values.detach().double().cpu().numpy()
    rows = _order(direction, len(values), len(direction.rows))
    return values[np.ix_(rows, _order(direction, values.shape[1], len(direction.candidates)))]
