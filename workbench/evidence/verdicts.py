"""Whether a published score was reproduced, and in which ways our cells are another experiment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.evidence.cells import SCORED, Row

if TYPE_CHECKING:
    from workbench.recipes import Recipe

WORDS = {
    "general": "20,000 sentences of Wikipedia (general)",
    "in_domain": "the texts of STS-B's training set (in-domain)",
    "nli": "NLI sentences (supervised)",
    "demo": "the demo's documents",
    SCORED: "the sentences scored, set by set (transductive)",
    "": "nothing",
}
TRAINED_ON = ("in_domain", "general", "nli", "demo")
"""In the order of the tables."""
TITLES = {"stsb_dev": "STS-B dev", "sts12": "STS12", "sts14": "STS14", "sts15": "STS15"}


BACKBONES = {
    "minilm-l3": "minilm-l3 (truncated, tuned before)",
    "mini-mlm": "mini-mlm (a small masked language model)",
}


def what_differs(recipe: "Recipe", cells: Sequence[Row]) -> list[str]:
    """In which ways our cells are not the published experiment."""
    backbones = list(dict.fromkeys(cell["backbone"] for cell in cells))
    corpora = sorted({WORDS[cell["corpus"]] for cell in cells})
    found = [
        f"backbone {' or '.join(BACKBONES.get(name, name) for name in backbones)}",
        f"corpus {' or '.join(corpora)}",
        f"{max(cell['steps'] for cell in cells)} steps",
        "pooling and head of the backbone's card",
        f"scored on {', '.join(TITLES.values())}, not on seven tasks",
    ]
    ours = [
        sentence.strip().rstrip(".")
        for note in recipe.notes
        for sentence in note.split(". ")
        if "our choice" in sentence.lower()
    ]
    found += [recipe.resource] if recipe.resource else []
    return found + ours


def verdict_of(recipe: "Recipe", intervals: Sequence[tuple[float, float]], differs: Sequence[str]) -> str:
    """`reproduced` only where nothing differs and the published score lies in our interval; `not comparable` where
    anything differs that was set by us or by the backbone; else `differs`."""
    if differs:
        return "not comparable"
    scores = [one.score for one in recipe.published if one.set == TITLES["stsb_dev"]]
    inside = any(low <= score <= high for score in scores for low, high in intervals)
    return "reproduced" if inside else "differs" if scores and intervals else "not comparable"
