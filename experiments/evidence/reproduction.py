"""Whether a published score was reproduced, and how our cells differ from the published experiment."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from experiments.evidence.cells import AS_COMPUTED, SCORED, SINCE, Before, Row, as_computed
from experiments.evidence.scores import Scores
from workbench.recipes import RECIPES, Recipe

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
PAIRS = {"STS-B dev": 1500, "STS12": 3108, "STS14": 3750, "STS15": 3000}
"""How many pairs each set has."""


BACKBONES = {
    "minilm-l3": "minilm-l3 (truncated, tuned before)",
    "mini-mlm": "mini-mlm (a small masked language model)",
}
_OTHERWISE = ("steps", "epochs", "learning_rate")
"""Settings that the list of cells determines, whatever the recipe says."""
_LONGEST = 60


def cards(scores: Scores, differences: Mapping[tuple[str, str, str], Row]) -> Iterator[str]:
    """A reproduction card for each recipe with cells of its own; `differences` are differences by group, against and set."""
    for recipe in RECIPES.values():
        groups = scores.of(kind="recipe", name=recipe.id, budget="steps")
        if not groups:
            continue
        intervals = {
            group: differences[key] for group in groups if (key := (group, "interval", "stsb_dev")) in differences
        }
        differs = what_differs(recipe, [scores.first(group) for group in groups])
        verdict = verdict_of(recipe, [(100 * row["low"], 100 * row["high"]) for row in intervals.values()], differs)
        yield from [f"**{recipe.title}** (`{recipe.id}`): {verdict}", "", *published(recipe)]
        for group, row in intervals.items():
            cell, roles = scores.first(group), scores.roles(group)
            if roles:
                yield (
                    f"- Here, STS-B dev: {100 * row['delta']:.1f} ({100 * row['low']:.1f} to {100 * row['high']:.1f}), "
                    f"{cell['backbone']}, {cell['pooling']}, {cell['corpus']}, rate {cell['learning_rate']:g} "
                    f"({', '.join(roles)}), {row['seeds']} seed{'s' * (row['seeds'] != 1)}."
                )
        yield from [f"- Differs: {'; '.join(differs)}.", ""]


def published(recipe: Recipe) -> Iterator[str]:
    """What was published: of the recipe a line each; of its variants, reruns and rivals one for each set and source."""
    if not recipe.published:
        yield "- Published: no value on these sets."
    variants: dict[tuple[str, str], list[str]] = {}
    for score in recipe.published:
        if score.variant:
            variants.setdefault((score.set, score.source), []).append(f"{score.score:.2f} ({score.variant})")
        else:
            yield f"- Published: {score.score:.2f} on {score.set} ({score.source})."
    for (name, source), scores in variants.items():
        yield f"- Published beside it, on {name}: {', '.join(scores)}; {source}."


def what_differs(recipe: Recipe, cells: Sequence[Row]) -> list[str]:
    """How our cells differ from the published experiment."""
    backbones = list(dict.fromkeys(cell["backbone"] for cell in cells))
    corpora = sorted({WORDS[cell["corpus"]] for cell in cells})
    differs = [
        f"backbone {' or '.join(BACKBONES.get(name, name) for name in backbones)}",
        f"corpus {' or '.join(corpora)}",
        f"{max(cell['steps'] for cell in cells)} steps{_epochs(recipe)}",
        "pooling and head of the backbone's card",
        f"scored on {', '.join(TITLES.values())}, not on seven tasks",
    ]
    differs += [
        f"first stage {after(before)}" for before in sorted({cell.get("before", "") for cell in cells}) if before
    ]
    chosen = dict.fromkeys(_choice(recipe, name) for name in recipe.ours)
    differs += [f"our choice, as nobody published it: {', '.join(chosen)}"] if chosen else []
    ours = [
        sentence.strip().rstrip(".")
        for note in recipe.notes
        for sentence in note.split(". ")
        if "our choice" in sentence.lower()
    ]
    differs += [recipe.resource] if recipe.resource else []
    return differs + ours + ([SINCE[:1].lower() + SINCE[1:]] if recipe.id in AS_COMPUTED else [])


def after(before: str) -> str:
    """The first stage that a cell's word stands for, in words.

    >>> after("sbert:nli:50:3e-05")
    '`sbert`, NLI sentences (supervised), 50 steps at 3e-05'
    """
    first = Before.read(before)
    return f"`{first.recipe}`, {WORDS[first.corpus]}, {first.steps} steps at {first.learning_rate:g}"


def _epochs(recipe: Recipe) -> str:
    """The published amount of training, if there is one, instead of our steps."""
    epochs = recipe.official.get("training", {}).get("epochs", 0)
    if not epochs or "epochs" in recipe.ours:
        return ""
    return f" (published: {epochs:g} epoch{'s' * (epochs != 1)})"


def _choice(recipe: Recipe, name: str) -> str:
    """One of a recipe's `ours` in words, with its value where that is the cells' too and short.

    >>> _choice(RECIPES["arccse"], "terms.1.settings.margin"), _choice(RECIPES["arccse"], "batch_size")
    ('margin of arc_triplet (0.0)', 'batch size (64)')
    """
    words = name.rpartition(".")[2]
    value: Any = "" if name in _OTHERWISE else recipe.training.get(name, "")
    if name.startswith("terms."):
        _, number, *path = name.split(".")
        value = asdict(as_computed(recipe).terms[int(number)])
        for key in path:
            value = value[key]
        view = f" of the view {path[1]}" if path[0] in ("views", "more") else ""
        words = f"{words}{view} of {recipe.terms[int(number)].name}"
    else:
        words = words.replace("_", " ")
    shown = f"`{value}`" if isinstance(value, str) else value  # an augmentation's [..](..) would read as a link
    return f"{words} ({shown})" if 0 < len(str(value)) <= _LONGEST else words


def verdict_of(recipe: Recipe, intervals: Sequence[tuple[float, float]], differs: Sequence[str]) -> str:
    """`reproduced` only where nothing differs and the published score lies in our interval; `not comparable` where
    anything differs that was set by us or by the backbone, or where nothing was published; else `differs`."""
    if differs or recipe.ours:
        return "not comparable"
    scores = [row.score for row in recipe.published if row.set == TITLES["stsb_dev"] and not row.variant]
    inside = any(low <= score <= high for score in scores for low, high in intervals)
    return "reproduced" if inside else "differs" if scores and intervals else "not comparable"
