"""What a loss compares with what: its candidates and, where it is a softmax over them, what that is taken of."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.config import Term
from workbench.losses._wrapped import read_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

Units = Mapping[str, "Matrix"]

IN_BOTH_VIEWS = ("ntxent_2n", "ntxent_interleaved")
"""Losses that take the texts of the own view for candidates too."""
TO_OWN = ("triplet", "arc_triplet")
"""Losses that hold a text against its own others alone."""


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
    are `among`, by the softmax of `scores` / temperature + `bonus`. Without `softmax` there is no such thing: `why` says so.
    """

    rows: tuple[Block, ...]
    columns: tuple[Block, ...]
    similarity: "Matrix"
    among: "NDArray[np.bool_]"
    partner: "NDArray[np.intp]"
    scores: "Matrix"
    bonus: "Matrix"
    softmax: bool = True
    why: str = ""
    note: str = ""

    def logits(self, temperature: float) -> "Matrix":
        """What the softmax is of; -inf for what is no candidate."""
        return np.asarray(np.where(self.among, self.scores / temperature + self.bonus, -np.inf))


def wrapped(term: Term) -> tuple[str, dict[str, Any], str]:
    """The loss that compares, its settings, and what is to be said of it: that inside a loss of several sizes."""
    if term.loss != "matryoshka":
        return term.name, dict(term.settings), ""
    method, settings = read_loss(str(term.settings.get("inner", "infonce_nn")))
    return method.id, settings, f"matryoshka sums {method.id} over sizes: this is that of whole vectors."


def shape_of(term: Term, names: tuple[str, ...]) -> tuple[int, int]:
    """How many blocks of a batch's rows there are down and across: before anything is encoded."""
    loss, settings, _ = wrapped(term)
    if loss in IN_BOTH_VIEWS or loss == "infonce_sym":
        return 2, 2
    if loss == "gist":
        return 1, 1 + bool(settings["contrast_a"]) + bool(settings["contrast_b"]) + ("negatives" in names)
    return 1, max(1, len(names) - 1)


def compared(term: Term, units: Units, guides: Units | None = None) -> Compared:
    """What a term compares: `units` are the rows of its views, of length 1, in the order of the views.

    `guides` are those of a frozen second model, by the names of the same views.
    """
    loss, settings, said = wrapped(term)
    if loss in (*IN_BOTH_VIEWS, "infonce_sym") and not term.objective:
        found = _both(units, within=loss in IN_BOTH_VIEWS)
    elif loss == "gist" and guides is not None:
        found = _gist(units, guides, settings)
    else:
        found = _one(units)
        count = len(found.similarity)
        if term.objective:
            found = _without(found, f"{loss} makes a loss of its own of these vectors")
        elif loss in ("simcse_sup", "augcse_neg"):
            bonus = found.bonus.copy()
            bonus[np.arange(count), count + np.arange(count)] = settings["hard_negative_weight"]
            other = (
                "Texts are also picked by their partners, which is not shown."
                if settings.get("both_directions")
                else ""
            )
            found = _with(found, bonus=bonus, note=other)
        elif loss == "arccon":
            found = _with(found, scores=_margin(found.similarity, settings["margin_deg"], settings["beyond_pi"]))
        elif loss in TO_OWN:
            found = _without(found, f"{loss} holds each text against its own others alone")
        elif loss != "infonce_nn":
            found = _without(found, f"{loss} is no softmax over candidates")
    return _with(found, note=" ".join(part for part in (said, found.note) if part))


def _with(found: Compared, **changes: Any) -> Compared:
    from dataclasses import replace

    return replace(found, **changes)


def _without(found: Compared, why: str) -> Compared:
    return _with(found, softmax=False, why=why)


def _one(units: Units) -> Compared:
    """The rows of the first view, each with all rows of all others; the partner is in the second."""
    first, *others = units
    similarity = np.concatenate([units[first] @ units[name].T for name in others or [first]], axis=1)
    return Compared(
        (Block(first),),
        tuple(Block(name) for name in others or [first]),
        similarity,
        np.ones(similarity.shape, dtype=bool),
        np.arange(len(similarity)),
        similarity,
        np.zeros(similarity.shape),
    )


def _both(units: Units, *, within: bool) -> Compared:
    """The rows of both views, each with all of the other one, and if `within` with all but itself of its own."""
    (one, a), (two, b) = list(units.items())[:2]
    count, rows = len(a), np.concatenate([a, b])
    similarity = rows @ rows.T
    own = np.arange(2 * count) < count
    among = ~np.eye(2 * count, dtype=bool) if within else own[:, None] != own[None, :]
    partner = np.roll(np.arange(2 * count), -count)
    blocks = (Block(one), Block(two))
    return Compared(blocks, blocks, similarity, among, partner, similarity, np.zeros(similarity.shape))


def _gist(units: Units, guides: Units, settings: Mapping[str, Any]) -> Compared:
    """Without what a guide takes for nearer than the partner."""
    limit = (guides["a"] * guides["b"]).sum(axis=1)
    limit = limit - settings["margin"] * (np.abs(limit) if settings["margin_kind"] == "relative" else 1)
    pairs = [("a", "b")] + [("a", "a")] * settings["contrast_a"] + [("b", "b")] * settings["contrast_b"]
    pairs += [("a", "negatives")] * ("negatives" in units)
    own = np.eye(len(limit), dtype=bool)
    among = []
    for left, right in pairs:
        dropped = guides[left] @ guides[right].T > limit[:, None]
        among.append(~((dropped | own) if left == right else dropped & ~own if right == "b" else dropped))
    similarity = np.concatenate([units[left] @ units[right].T for left, right in pairs], axis=1)
    return Compared(
        (Block("a"),),
        tuple(Block(right, left if left != "a" else "") for left, right in pairs),
        similarity,
        np.concatenate(among, axis=1),
        np.arange(len(limit)),
        similarity,
        np.zeros(similarity.shape),
        note="Blank: the guide takes it for nearer than the partner, so it is no candidate.",
    )


def _margin(similarity: "Matrix", margin_deg: float, beyond_pi: str) -> "Matrix":
    """The cosines with that of each partner at an angle wider by the margin."""
    margin, cosine = radians(margin_deg), similarity.diagonal()
    target = cosine * cos(margin) - np.sqrt(np.maximum(1 - cosine**2, 0)) * sin(margin)
    if beyond_pi == "hard":
        target = np.where(cosine < cos(pi - margin), cosine - margin * sin(margin), target)
    elif beyond_pi == "easy":
        target = np.where(cosine > 0, target, cosine)
    found = similarity.copy()
    np.fill_diagonal(found, target)
    return found
