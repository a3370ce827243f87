"""The rows and candidates that a loss compares, and the logits where it is a softmax over candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.config import Term, Value
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
    """Rows or candidates of one view; `of` is the view that candidates are compared with, where that is not the row's own."""

    view: str
    of: str = ""

    @property
    def label(self) -> str:
        """A short label."""
        return f"{self.view} from {self.of}" if self.of else self.view


@dataclass(frozen=True)
class Compared:
    """Rows and candidates of a loss; matrices are float64 (rows, candidates).

    The loss of a row is the cross-entropy of picking `partner` by the softmax of `scores` / `temperature` + `bonus` over its
    candidates, those where `among` is true. If the loss is not such a softmax, `softmax` is false and `why` is the reason.
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
    """None where none divides the scores, which then are the logits."""
    weights: "Matrix | None" = None
    """(rows,), the weight of each row, 1 on average; None for equal weights."""
    kept: "NDArray[np.intp] | None" = None
    """The texts that the loss keeps, where it leaves some of the batch out."""
    softmax: bool = True
    why: str = ""
    note: str = ""

    def logits(self, temperature: float | None = None) -> "Matrix":
        """(rows, candidates): the logits, optionally at another temperature; -inf for what is not a candidate."""
        divisor = temperature or self.temperature or 1.0
        return np.asarray(np.where(self.among, self.scores / divisor + self.bonus, -np.inf))


def unwrapped(term: Term) -> tuple[Method, dict[str, Value], str]:
    """The loss or objective that compares, its settings, and a note where another loss wraps it."""
    method, note = method_of(term), ""
    settings = {name: value for name, value in term.settings.items() if name != GUIDE}
    while setting := "" if term.objective else method.tags.get("wraps", ""):
        outer = method
        method, settings = read_loss(str(settings.get(setting, method.settings[setting].default)))
        note = f"{outer.id} takes {method.id} and {outer.tags['wrapping']}."
    return method, settings, note


def compared(term: Term, vectors: "Mapping[str, Tensor]", beside: "Mapping[str, Tensor] | None" = None) -> Compared:
    """The comparison of a term over the vectors (rows, dim) of its views, which are detached.

    `beside` has the further inputs of its loss by name, see `workbench.losses.INPUTS`.

    Raises:
        BadData: the loss refuses the batch.
    """
    method, settings, note = unwrapped(term)
    rows = {name: view.detach().cpu().double() for name, view in vectors.items()}
    units = {name: unit_rows(view).numpy() for name, view in rows.items()}
    if method.logits is None:
        default = "computes a loss of its own from these vectors" if term.objective else "does not expose its logits"
        return replace(_each_with_all(units), why=f"{method.id} {method.tags.get('no_softmax', default)}", note=note)
    logits, inputs = method.logits, {**rows, **(beside or {})}
    temperature = float(settings["temperature"]) if "temperature" in settings else None
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
    joined = replace(_joined(parts), temperature=temperature)
    if "blank" in method.tags and not joined.among.all():
        note = f"{note} Blank: {method.tags['blank']}, so it is not a candidate.".strip()
    return replace(joined, note=note)


def _divided(
    temperature: float, logits: "Matrix", once: "Matrix", twice: "Matrix", other: "Matrix"
) -> "tuple[Matrix, Matrix] | None":
    """(scores, bonus), if the logits are scores / temperature + bonus at every temperature, else None.

    `logits` are those at `temperature`, the others those at 1, 1/2 and 1/4. Whether they have that form is tried rather
    than declared: two of them give scores and bonus, which the other two must confirm. Then a slider can reweigh a batch
    at another temperature without encoding it again.
    """
    among = np.isfinite(logits)
    if any((np.isfinite(value) != among).any() for value in (once, twice, other)):
        return None
    once, twice = np.where(among, once, 0.0), np.where(among, twice, 0.0)
    scores, bonus = twice - once, 2 * once - twice
    for divisor, value in ((temperature, logits), (0.25, other)):
        if not np.allclose((scores / divisor + bonus)[among], value[among], rtol=1e-6, atol=1e-6):
            return None
    return scores, bonus


def _direction(
    direction: "Logits", values: "Matrix", divided: "tuple[Matrix, Matrix]", units: "Mapping[str, Matrix]"
) -> Compared:
    """One direction of a loss, with its views stacked as rows and as candidates."""
    kept = None if direction.kept is None else direction.kept.cpu().numpy()
    parts = {name: rows if kept is None else rows[kept] for name, rows in units.items()}
    against = direction.against or ("",) * len(direction.candidates)
    (first, *further) = direction.rows
    # The view that is compared with is named only where it is not the row's own.
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
    """Directions stacked, each with its own candidates."""
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
    """All rows of the first view with all rows of the others, without a softmax; partners are in the second view."""
    first, *others = units
    others = others or [first]
    similarity = np.concatenate([units[first] @ units[name].T for name in others], axis=1)
    count, width = similarity.shape
    among, bonus = np.ones((count, width), dtype=bool), np.zeros((count, width))
    blocks = tuple(map(Block, others))
    return Compared((Block(first),), blocks, similarity, among, np.arange(count), similarity, bonus, softmax=False)


def _order(direction: "Logits", size: int, views: int) -> "NDArray[np.intp]":
    """The indices, in the matrix of a loss, of the rows or candidates view by view."""
    indices = np.arange(size)
    return indices.reshape(-1, views).T.ravel() if direction.alternating else indices


def _ordered(direction: "Logits") -> "Matrix":
    """The logits in fp64, view by view."""
    values: Matrix = direction.values.detach().double().cpu().numpy()
    rows = _order(direction, len(values), len(direction.rows))
    return values[np.ix_(rows, _order(direction, values.shape[1], len(direction.candidates)))]
