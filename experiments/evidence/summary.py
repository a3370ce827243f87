"""What the tables of trainings come to: at tuned rates, how many gain and lose, and what stands apart from SimCSE."""

from collections.abc import Iterator, Mapping
from itertools import product

from experiments.evidence.cells import Row
from experiments.evidence.claims import FAILS, HOLDS, NOISE, verdict
from experiments.evidence.found import Found
from experiments.evidence.plan import STEPS
from experiments.evidence.verdicts import TRAINED_ON, WORDS
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
    "Recipes at their tuned rates with more than one seed, STS-B dev; a difference counts where its 95 % interval leaves out "
    "0 and is open otherwise. Beside each name stand the points over `simcse_unsup`, which for "
    "NLI sentences and documents is the one trained on STS-B's texts, and at equal seconds the steps that fitted into "
    f"those of {STEPS} of `simcse_unsup`. Where training harms, fewer steps alone look better."
)

_SCORED, _SECOND = ", with its gold scores", ", after a first stage on labels"
"""What recipes had beside the texts that they were trained on."""

Told = Mapping[tuple[str, str, str], Row]


def rows(found: Found, told: Told) -> Iterator[list[str]]:
    """A row for each backbone, pooling, budget and corpus; trainings on gold scores and second stages apart from the others."""
    for backbone, pooling, budget in product(found.backbones, ("mean", "cls"), ("steps", "seconds")):
        tuned = [
            group
            for group in found.of(kind="recipe", pooling=pooling, budget=budget, backbone=backbone)
            if "tuned" in found.roles(group) and len(found.groups[group]) > 1
        ]
        for corpus, beside in product(TRAINED_ON, ("", _SCORED, _SECOND)):
            own = [one for one in tuned if _place(found.first(one)) == (corpus, beside)]
            if own:
                tallies = [
                    tally([told.get((one, base, "stsb_dev")) for one in own]) for base in ("backbone", "centred")
                ]
                place = [f"`{backbone}`", f"{pooling}, equal {budget}", WORDS[corpus] + beside, str(len(own))]
                yield [*place, *tallies, *apart(found, told, own)]


def _place(cell: Row) -> tuple[str, str]:
    scored = RECIPES[cell["name"]].needs == "scored_pairs"
    return cell["corpus"], _SCORED if scored else _SECOND if cell["before"] else ""


def tally(differences: list[Row | None]) -> str:
    """How many gain, lose and are open; those that were not computed are left out.

    >>> tally([{"low": 0.1, "high": 0.2}, {"low": -0.1, "high": 0.2}, None])
    '1, 0, 1'
    """
    said = [verdict(one["low"], one["high"]) for one in differences if one]
    return ", ".join(str(said.count(one)) for one in (HOLDS, FAILS, NOISE))


def apart(found: Found, told: Told, groups: list[str]) -> list[str]:
    """The names of what is better than the yardstick, worse, and neither, the best one first."""
    pairs = [(found.first(group), told.get((group, "yardstick", "stsb_dev"))) for group in groups]
    held = [(cell, one) for cell, one in pairs if one and one["seeds"] > 1]
    ranked = sorted(held, key=lambda pair: -float(pair[1]["delta"]))
    return [
        ", ".join(
            f"`{cell['name']}` {100 * one['delta']:+.1f}" + f" ({cell['steps']} steps)" * (cell["budget"] == "seconds")
            for cell, one in ranked
            if verdict(one["low"], one["high"]) == wanted
        )
        for wanted in (HOLDS, FAILS, NOISE)
    ]
