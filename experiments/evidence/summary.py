"""A summary of the tables of trainings at tuned rates: how many gain and lose, and which differ from SimCSE."""

from collections.abc import Iterator, Mapping
from itertools import product

from experiments.evidence.cells import Row
from experiments.evidence.claims import FAILS, HOLDS, NOISE, verdict
from experiments.evidence.plan import STEPS
from experiments.evidence.reproduction import TRAINED_ON, WORDS
from experiments.evidence.scores import Scores
from workbench.recipes import RECIPES

COLUMNS = (
    "backbone",
    "pooling, budget",
    "trained on",
    "recipes",
    "over the backbone: gain, lose, open",
    "over its mean subtracted: gain, lose, open",
    "better than `simcse_unsup`",
    "worse",
    "open",
)
SETTING = (
    "Recipes at their tuned rates with more than one seed, STS-B dev; a difference counts where its 95 % interval excludes "
    "0 and is open otherwise. Each name is followed by its points over `simcse_unsup`, which for "
    "NLI sentences and documents is the one trained on STS-B's texts, and at equal seconds the steps that fitted into "
    f"those of {STEPS} of `simcse_unsup`. Where training harms, fewer steps alone look better."
)

PLAIN, SCORED, SECOND = "", ", with its gold scores", ", after a first stage on labels"
"""What recipes were trained on besides texts."""

Differences = Mapping[tuple[str, str, str], Row]
"""By group, what it is held against, and set."""


def rows(scores: Scores, differences: Differences) -> Iterator[list[str]]:
    """A row for each backbone, pooling, budget and corpus; trainings on gold scores and second stages apart from the others."""
    for backbone, pooling, budget in product(scores.backbones, ("mean", "cls"), ("steps", "seconds")):
        for corpus, beside in product(TRAINED_ON, (PLAIN, SCORED, SECOND)):
            groups = tuned_groups(scores, backbone, pooling, budget, corpus, beside)
            if groups:
                tallies = [
                    tally([differences.get((group, base, "stsb_dev")) for group in groups])
                    for base in ("backbone", "centred")
                ]
                what = [f"`{backbone}`", f"{pooling}, equal {budget}", WORDS[corpus] + beside, str(len(groups))]
                yield [*what, *tallies, *apart(scores, differences, groups)]


def tuned_groups(scores: Scores, backbone: str, pooling: str, budget: str, corpus: str, beside: str) -> list[str]:
    """The groups at tuned rates with more than one seed, of recipes that had that `beside` their texts."""
    return [
        group
        for group in scores.of(kind="recipe", pooling=pooling, budget=budget, backbone=backbone, corpus=corpus)
        if "tuned" in scores.roles(group) and len(scores.groups[group]) > 1 and _beside(scores.first(group)) == beside
    ]


def _beside(cell: Row) -> str:
    scored = RECIPES[cell["name"]].needs == "scored_pairs"
    return SCORED if scored else SECOND if cell["before"] else PLAIN


def tally(differences: list[Row | None]) -> str:
    """How many gain, lose and are open; those that were not computed are left out.

    >>> tally([{"low": 0.1, "high": 0.2}, {"low": -0.1, "high": 0.2}, None])
    '1, 0, 1'
    """
    verdicts = [verdict(row["low"], row["high"]) for row in differences if row]
    return ", ".join(str(verdicts.count(wanted)) for wanted in (HOLDS, FAILS, NOISE))


def apart(scores: Scores, differences: Differences, groups: list[str]) -> list[str]:
    """The names of what is better than the yardstick, worse, and neither, the best one first."""
    pairs = [(scores.first(group), differences.get((group, "yardstick", "stsb_dev"))) for group in groups]
    compared = [(cell, row) for cell, row in pairs if row and row["seeds"] > 1]
    ranked = sorted(compared, key=lambda pair: -float(pair[1]["delta"]))
    return [
        ", ".join(
            f"`{cell['name']}` {100 * row['delta']:+.1f}" + f" ({cell['steps']} steps)" * (cell["budget"] == "seconds")
            for cell, row in ranked
            if verdict(row["low"], row["high"]) == wanted
        )
        for wanted in (HOLDS, FAILS, NOISE)
    ]
