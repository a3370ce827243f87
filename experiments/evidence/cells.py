"""A cell of the evidence: what is trained or fitted, on which texts, from which backbone, how long; and its id."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from workbench.core.config import Value
from workbench.recipes import Recipe

BACKBONE = "minilm-l3"
SCORED = "scored"
"""As a corpus: the sentences that are scored, set by set, which makes the cell transductive."""

AS_COMPUTED: dict[str, dict[int, dict[str, Value]]] = {
    "arccse": {1: {"margin": 0.0}},
    "ntxent_triplet": {1: {"margin": 0.0}},
}
"""By recipe and number of a term, the settings that its cells have. The recipe has others now; its cells keep theirs, so that
all of them compare and none has to be computed again, and its rows are marked."""
SINCE = (
    "Trained with a margin of 0 in ArcCSE's triplet (now 0.1), which hardly a triplet violated before training, so "
    "that the term had next to no gradient"
)
"""What the mark stands for."""

Row = dict[str, Any]


def as_computed(recipe: Recipe) -> Recipe:
    """A recipe with the settings that its cells have.

    >>> from workbench.recipes import RECIPES
    >>> as_computed(RECIPES["arccse"]).terms[1].settings["margin"], as_computed(RECIPES["una"]) == RECIPES["una"]
    (0.0, True)
    """
    kept = AS_COMPUTED.get(recipe.id, {})
    terms = [
        replace(term, settings={**term.settings, **kept.get(number, {})}) for number, term in enumerate(recipe.terms)
    ]
    return replace(recipe, terms=tuple(terms))


class Before(NamedTuple):
    """The first of two stages, with the backbone, seed and pooling of the second."""

    recipe: str
    corpus: str
    steps: int
    learning_rate: float

    def __str__(self) -> str:
        """In one word, as a cell says it.

        >>> Before.read(str(Before("sbert", "nli", 50, 3e-5)))
        Before(recipe='sbert', corpus='nli', steps=50, learning_rate=3e-05)
        """
        return f"{self.recipe}:{self.corpus}:{self.steps}:{self.learning_rate:g}"

    @classmethod
    def read(cls, text: str) -> "Before":
        """That of a cell's word."""
        recipe, corpus, steps, rate = text.split(":")
        return cls(recipe, corpus, int(steps), float(rate))


@dataclass(frozen=True)
class Cell:
    """One line of the list. Two cells with equal id and `made` are the same computation."""

    kind: str
    """baseline, transform or recipe."""
    name: str
    pooling: str
    corpus: str
    made: str
    """Hash of the composition, so that a changed recipe is computed again."""
    budget: str = ""
    """steps or seconds; the steps of `seconds` follow from what the cells of equal steps took."""
    steps: int = 0
    learning_rate: float = 0.0
    seed: int = 0
    backbone: str = BACKBONE
    change: str = ""
    """The change to the recipe, one of claims.CHANGES; empty for none."""
    before: str = ""
    """Of a second stage: what was trained before it, a `Before` in one word; steps and seconds are those of the second."""

    @property
    def id(self) -> str:
        """In one word. A backbone other than the first one stands before it."""
        name = f"{self.name}+{self.change}" if self.change else self.name
        parts = [self.kind, name, self.pooling or "-", self.corpus or "-"]
        if self.backbone != BACKBONE:
            parts.insert(0, self.backbone)
        if self.before:
            parts.append(f"after:{self.before}")
        if self.kind == "recipe":
            parts += [self.budget, str(self.steps), f"{self.learning_rate:g}", f"seed{self.seed}"]
        return "/".join(parts)

    @property
    def key(self) -> str:
        """Id and composition."""
        return f"{self.id}#{self.made}"
