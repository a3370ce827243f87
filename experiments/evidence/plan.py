"""The list of cells, the most informative ones first, and the outcome of each."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from experiments.evidence.cells import BACKBONE, SCORED, Before, Cell, Row
from experiments.evidence.hashes import made, made_for, made_of, weights
from workbench.core.reading import read_lines
from workbench.models.cards import PACKAGED
from workbench.recipes import RECIPES, Recipe

STEPS = 50
"""SimCSE changes little after as many: in three seeds on two corpora STS-B dev moved by at most 1.2 points from there to 100."""
TRIALS = (1e-4, 3e-5, 3e-4)
"""Learning rates tried for every recipe with the first seed; STS-B dev decides. The card's comes first; with [CLS]
see `trials`."""
SEEDS = (0, 1, 2, 3, 4)
FIRST_SEEDS = 3
REFERENCE = "simcse_unsup"
MOST_STEPS = 10 * STEPS
MOVES = 0.005
"""Of rho on STS-B dev: a recipe that moved the mean-pooled backbone by less is not computed with [CLS]."""
TURNS = 0.01
"""Of rho on STS-B dev: where [CLS] moves a recipe's distance from the yardstick by more, it gets further seeds with [CLS]."""
POINT = 0.99
"""Mean cosine of random pairs above which training has left all texts with one vector, as [CLS] has it before."""
BY_NEED = {
    "sentences": ("in_domain", "general"),
    "documents": ("demo",),
    "pairs": ("nli",),
    "triplets": ("nli",),
    "labelled_pairs": ("nli",),
    "scored_pairs": ("in_domain",),
}
UNSUPERVISED = ("sentences", "documents")
"""What recipes need that are computed first on a backbone other than the first one."""
FITTED = ("in_domain", "general", SCORED)
CELLS = "cells.jsonl"

KINDS = ("tuned", "published", "seconds")
"""What is repeated with further seeds: equal steps at the tuned and at the published rate; equal seconds at the tuned."""

Rows = Mapping[str, Row]
Pairs = Sequence[tuple[Recipe, str]]


CARD_RATE = 1e-4
"""The learning rate of both backbones' cards when the cells were computed."""


def published_rate(recipe: Recipe) -> float:
    """The learning rate of the publication; where none was published, that of the backbones' cards."""
    return named_rate(recipe) or CARD_RATE


def named_rate(recipe: Recipe) -> float | None:
    """The learning rate of the publication, if it names one."""
    named = recipe.official.get("training", {}).get("learning_rate") or recipe.training.get("learning_rate")
    return float(named) if isinstance(named, int | float) and named and "learning_rate" not in recipe.ours else None


def left_out(recipe: Recipe, backbone: str = BACKBONE) -> str:
    """Why a recipe is not on the list, in a few words; empty if it is."""
    return f"meant for {recipe.backbone}" if recipe.backbone not in ("", backbone) else ""


def recipes(backbone: str = BACKBONE) -> list[Recipe]:
    """All fine-tunes that can start from a backbone; the yardstick first, second stages last."""
    startable = [recipe for recipe in RECIPES.values() if not recipe.pretrains and not left_out(recipe, backbone)]
    return sorted(startable, key=lambda recipe: (bool(recipe.after), recipe.id != REFERENCE))


def subjects(pooling: str, backbone: str = BACKBONE) -> list[tuple[Recipe, str]]:
    """(recipe, corpus) pairs; recipes that fix their pooling come once."""
    return [
        (recipe, corpus)
        for recipe in recipes(backbone)
        if pooling == "mean" or "pooling" not in recipe.model
        for corpus in BY_NEED[recipe.needs]
    ]


def trained(
    recipe: Recipe,
    corpus: str,
    pooling: str,
    rate: float,
    seed: int,
    budget: str = "steps",
    steps: int = STEPS,
    *,
    backbone: str = BACKBONE,
    change: str = "",
    before: str = "",
) -> Cell:
    """The cell of one training."""
    whole = made_of(recipe, backbone, change, before)
    return Cell("recipe", recipe.id, pooling, corpus, whole, budget, steps, rate, seed, backbone, change, before)


def untrained(pooling: str, backbone: str = BACKBONE) -> Iterator[Cell]:
    """Baselines and transforms. Poolings other than [CLS] come with the mean, what has no backbone with the first one."""
    from workbench.pooling import METHODS as POOLINGS
    from workbench.targets.baselines import BASELINES
    from workbench.transforms import METHODS as TRANSFORMS

    def plain(name: str, corpus: str = "") -> Cell:
        return Cell("baseline", "backbone", name, corpus, made_for(backbone), backbone=backbone)

    if pooling == "mean":
        yield from (plain(name) for name in ("mean", "cls"))
    for corpus in (SCORED, "in_domain", "general"):
        for name in sorted([*TRANSFORMS, "whitening(k=128)"], key=lambda name: (name != "centre", name)):
            yield Cell("transform", name, pooling, corpus, made_for(backbone), backbone=backbone)
    if pooling != "mean":
        return
    yield from (plain(name) for name in POOLINGS if name not in ("mean", "cls"))
    yield from (plain("mean(without=10)", corpus) for corpus in FITTED[:2])
    ours = {name: method for name, method in BASELINES.items() if "elsewhere" not in method.tags}
    for name, method in ours.items() if backbone == BACKBONE else ():
        for corpus in FITTED if "fitted" in method.tags else ("",):
            yield Cell("baseline", name, "", corpus, made())


def at_a_point(row: Row) -> bool:
    """Whether all texts have the same vector in a finished cell."""
    return bool(row.get("mean_cosine", 0.0) > POINT)


def rises(tried: Mapping[float, Row], untrained: Row | None) -> bool:
    """Whether STS-B dev rises from the untrained vectors over the card's rate to the highest, by the trials done."""
    rows = [untrained, tried.get(TRIALS[0]), tried.get(TRIALS[2])]
    scores = [row["scores"]["stsb_dev"] for row in rows if row and "scores" in row]
    return len(scores) == len(rows) and scores[0] < scores[1] < scores[2]


def trials(pooling: str, tried: Mapping[float, Row], untrained: Row | None) -> tuple[float, ...]:
    """The rates of which the best is the tuned one, by those tried so far. The lowest is not tried with [CLS] where the card's
    rate left it at a point (a lower one does too, and what ranks best there is what trained least), nor where scores rise
    with the rate.
    """
    card, lowest, highest = TRIALS
    if pooling != "cls" or (
        card in tried and highest in tried and not at_a_point(tried[card]) and not rises(tried, untrained)
    ):
        return card, lowest, highest
    return card, highest


class Known:
    """The finished cells on one backbone, and the cells that follow from them."""

    def __init__(self, rows: Rows, backbone: str = BACKBONE) -> None:
        self.rows, self.backbone = rows, backbone
        timed = (cell_of(row) for row in rows.values() if row.get("budget") == "seconds" and row["state"] == "done")
        self._begun = {_subject(cell): cell.steps for cell in timed if cell.backbone == backbone}

    def before(self, recipe: Recipe) -> str | None:
        """What is trained before a recipe, as its cells say it; None before the first stage's tuned rate is known."""
        if not recipe.after:
            return ""
        first = RECIPES[recipe.after[0]]
        corpus = BY_NEED[first.needs][0]
        rate = self.tuned_rate(first, corpus)
        return None if rate is None else str(Before(first.id, corpus, STEPS, rate))

    def cell(
        self,
        recipe: Recipe,
        corpus: str,
        pooling: str,
        rate: float,
        seed: int,
        budget: str = "steps",
        steps: int = STEPS,
    ) -> Cell | None:
        """The cell of one training; None while it is not known what to train before it."""
        before = self.before(recipe)
        if before is None:
            return None
        return trained(recipe, corpus, pooling, rate, seed, budget, steps, backbone=self.backbone, before=before)

    def trained(
        self, recipe: Recipe, corpus: str, rate: float, pooling: str = "mean", seed: int = SEEDS[0]
    ) -> Row | None:
        """The row at equal steps, by default of the first seed."""
        cell = self.cell(recipe, corpus, pooling, rate, seed)
        return self.rows.get(cell.key) if cell else None

    def untrained(self, pooling: str) -> Row | None:
        """The row of the untrained backbone."""
        made = made_for(self.backbone)
        return self.rows.get(Cell("baseline", "backbone", pooling, "", made, backbone=self.backbone).key)

    def trials(self, recipe: Recipe, corpus: str, pooling: str = "mean") -> tuple[float, ...]:
        """The learning rates that a recipe is tried at, as far as it is known by now."""
        rows = {rate: self.trained(recipe, corpus, rate, pooling) for rate in TRIALS}
        return trials(pooling, {rate: row for rate, row in rows.items() if row}, self.untrained(pooling))

    def tuned_rate(self, recipe: Recipe, corpus: str, pooling: str = "mean") -> float | None:
        """That of the trials which is best on STS-B dev; None before all of them are done. A failed trial is out."""
        rows = [self.trained(recipe, corpus, rate, pooling) for rate in self.trials(recipe, corpus, pooling)]
        if not all(rows):
            return None
        done = [row for row in rows if row and row["state"] == "done"]
        return max(done, key=lambda row: row["scores"]["stsb_dev"])["learning_rate"] if done else None

    def steps_for_seconds(self, recipe: Recipe, corpus: str) -> int | None:
        """As many steps as take the processor as long as the yardstick's took, by the median over the seeds that both were
        trained with on one kind of machine; None before there is one. Seeds that follow have the steps of the first.
        """
        cell = self.cell(recipe, corpus, "mean", TRIALS[0], SEEDS[0])
        if cell and _subject(cell) in self._begun:
            return self._begun[_subject(cell)]
        first = RECIPES[REFERENCE]
        at = corpus if corpus in BY_NEED[first.needs] else "general"
        times, reference_times = self._seconds(recipe, corpus), self._seconds(first, at)
        ratios = [median(reference_times[kind]) / median(times[kind]) for kind in times if kind in reference_times]
        return max(1, min(MOST_STEPS, round(STEPS * median(ratios)))) if ratios else None

    def _seconds(self, recipe: Recipe, corpus: str) -> dict[Any, list[float]]:
        """By kind of machine and seed what the processor took for equal steps, whatever the learning rate. One kind of machine
        has taken half as long again on one day as on another; cells of one seed are mostly of one day.
        """
        seconds: dict[Any, list[float]] = defaultdict(list)
        for rate, seed in product({published_rate(recipe), *TRIALS}, SEEDS):
            row = self.trained(recipe, corpus, rate, seed=seed)
            if row and row["state"] == "done":
                seconds[kind_of(row["machine"]), seed].append(row["processor_seconds"])
        return seconds

    def moved(self, recipe: Recipe, corpus: str) -> bool:
        """Whether any cell of the first seed moved the mean-pooled backbone on STS-B dev."""
        before = self.untrained("mean")
        rates = dict.fromkeys([published_rate(recipe), *TRIALS])
        rows = [self.trained(recipe, corpus, rate) for rate in rates]
        done = [row["scores"]["stsb_dev"] for row in rows if row and row["state"] == "done"]
        return bool(before and done and max(abs(score - before["scores"]["stsb_dev"]) for score in done) > MOVES)

    def turns(self, recipe: Recipe, corpus: str) -> bool:
        """Whether a recipe moves [CLS] from its point and stands elsewhere against the yardstick than with the mean, by the
        first seed at tuned rates. The yardstick itself always does: the others are held against it.
        """
        apart = []
        for pooling in ("mean", "cls"):
            pair = []
            for subject, at in ((recipe, corpus), _yardstick(corpus)):
                rate = self.tuned_rate(subject, at, pooling)
                row = self.trained(subject, at, rate, pooling) if rate is not None else None
                if row is None or row["state"] != "done":
                    return False
                pair.append(row)
            apart.append(pair[0]["scores"]["stsb_dev"] - pair[1]["scores"]["stsb_dev"])
        return recipe.id == REFERENCE or (not at_a_point(pair[0]) and abs(apart[1] - apart[0]) > TURNS)


def _yardstick(corpus: str) -> tuple[Recipe, str]:
    """The recipe that others are held against, and on which corpus."""
    first = RECIPES[REFERENCE]
    return first, corpus if corpus in BY_NEED[first.needs] else BY_NEED[first.needs][0]


def _subject(cell: Cell) -> tuple[str, ...]:
    """What is trained on what: the same for all rates, budgets and seeds."""
    return cell.name, cell.corpus, cell.made, cell.before


def kind_of(machine: Row) -> tuple[Any, ...]:
    """What the speed of a machine depends on, as far as it is recorded."""
    return tuple(machine.get(name) for name in ("processor", "instructions", "device", "threads", "torch"))


def plan(rows: Rows, backbone: str = BACKBONE) -> Iterator[Cell]:
    """The whole list as far as it is known, the most informative cells first. A cell may appear twice."""
    from experiments.evidence.claims import cells

    known = Known(rows, backbone)
    yield from untrained("mean", backbone)
    if backbone != BACKBONE:
        yield from _trainings(known, lambda recipe: recipe.needs in UNSUPERVISED)
    yield from _trainings(known, lambda recipe: True)
    yield from cells(backbone)


def _trainings(known: Known, among: Callable[[Recipe], bool]) -> Iterator[Cell]:
    """Those of some recipes: mean pooling, then [CLS] where it may say something else, then what has three seeds so far."""
    from experiments.evidence.claims import cells

    backbone = known.backbone
    mean = [pair for pair in subjects("mean", backbone) if among(pair[0])]
    cls = [pair for pair in subjects("cls", backbone) if among(pair[0]) and known.moved(*pair)]
    first, further = SEEDS[:FIRST_SEEDS], SEEDS[FIRST_SEEDS:]
    yield from _trials(known, "mean", mean)
    for kind in KINDS:
        yield from _repeats(known, "mean", mean, kind, first)
    yield from _repeats(known, "mean", mean, "tuned", further)
    yield from untrained("cls", backbone)
    yield from _trials(known, "cls", cls)
    if backbone == BACKBONE:  # it has a pretrained pooler, mini-mlm has none
        yield from cells(backbone, only=("cls_mlp",))
    yield from _repeats(known, "cls", [pair for pair in cls if known.turns(*pair)], "tuned", SEEDS[1:])
    for kind in KINDS[1:]:
        yield from _repeats(known, "mean", mean, kind, further)


def _trials(known: Known, pooling: str, pairs: Pairs) -> Iterator[Cell]:
    """Each at the card's rate, then with mean pooling at the published one, then at the others, with [CLS] the lowest last;
    second stages after all that stand alone.
    """
    for second in (False, True):
        rates = (
            (TRIALS[0], None, *TRIALS[1:])
            if pooling == "mean"
            else sorted(TRIALS, key=lambda tried: tried == min(TRIALS))
        )
        for rate in rates:
            for recipe, corpus in pairs:
                if bool(recipe.after) != second or (rate and rate not in known.trials(recipe, corpus, pooling)):
                    continue
                settled_rate = rate or published_rate(recipe)
                if cell := known.cell(recipe, corpus, pooling, settled_rate, SEEDS[0]):
                    yield cell


def _repeats(known: Known, pooling: str, pairs: Pairs, kind: str, seeds: Sequence[int]) -> Iterator[Cell]:
    """The trainings of one of `KINDS`, one seed after the other, as far as the trials are done."""
    for seed in seeds:
        for recipe, corpus in pairs:
            tuned = known.tuned_rate(recipe, corpus, pooling)
            rate = published_rate(recipe) if kind == "published" else tuned
            if rate is None:
                continue
            cell: Cell | None = None
            if kind != "seconds":
                cell = known.cell(recipe, corpus, pooling, rate, seed)
            elif recipe.id != REFERENCE and (steps := known.steps_for_seconds(recipe, corpus)) is not None:
                cell = known.cell(recipe, corpus, pooling, rate, seed, "seconds", steps)
            if cell is not None:
                yield cell


def read(folder: Path) -> dict[str, Row]:
    """The cells of a folder by key; of several lines for a key the last one counts."""
    return {str(row["key"]): row for row in read_lines(folder / CELLS) if "key" in row}


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
    return not only or any(all(word in cell.id for word in words.split(",")) for words in only)


def cell_of(row: Row) -> Cell:
    """The cell that a line is about; older lines are of the first backbone and of recipes as they are."""
    return Cell(**{item.name: row[item.name] for item in fields(Cell) if item.name in row})


def current(row: Row) -> bool:
    """Whether a line belongs to the current recipe and weights. Weights of a missing backbone count as current."""
    if row["kind"] == "recipe" and row["name"] not in RECIPES:
        return False
    cell = cell_of(row)
    if cell.backbone not in PACKAGED and not weights(cell.backbone):
        return True
    if cell.kind == "recipe":
        from experiments.evidence.claims import CHANGES

        if cell.change not in ("", *CHANGES) or (cell.before and Before.read(cell.before).recipe not in RECIPES):
            return False
        return made_of(RECIPES[cell.name], cell.backbone, cell.change, cell.before) == cell.made
    return cell.backbone == BACKBONE or made_for(cell.backbone) == cell.made
