"""The field's claims of what is better than what, each tested on its own: the cells it takes, and what they say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.evidence.cells import BACKBONE, SCORED, Cell, Row
from experiments.evidence.differences import Told
from experiments.evidence.found import Found, group_of
from experiments.evidence.kept import SETS
from experiments.evidence.plan import SEEDS, STEPS, card_rate, trained
from workbench.core.config import Value
from workbench.recipes import RECIPES

HOLDS, FAILS, NOISE, ABSENT, OPEN = "holds", "does not hold", "within noise", "not computed", "open: one seed"
CORPORA = ("in_domain", "general")

CHANGES: dict[str, dict[str, Value]] = {
    "eda": {"terms.0.views.b.augmentation": "one_of(eda_synonym, eda_insert, eda_swap, eda_delete)"},
    "contextual": {"terms.0.views.b.augmentation": "contextual_word(rate=0.15)"},
    "contextual_insert": {"terms.0.views.b.augmentation": "contextual_word(mode=insert, rate=0.15)"},
    "every1": {"terms.0.every": 1, "terms.1.every": 1},
    "margin0": {"terms.0.settings.margin_deg": 0.0},
    "shuffle_token_cutoff": {
        "terms.0.views.a.augmentation": "token_shuffle",
        "terms.0.views.b.augmentation": "token_cutoff",
    },
    "no_augmentation": {"terms.0.views.a.augmentation": "", "terms.0.views.b.augmentation": ""},
    "mlp": {"model.head": "mlp"},
}
"""What a cell has otherwise than its recipe, by the word in its id."""


@dataclass(frozen=True)
class Side:
    """What is held against something: a recipe (with a change), a transform, or the backbone as it comes."""

    name: str
    pooling: str = "mean"
    change: str = ""

    def group(self, backbone: str, corpus: str) -> str:
        """The cells of all seeds."""
        if self.name in RECIPES:
            rate = card_rate(backbone)
            cell = Cell("recipe", self.name, self.pooling, corpus, "", "steps", STEPS, rate, 0, backbone, self.change)
        elif self.name == "backbone":
            cell = Cell("baseline", self.name, self.pooling, "", "", backbone=backbone)
        else:
            cell = Cell("transform", self.name, self.pooling, corpus, "", backbone=backbone)
        return group_of(cell.id)


@dataclass(frozen=True)
class Claim:
    """One claim: `better` is said to be better than `worse`, all else equal."""

    id: str
    words: str
    source: str
    better: Side
    worse: Side
    corpora: tuple[str, ...] = CORPORA


CLAIMS = (
    Claim(
        "dropout_over_eda",
        "Dropout alone makes better positives than EDA's edits of one view (dropout stays on)",
        "Shu and Lampos 2024 (UNA), table C3",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="eda"),
    ),
    Claim(
        "dropout_over_contextual",
        "Dropout alone makes better positives than one view with 15 % of its words replaced by those of a masked language "
        "model (dropout stays on)",
        "Gao et al. 2021 (SimCSE), table 1",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="contextual"),
    ),
    Claim(
        "dropout_over_contextual_insert",
        "Dropout alone makes better positives than one view with 15 % more words, of a masked language model (dropout stays "
        "on)",
        "nobody's that we know: beside the one above",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="contextual_insert"),
    ),
    Claim(
        "una_every",
        "UNA: augmented rows in every 5th batch are better than in every one",
        "Shu and Lampos 2024 (UNA)",
        Side("una"),
        Side("una", change="every1"),
    ),
    Claim(
        "margin",
        "A margin of 10 degrees on the angle of positives is better than none",
        "Zhang et al. 2022 (ArcCSE)",
        Side("arccon_only"),
        Side("arccon_only", change="margin0"),
    ),
    Claim(
        "shuffle_cutoff",
        "Token shuffling and token cutoff are better than no augmentation, dropout off on either side (the two "
        "views are then identical)",
        "Yan et al. 2021 (ConSERT)",
        Side("consert_unsup", change="shuffle_token_cutoff"),
        Side("consert_unsup", change="no_augmentation"),
    ),
    Claim(
        "whitening",
        "Whitened vectors are better than the backbone's own",
        "Su et al. 2021 (BERT-whitening)",
        Side("whitening"),
        Side("backbone"),
        (SCORED, *CORPORA),
    ),
    Claim(
        "cls_mlp",
        "[CLS] with an MLP in training is better than the pretrained pooler",
        "A Chinese reproduction of SimCSE",
        Side("simcse_unsup", "cls", "mlp"),
        Side("simcse_unsup", "pooler"),
    ),
)


def cells(backbone: str = BACKBONE, only: Sequence[str] = ()) -> Iterator[Cell]:
    """The trainings that the claims take, or `only` some of them, all at the rate of the backbone's card, one seed after the
    other.
    """
    for seed in SEEDS:
        for claim in (one for one in CLAIMS if not only or one.id in only):
            for corpus in claim.corpora:
                for side in (claim.better, claim.worse):
                    if side.name in RECIPES:
                        recipe, rate = RECIPES[side.name], card_rate(backbone)
                        yield trained(recipe, corpus, side.pooling, rate, seed, backbone=backbone, change=side.change)


def tested(found: Found, told: Told, failed: Mapping[str, str]) -> Iterator[Row]:
    """A line for each claim, backbone, corpus and set; `failed` has the messages of failed cells by group.

    The difference is that of `better` over `worse` on the seeds that both have, with its interval over pairs and seeds.
    """
    for backbone in found.backbones:
        for claim in CLAIMS:
            for corpus in claim.corpora:
                groups = [side.group(backbone, corpus) for side in (claim.better, claim.worse)]
                row = {"claim": claim.id, "backbone": backbone, "corpus": corpus, "groups": groups}
                seeds = sorted(set.intersection(*(set(found.groups.get(group, {})) for group in groups)))
                if not seeds:
                    reasons = [failed[group] for group in groups if group in failed and group not in found.groups]
                    said = (told.before(row) or {}).get("reason", "")
                    yield {**row, "verdict": ABSENT, "reason": reasons[0] if reasons else said}
                    continue
                mine, theirs = ([found.groups[group][seed]["cell"] for seed in seeds] for group in groups)
                for name in SETS:
                    line = told.difference({**row, "set": name}, theirs, mine, name, paired=True)
                    if line is not None:
                        # Of one training an interval over pairs says nothing about the next one.
                        alone = line["seeds"] == 1 and any(one.name in RECIPES for one in (claim.better, claim.worse))
                        yield {**line, "verdict": OPEN if alone else verdict(line["low"], line["high"])}


def verdict(low: float, high: float) -> str:
    """What an interval of the difference says of a claim.

    >>> verdict(0.1, 0.2), verdict(-0.2, -0.1), verdict(-0.1, 0.1)
    ('holds', 'does not hold', 'within noise')
    """
    return HOLDS if low > 0 else FAILS if high < 0 else NOISE
