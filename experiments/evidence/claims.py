"""Published claims that one method is better than another, each tested separately: its cells, and their verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.evidence.cells import BACKBONE, SCORED, Cell, Row
from experiments.evidence.differences import Intervals
from experiments.evidence.plan import CARD_RATE, SEEDS, STEPS, trained
from experiments.evidence.scores import Scores, group_of
from experiments.evidence.store import SETS
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
"""The changes of a cell to its recipe, by the word in the cell's id."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a recipe (with a change), a transform, or the untrained backbone."""

    name: str
    pooling: str = "mean"
    change: str = ""

    def group(self, backbone: str, corpus: str) -> str:
        """The cells of all seeds."""
        if self.name in RECIPES:
            rate = CARD_RATE
            cell = Cell("recipe", self.name, self.pooling, corpus, "", "steps", STEPS, rate, 0, backbone, self.change)
        elif self.name == "backbone":
            cell = Cell("baseline", self.name, self.pooling, "", "", backbone=backbone)
        else:
            cell = Cell("transform", self.name, self.pooling, corpus, "", backbone=backbone)
        return group_of(cell.id)


@dataclass(frozen=True)
class Claim:
    """One claim: `better` is better than `worse`, all else equal."""

    id: str
    title: str
    words: str
    source: str
    better: Side
    worse: Side
    corpora: tuple[str, ...] = CORPORA
    caveat: str = ""
    """How what was published differs from what is tested."""


CLAIMS = (
    Claim(
        "dropout_over_eda",
        "Dropout alone beats EDA's word edits",
        "Dropout alone makes better positives than EDA's edits of one view (dropout stays on)",
        "Shu and Lampos 2024 (UNA), table C3",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="eda"),
    ),
    Claim(
        "dropout_over_contextual",
        "Dropout alone beats replacing 15 % of the words by a language model's",
        "Dropout alone makes better positives than one view with 15 % of its words replaced by those of a masked language "
        "model (dropout stays on)",
        "Gao et al. 2021 (SimCSE), table 1",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="contextual"),
        caveat="recalled, not checked against the paper",
    ),
    Claim(
        "dropout_over_contextual_insert",
        "Dropout alone beats adding 15 % more words of a language model",
        "Dropout alone makes better positives than one view with 15 % more words, of a masked language model (dropout stays "
        "on)",
        "our own addition to the claim above",
        Side("simcse_unsup"),
        Side("simcse_unsup", change="contextual_insert"),
    ),
    Claim(
        "una_every",
        "UNA: augmenting every 5th batch beats every batch",
        "UNA: augmented rows in every 5th batch are better than in every one",
        "Shu and Lampos 2024 (UNA)",
        Side("una"),
        Side("una", change="every1"),
    ),
    Claim(
        "margin",
        "A margin of 10 degrees beats none",
        "A margin of 10 degrees on the angle of positives is better than none",
        "Zhang et al. 2022 (ArcCSE)",
        Side("arccon_only"),
        Side("arccon_only", change="margin0"),
    ),
    Claim(
        "shuffle_cutoff",
        "Without dropout, token shuffling and cutoff beat no augmentation",
        "Token shuffling and token cutoff are better than no augmentation, dropout off on either side (the two "
        "views are then identical)",
        "Yan et al. 2021 (ConSERT)",
        Side("consert_unsup", change="shuffle_token_cutoff"),
        Side("consert_unsup", change="no_augmentation"),
        caveat="in the authors' script the cutoff is of features",
    ),
    Claim(
        "whitening",
        "Whitening beats the backbone's own vectors",
        "Whitened vectors are better than the backbone's own",
        "Su et al. 2021 (BERT-whitening)",
        Side("whitening"),
        Side("backbone"),
        (SCORED, *CORPORA),
        caveat="first and last layer, over embeddings and last layer",
    ),
    Claim(
        "cls_mlp",
        "[CLS] with an MLP in training beats the pretrained pooler",
        "[CLS] with an MLP in training is better than the pretrained pooler",
        "A Chinese reproduction of SimCSE",
        Side("simcse_unsup", "cls", "mlp"),
        Side("simcse_unsup", "pooler"),
        caveat="its [CLS] was trained without an MLP",
    ),
)


@dataclass(frozen=True)
class Reference:
    """Where a published score is recorded: in a recipe's file by set and variant, or by method in the table of the literature."""

    name: str
    set: str = "STS, mean of 7 tasks, BERT-base"
    variant: str = ""

    def score(self) -> float:
        """Spearman x 100.

        Raises:
            StopIteration: it is in neither.
        """
        if self.name in RECIPES:
            scores = RECIPES[self.name].published
            return next(row.score for row in scores if (row.set, row.variant) == (self.set, self.variant))
        from workbench.data.literature import published_rows

        table = published_rows("sts")
        return next(float(score) for score in table.loc[table["method"] == self.name, "avg"])


PUBLISHED: dict[str, tuple[Reference, tuple[Reference, ...]]] = {
    "dropout_over_eda": (
        Reference("SimCSE (UNA rerun; 2N loss)"),
        tuple(
            Reference(f"EDA {edit}")
            for edit in ("synonym replacement", "random insertion", "random swap", "random deletion")
        ),
    ),
    "una_every": (
        Reference("una", "STS-B dev, BERT-base"),
        (Reference("una", "STS-B dev, BERT-base", "every batch"),),
    ),
    "margin": (Reference("arccon_only"), (Reference("simcse_unsup"),)),
    "shuffle_cutoff": (
        Reference("consert_unsup"),
        (Reference("consert_unsup", variant="views without augmentation"),),
    ),
    "whitening": (Reference("BERT-whitening"), (Reference("BERT static-last avg"),)),
    "cls_mlp": (
        Reference("chinese_simcse", "Chinese STS-B dev"),
        (Reference("chinese_simcse", "Chinese STS-B dev", "with the pooler, after 38,320 sentences"),),
    ),
}
"""The published scores of what is said to be better, and of what it is held against, for the claims that have them."""


def published(claim: Claim) -> str:
    """The published scores of a claim, the better one first, with the set and the source; the source alone without them.

    >>> published(next(claim for claim in CLAIMS if claim.id == "una_every"))
    '82.35 over 79.29 on STS-B dev, BERT-base; Shu and Lampos 2024 (UNA)'
    """
    source = "; ".join(filter(None, (claim.source, claim.caveat)))
    if claim.id not in PUBLISHED:
        return f"no score in our sources; {source}"
    better, worse = PUBLISHED[claim.id]
    ends = sorted({reference.score() for reference in worse})
    shown = " to ".join(f"{score:.2f}" for score in dict.fromkeys([ends[0], ends[-1]]))
    return f"{better.score():.2f} over {shown} on {better.set}; {source}"


def cells(backbone: str = BACKBONE, only: Sequence[str] = ()) -> Iterator[Cell]:
    """The trainings that the claims need, or `only` some of them, all at the rate of the backbone's card, one seed after the
    other.
    """
    for seed in SEEDS:
        for claim in (claim for claim in CLAIMS if not only or claim.id in only):
            for corpus in claim.corpora:
                for side in (claim.better, claim.worse):
                    if side.name in RECIPES:
                        recipe, rate = RECIPES[side.name], CARD_RATE
                        yield trained(recipe, corpus, side.pooling, rate, seed, backbone=backbone, change=side.change)


def tested(scores: Scores, intervals: Intervals, failed: Mapping[str, str]) -> Iterator[Row]:
    """A line for each claim, backbone, corpus and set; `failed` has the messages of failed cells by group.

    The difference is that of `better` over `worse` on the seeds that both have, with its interval over pairs and seeds.
    """
    for backbone in scores.backbones:
        for claim in CLAIMS:
            for corpus in claim.corpora:
                groups = [side.group(backbone, corpus) for side in (claim.better, claim.worse)]
                row = {"claim": claim.id, "backbone": backbone, "corpus": corpus, "groups": groups}
                seeds = sorted(set.intersection(*(set(scores.groups.get(group, {})) for group in groups)))
                if not seeds:
                    reasons = [failed[group] for group in groups if group in failed and group not in scores.groups]
                    before = (intervals.before(row) or {}).get("reason", "")
                    yield {**row, "verdict": ABSENT, "reason": reasons[0] if reasons else before}
                    continue
                mine, theirs = ([scores.groups[group][seed]["cell"] for seed in seeds] for group in groups)
                for name in SETS:
                    line = intervals.difference({**row, "set": name}, theirs, mine, name, paired=True)
                    if line is not None:
                        # For a single training, an interval over pairs says nothing about other seeds.
                        alone = line["seeds"] == 1 and any(side.name in RECIPES for side in (claim.better, claim.worse))
                        yield {**line, "verdict": OPEN if alone else verdict(line["low"], line["high"])}


def verdict(low: float, high: float) -> str:
    """The verdict on a claim by the interval of the difference.

    >>> verdict(0.1, 0.2), verdict(-0.2, -0.1), verdict(-0.1, 0.1)
    ('holds', 'does not hold', 'within noise')
    """
    return HOLDS if low > 0 else FAILS if high < 0 else NOISE
