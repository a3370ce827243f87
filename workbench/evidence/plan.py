"""The list of cells, the most telling ones first, and what became of each."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from workbench.evidence.cells import BACKBONE, SCORED, Cell, Row
from workbench.models.cards import card
from workbench.recipes import RECIPES, Recipe
from workbench.store.writing import read_lines

STEPS = 100
TRIALS = (1e-4, 3e-5, 3e-4)
"""Learning rates that every recipe is tried at, with the first seed; STS-B dev decides. The card's comes first."""
SEEDS = (0, 1, 2, 3, 4)
FIRST_SEEDS = 3
REFERENCE = "simcse_unsup"
MOST_STEPS = 10 * STEPS
MOVES = 0.005
"""Of rho on STS-B dev: a recipe that moved the mean-pooled backbone by less is not computed with [CLS]."""
BY_NEED = {
    "sentences": ("in_domain", "general"),
    "documents": ("demo",),
    "pairs": ("nli",),
    "triplets": ("nli",),
    "labelled_pairs": ("nli",),
    "scored_pairs": ("in_domain",),
}
FITTED = ("in_domain", "general", SCORED)
CELLS = "cells.jsonl"
CODE = ("augmentations", "heads", "losses", "models", "objectives", "pooling", "recipes", "training", "transforms")

Rows = Mapping[str, Row]


def made(*parts: object) -> str:
    """A short hash of what a cell is composed of."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]


def made_of(recipe: Recipe) -> str:
    """The hash of a recipe: its composition and settings, not its words."""
    whole = asdict(recipe)
    return made(*(whole[name] for name in ("terms", "model", "training", "augmenting")))


def code() -> str:
    """A hash of the code that cells run through: what failed is tried again once it has changed."""
    base = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted((base / folder).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def published_rate(recipe: Recipe) -> float:
    """The learning rate of the publication; where it names none, that of the backbone's card."""
    named = recipe.official.get("training", {}).get("learning_rate") or recipe.training.get("learning_rate")
    return float(named or card(BACKBONE).learning_rate)


def left_out(recipe: Recipe) -> str:
    """Why a recipe is not on the list, in a few words; empty where it is."""
    if recipe.backbone not in ("", BACKBONE):
        return f"meant for {recipe.backbone}"
    return f"goes on from a run of {' or '.join(recipe.after)}" if recipe.after else ""


def recipes() -> list[Recipe]:
    """All fine-tunes that can start from this backbone as it comes; the yardstick first."""
    found = [recipe for recipe in RECIPES.values() if not recipe.pretrains and not left_out(recipe)]
    return sorted(found, key=lambda recipe: recipe.id != REFERENCE)


def subjects(pooling: str) -> list[tuple[Recipe, str]]:
    """Recipe and corpus; recipes with a pooling of their own come once."""
    return [
        (recipe, corpus)
        for recipe in recipes()
        if pooling == "mean" or "pooling" not in recipe.model
        for corpus in BY_NEED[recipe.needs]
    ]


def trained(
    recipe: Recipe, corpus: str, pooling: str, rate: float, seed: int, budget: str = "steps", steps: int = STEPS
) -> Cell:
    """The cell of one training."""
    return Cell("recipe", recipe.id, pooling, corpus, made_of(recipe), budget, steps, rate, seed)


def untrained(pooling: str) -> Iterator[Cell]:
    """Baselines and transforms. Poolings other than [CLS] come with the mean."""
    from workbench.jobs.baselines import BASELINES
    from workbench.pooling import METHODS as POOLINGS
    from workbench.transforms import METHODS as TRANSFORMS

    if pooling == "mean":
        yield from (Cell("baseline", "backbone", name, "", made()) for name in ("mean", "cls"))
    for corpus in (SCORED, "in_domain", "general"):
        for name in sorted([*TRANSFORMS, "whitening(k=128)"], key=lambda one: (one != "centre", one)):
            yield Cell("transform", name, pooling, corpus, made())
    if pooling != "mean":
        return
    yield from (Cell("baseline", "backbone", name, "", made()) for name in POOLINGS if name not in ("mean", "cls"))
    yield from (Cell("baseline", "backbone", "mean(without=10)", corpus, made()) for corpus in FITTED[:2])
    for name, method in BASELINES.items():
        for corpus in FITTED if "fitted" in method.tags else ("",):
            yield Cell("baseline", name, "", corpus, made())


def tuned_rate(rows: Rows, recipe: Recipe, corpus: str, pooling: str) -> float | None:
    """That of the trials which is best on STS-B dev; None before all of them are done. A failed trial is out."""
    found = [rows.get(trained(recipe, corpus, pooling, rate, SEEDS[0]).key) for rate in TRIALS]
    if not all(found):
        return None
    done = [row for row in found if row and row["state"] == "done"]
    return max(done, key=lambda row: row["scores"]["stsb_dev"])["learning_rate"] if done else None


def steps_for_seconds(rows: Rows, recipe: Recipe, corpus: str, pooling: str) -> int | None:
    """As many steps as take the processor as long as the yardstick's took; None before both were measured."""
    first = RECIPES[REFERENCE]
    at = corpus if corpus in BY_NEED[first.needs] else "general"
    yard = rows.get(trained(first, at, pooling, published_rate(first), SEEDS[0]).key)
    own = rows.get(trained(recipe, corpus, pooling, published_rate(recipe), SEEDS[0]).key)
    if not yard or not own or "done" not in (yard["state"], own["state"]) or yard["state"] != own["state"]:
        return None
    return max(1, min(MOST_STEPS, round(STEPS * yard["processor_seconds"] / own["processor_seconds"])))


def moved(rows: Rows, recipe: Recipe, corpus: str) -> bool:
    """Whether any cell of the first seed moved the mean-pooled backbone on STS-B dev."""
    before = rows.get(Cell("baseline", "backbone", "mean", "", made()).key)
    found = [rows.get(trained(recipe, corpus, "mean", rate, SEEDS[0]).key) for rate in _rates(recipe)]
    done = [row["scores"]["stsb_dev"] for row in found if row and row["state"] == "done"]
    return bool(before and done and max(abs(one - before["scores"]["stsb_dev"]) for one in done) > MOVES)


def _rates(recipe: Recipe) -> list[float]:
    return list(dict.fromkeys([published_rate(recipe), *TRIALS]))


def plan(rows: Rows) -> Iterator[Cell]:
    """The whole list as far as it is known by now, the most telling cells first. A cell may come twice."""
    yield from untrained("mean")
    yield from _trainings(rows, "mean", lambda recipe, corpus: True)
    yield from untrained("cls")
    yield from _trainings(rows, "cls", lambda recipe, corpus: moved(rows, recipe, corpus))


def _trainings(rows: Rows, pooling: str, wanted: Callable[[Recipe, str], bool]) -> Iterator[Cell]:
    pairs = [pair for pair in subjects(pooling) if wanted(*pair)]
    for rate in (TRIALS[0], None, *TRIALS[1:]):
        for recipe, corpus in pairs:
            yield trained(recipe, corpus, pooling, rate or published_rate(recipe), SEEDS[0])
    for seeds in (SEEDS[:FIRST_SEEDS], SEEDS[FIRST_SEEDS:]):
        for seed in seeds:
            for recipe, corpus in pairs:
                for rate in (tuned_rate(rows, recipe, corpus, pooling), published_rate(recipe)):
                    if rate is not None:
                        yield trained(recipe, corpus, pooling, rate, seed)
        for seed in seeds:
            for recipe, corpus in pairs:
                steps = steps_for_seconds(rows, recipe, corpus, pooling) if recipe.id != REFERENCE else None
                for rate in (tuned_rate(rows, recipe, corpus, pooling), published_rate(recipe)):
                    if steps is not None and rate is not None:
                        yield trained(recipe, corpus, pooling, rate, seed, "seconds", steps)


def read(folder: Path) -> dict[str, Row]:
    """The cells of a folder by key; of several lines for one the last counts."""
    return {row["key"]: row for row in read_lines(folder / CELLS) if "key" in row}


def settled(cell: Cell, rows: Rows, now: str) -> bool:
    """Whether there is nothing left to do: it is done, or it failed with the code as it is."""
    row = rows.get(cell.key)
    return row is not None and (row["state"] == "done" or row["code"] == now)


def chosen(cell: Cell, only: Sequence[str]) -> bool:
    """Whether a cell's id holds every word of one of `only`, whose words are joined by commas.

    >>> cell = Cell("transform", "centre", "mean", "general", "")
    >>> chosen(cell, ["centre,general"]), chosen(cell, ["centre,cls"]), chosen(cell, [])
    (True, False, True)
    """
    return not only or any(all(word in cell.id for word in one.split(",")) for one in only)


def cell_of(row: Row) -> Cell:
    """The cell that a line is about."""
    return Cell(**{item.name: row[item.name] for item in fields(Cell)})
