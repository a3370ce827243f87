"""The tables of the pages of results, made from the lines of docs/evidence.jsonl."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.evidence import summary
from experiments.evidence.cells import BACKBONE, Row
from experiments.evidence.claims import CLAIMS, FAILS, HOLDS, OPEN, Claim
from experiments.evidence.markdown import points, precisions, spread, table, with_instructions
from experiments.evidence.plan import MOVES, POINT, STEPS, TRIALS, TURNS
from experiments.evidence.reproduction import TITLES, TRAINED_ON, WORDS, after, cards
from experiments.evidence.scores import SHAPE, Scores
from experiments.evidence.store import LINES
from workbench.recipes import RECIPES


class Report:
    """The tables, as lines of Markdown."""

    def __init__(self, lines: Sequence[Row]) -> None:
        self.lines = lines
        self.scores = Scores(lines)
        self.differences = {(line["group"], line["against"], line["set"]): line for line in lines if "group" in line}

    def head(self) -> list[str]:
        """What was computed, where, and how to read it."""
        rising = self.scores.rising()
        lowest = sum(
            max(by_rate.values(), key=lambda cell: cell["scores"]["stsb_dev"])["learning_rate"] == min(by_rate)
            for by_rate in rising
        )
        cells = [line for line in self.lines if "cell" in line]
        machines = [line for line in self.lines if "machine" in line and "cell" not in line]
        named = [
            f"{machine['processor'] or machine['architecture']}{with_instructions(machine)}, {machine['device']}, "
            f"{machine['threads']} thread{'s' * (machine['threads'] != 1)}, torch {machine['torch']}"
            for machine in machines
        ]
        commits = dict.fromkeys(machine["commit"] or "an unnamed state" for machine in machines)
        written = sorted(cell["written"][:10] for cell in cells)
        days = " to ".join(dict.fromkeys([written[0], written[-1]]))
        backbones = " and ".join(f"`{name}`" for name in self.scores.backbones)
        return [
            "# How the evidence was computed",
            "",
            f"{len(cells)} cells on {backbones}, computed {days} on "
            f"{'; '.join(dict.fromkeys(named))}, code at {', '.join(commits)}. Made by "
            f"`python -m experiments.evidence --data DIR --out FOLDER` (`--backbone` names another), then "
            f"`--report`; the figures are in [{LINES}](../{LINES}). A row that was not computed is absent (of the claims it says "
            "so), and each row gives its number of seeds.",
            "",
            f"- Spearman x 100, scored in fp32, all pairs of a set at once. Trained in {precisions(cells)}. Means over seeds, "
            "with the sample standard deviation in brackets.",
            "- Differences are on STS-B dev unless a column says otherwise, in points, both sides on the same pairs and "
            "seeds, with 95 % intervals: a paired bootstrap over pairs and, with more than one seed, pairs and seeds as "
            "random effects, with Satterthwaite's degrees of freedom. The part over pairs comes from the seeds whose resamples "
            "are in `docs/resamples`; where they were not stored, the difference is the one first computed, with the seeds of "
            "that time. **Bold**: the interval excludes 0 and a training has more than one seed; an interval of a single seed "
            "says nothing about other seeds. Intervals are not corrected for the number of rows.",
            "- No head, as on the backbone's card; batch size, length, temperature and the rest as in the recipe. Learning "
            "rates: `published` belongs to BERT-base and its number of steps; `card` is the app's default here; `tuned` is the "
            "best on STS-B dev of three trials with seed 0, with mean pooling the same three for every recipe. So STS-B dev "
            "was used to choose; STS12, 14 and 15 were not, but share pairs with STS-B (255, 193 and 580 with its dev set, "
            "far more with its training texts).",
            f"- [CLS] is trained where a recipe moved the backbone with mean pooling by more than {100 * MOVES:.1f} points, "
            f"with seed 0: at {TRIALS[0]:g} and {TRIALS[2]:g}, and at {TRIALS[1]:g} too where {TRIALS[0]:g} moved the vectors "
            f"away from the single point where they start (mean cosine of random pairs above {POINT:g}) and STS-B dev does not "
            f"rise from the untrained vectors over {TRIALS[0]:g} to {TRIALS[2]:g}. At a rate too low to move them, the best "
            "ranking is that of whatever trained least; and where all three rates were tried and the score rises in this way, "
            f"with either pooling, {TRIALS[1]:g} was best in {lowest} of {len(rising)} cases. `tuned` is the best of these; a "
            f"row at {TRIALS[1]:g} that this rule does not call for is older than the rule and was not a candidate. Further "
            "seeds are run for `simcse_unsup`, and where the tuned rate moves the vectors and the difference from "
            f"`simcse_unsup` changes by more than {100 * TURNS:.0f} point from that with mean pooling. What has no row with "
            "[CLS] either moved nothing or was not computed.",
            *self._own_poolings(),
            "- Over `simcse_unsup`: tuned rows are compared with it at its tuned rate, published with published, others at the "
            "same rate, on the same corpus; recipes that train on NLI sentences or documents are compared with the one trained "
            "on STS-B's texts.",
            "- Seconds are processor time of training with the first seed, because wall-clock time on a shared machine would "
            "mislead. Equal seconds are those of `simcse_unsup` on the same corpus, on Wikipedia's sentences for recipes that "
            "train on NLI sentences or documents, by the timings available on the same kind of machine when the first seed was "
            f"trained: the median over seeds, on `{BACKBONE}` the first seed alone. The same kind of machine took half as long "
            "again on one day as on another, so the column gives the time actually spent. Steps and seconds of a second stage "
            f"are its own; the first stage was trained for {STEPS} steps at its own tuned rate with the same seed, as its row "
            "says.",
            "",
        ]

    def _own_poolings(self) -> list[str]:
        names = {line["name"] for line in self.lines if line.get("kind") == "recipe"}
        return [
            f"- `{name}` stands in the tables of mean pooling with the pooling that is part of its recipe, `{pooling}`."
            for name in sorted(names)
            if (pooling := RECIPES[name].model.get("pooling"))
        ]

    def in_short(self) -> list[str]:
        """The summary of the tables of trainings."""
        rows = list(summary.rows(self.scores, self.differences))
        return ["## In short", "", summary.SETTING, "", *table(summary.COLUMNS, rows), ""] if rows else []

    def claims(self) -> list[str]:
        """The field's ordering claims, one by one."""
        rows = []
        for claim, sets in self.claim_lines():
            first = next(iter(sets.values()))
            rows.append(
                [
                    f"{claim.words} ({claim.source})",
                    f"`{first['backbone']}`",
                    WORDS[first["corpus"]],
                    str(first.get("seeds", "")),
                    *(claimed(sets, name) for name in ("stsb_dev", "sts")),
                    with_reason(first),
                ]
            )
        columns = ["claim", "backbone", "trained or fitted on", "seeds", "difference, STS-B dev"]
        columns += ["the same, STS12, 14, 15", "verdict"]
        words = (
            f"Trainings of {STEPS} steps at the rate of the backbone's card, the two sides on the same seeds and pairs, no "
            "tuning. The verdict is that of STS-B dev: it holds, or does not, where the 95 % interval over pairs and seeds "
            "excludes 0, and is open where a side was trained only once."
        )
        return ["# The field's ordering claims, one by one", "", words, "", *table(columns, rows), ""] if rows else []

    def claim_lines(self) -> Iterator[tuple[Claim, dict[str, Row]]]:
        """Each claim on each backbone and corpus, with its lines by set; one without a set where it was not computed."""
        lines: dict[tuple[str, str, str], dict[str, Row]] = {}
        for line in self.lines:
            if "claim" in line:
                lines.setdefault((line["claim"], line["backbone"], line["corpus"]), {})[line.get("set", "")] = line
        for claim in CLAIMS:
            yield from ((claim, sets) for (name, _, _), sets in lines.items() if name == claim.id)

    def backbones_side_by_side(self) -> list[str]:
        """What each recipe gained or lost on each backbone, mean pooling, equal steps, at the tuned rate or the card's."""
        if len(self.scores.backbones) < 2:
            return []
        by_recipe: dict[tuple[str, str], dict[str, str]] = {}
        for role in ("card", "tuned"):  # the later one stands
            for group in self.scores.of(kind="recipe", budget="steps"):
                cell = self.scores.first(group)
                if cell["pooling"] == "mean" and role in self.scores.roles(group):
                    by_recipe.setdefault((cell["name"], cell["corpus"]), {})[cell["backbone"]] = group
        rows = []
        for (name, corpus), groups in sorted(by_recipe.items()):
            row = [f"`{name}`", WORDS[corpus]]
            for backbone in self.scores.backbones:
                if group := groups.get(backbone, ""):
                    cells = self.scores.groups[group]
                    rate = f"{self.scores.first(group)['learning_rate']:g} ({len(cells)})"
                    row += [rate, self._scores(group)[0], self._difference(group, "backbone")]
                else:
                    row += [""] * 3
            rows.append(row)
        columns = ["recipe", "trained on"]
        for backbone in self.scores.backbones:
            columns += [f"rate (seeds), `{backbone}`", f"STS-B dev, `{backbone}`", f"over `{backbone}` untrained"]
        head = "## The backbones side by side: mean pooling, equal steps, tuned rates where all trials are there"
        return [head, "", *table(columns, rows), ""] if rows else []

    def poolings_side_by_side(self) -> list[str]:
        """Where each recipe stands against the yardstick with mean pooling and with [CLS], at tuned rates."""
        by_recipe: dict[tuple[str, str, str], dict[str, str]] = {}
        for group in self.scores.of(kind="recipe", budget="steps"):
            cell = self.scores.first(group)
            if "tuned" in self.scores.roles(group):
                by_recipe.setdefault((cell["backbone"], cell["corpus"], cell["name"]), {})[cell["pooling"]] = group
        rows = []
        for (backbone, corpus, name), groups in sorted(by_recipe.items()):
            if "cls" in groups:
                row = [f"`{backbone}`", f"`{name}`", WORDS[corpus]]
                for group in (groups["mean"], groups["cls"]):
                    row += [str(len(self.scores.groups[group])), self._scores(group)[0], self._shape(group)[-1]]
                    row += [self._difference(group, "backbone"), self._difference(group, "yardstick")]
                rows.append(row)
        columns = ["backbone", "recipe", "trained on"]
        for words in ("mean", "[CLS]"):
            columns += [f"seeds, {words}", f"STS-B dev, {words}", f"mean cosine, {words}"]
            columns += [f"over the backbone, {words}", f"over `simcse_unsup`, {words}"]
        head = "## Mean pooling and [CLS] side by side: equal steps, tuned rates"
        return [head, "", *table(columns, rows), ""] if rows else []

    def plain_tables(self, backbone: str) -> list[str]:
        """Baselines and transforms."""
        columns = [
            "",
            "pooling",
            "fitted on",
            *TITLES.values(),
            "over the backbone",
            "over its mean subtracted",
            *SHAPE,
        ]
        rows = []
        of = {"backbone": backbone}
        for group in [*self.scores.of(kind="baseline", **of), *self.scores.of(kind="transform", **of)]:
            cell = self.scores.first(group)
            rows.append(
                [
                    f"`{cell['name']}`",
                    cell["pooling"],
                    WORDS[cell["corpus"]],
                    *self._scores(group),
                    self._difference(group, "backbone"),
                    self._difference(group, "centred"),
                    *self._shape(group),
                ]
            )
        return ["## Without training", "", *table(columns, rows), ""] if rows else []

    def recipe_tables(self, backbone: str) -> list[str]:
        """A table for each pooling, budget and corpus."""
        lines = self.side_by_side(backbone)
        for pooling in ("mean", "cls"):
            for budget, words in (("steps", "equal steps"), ("seconds", "equal seconds")):
                for corpus in TRAINED_ON:
                    asked = {"kind": "recipe", "pooling": pooling, "budget": budget, "corpus": corpus}
                    groups = self.scores.of(**asked, backbone=backbone)
                    if not groups:
                        continue
                    steps = sorted({self.scores.first(group)["steps"] for group in groups})
                    shown = f"{steps[0]} steps" if len(steps) == 1 else f"{steps[0]} to {steps[-1]} steps"
                    lines += [f"## {pooling} pooling, {words} ({shown}): trained on {WORDS[corpus]}", ""]
                    lines += [*self._recipes(groups, steps=len(steps) > 1), ""]
        return lines

    def side_by_side(self, backbone: str) -> list[str]:
        """What each unsupervised recipe gained or lost on either corpus, mean pooling, equal steps."""
        by_rate: dict[tuple[str, float], dict[str, str]] = {}
        for group in self.scores.of(kind="recipe", pooling="mean", budget="steps", backbone=backbone):
            cell = self.scores.first(group)
            if cell["corpus"] in ("in_domain", "general"):
                by_rate.setdefault((cell["name"], cell["learning_rate"]), {})[cell["corpus"]] = group
        rows = []
        for (name, rate), groups in sorted(by_rate.items()):
            shown = [
                [str(len(self.scores.groups[group])), self._scores(group)[0], self._difference(group, "backbone")]
                if (group := groups.get(corpus, ""))
                else [""] * 3
                for corpus in ("in_domain", "general")
            ]
            roles = ", ".join(self._roles_on(groups))
            rows.append([f"`{name}`", f"{rate:g}" + (f" ({roles})" if roles else ""), *shown[0], *shown[1]])
        columns = ["recipe", "learning rate"]
        for words in ("in-domain", "general"):
            columns += [f"seeds, {words}", f"STS-B dev, {words}", f"over the backbone, {words}"]
        return (
            [
                "## The two corpora side by side: mean pooling, equal steps",
                "",
                *table(columns, rows),
                "",
            ]
            if rows
            else []
        )

    def _roles_on(self, groups: Mapping[str, str]) -> list[str]:
        """What a rate is; of the tuned one also on which corpus, where it is not that of each."""
        corpora: dict[str, list[str]] = {}
        for corpus, group in groups.items():
            for role in self.scores.roles(group):
                corpora.setdefault(role, []).append(corpus.replace("_", "-"))
        return [
            role if role != "tuned" or len(on) == len(groups) else f"tuned {', '.join(on)}"
            for role, on in corpora.items()
        ]

    def _recipes(self, groups: Sequence[str], *, steps: bool) -> list[str]:
        columns = ["recipe", "learning rate", *(["steps"] if steps else []), "seeds", *TITLES.values()]
        columns += ["over the backbone", "the same, STS12, 14, 15", "over its mean subtracted", "over `simcse_unsup`"]
        columns += [*SHAPE, "processor seconds"]
        rows = []
        for group in sorted(
            groups, key=lambda name: (self.scores.first(name)["name"], self.scores.first(name)["learning_rate"])
        ):
            cell, cells = self.scores.first(group), list(self.scores.groups[group].values())
            roles = self.scores.roles(group)
            rows.append(
                [
                    f"`{cell['name']}`" + (f" after {after(cell['before'])}" if cell["before"] else ""),
                    f"{cell['learning_rate']:g}" + (f" ({', '.join(roles)})" if roles else ""),
                    *([str(cell["steps"])] if steps else []),
                    str(len(cells)),
                    *self._scores(group),
                    self._difference(group, "backbone"),
                    self._difference(group, "backbone", "sts"),
                    self._difference(group, "centred"),
                    self._difference(group, "yardstick"),
                    *self._shape(group),
                    f"{cell['processor_seconds']:.0f}",
                ]
            )
        return table(columns, rows)

    def _scores(self, group: str) -> list[str]:
        cells = list(self.scores.groups[group].values())
        return [spread([100 * cell["scores"][name] for cell in cells if name in cell["scores"]]) for name in TITLES]

    def _shape(self, group: str) -> list[str]:
        cells = list(self.scores.groups[group].values())
        figures = [[cell[name] for cell in cells if cell[name] is not None] for name in SHAPE]
        return [f"{np.mean(values):.2f}" if values else "" for values in figures]

    def _difference(self, group: str, against: str, name: str = "stsb_dev") -> str:
        row = self.differences.get((group, against, name))
        if row is None:
            return ""
        return points(row, alone=row["seeds"] == 1 and self.scores.first(group)["kind"] == "recipe")

    def order_counts(self) -> "OrderCounts | None":
        """How the comparisons of two recipes came out that have a published order; None if there are none."""
        by_groups: dict[tuple[str, ...], list[Row]] = {}
        for line in self.lines:
            if "order" in line:
                by_groups.setdefault(tuple(line["groups"]), []).append(line)
        several = [rows for rows in by_groups.values() if rows[0]["seeds"] > 1]
        return (
            OrderCounts(
                len(several),
                sum(rows[0]["low"] > 0 for rows in several),
                [rows for rows in several if rows[0]["high"] < 0],
                sum(rows[0]["low"] == rows[0]["high"] == 0 for rows in several),
                len(by_groups) - len(several),
            )
            if by_groups
            else None
        )

    def order(self) -> list[str]:
        """Where two recipes stand the other way round than in the literature; each two of our cells count once."""
        counts = self.order_counts()
        if counts is None:
            return []
        lines = [
            "# Where the published order does not hold",
            "",
            "Two recipes are compared by their own published STS scores, those on BERT-base where both have one, and here on "
            "STS-B dev at the same pooling, corpus and kind of learning rate. "
            f"Of {counts.compared} comparisons with more than one seed, {counts.kept} come out as published beyond noise, "
            f"{counts.turned} the other way round, and {counts.undecided} cannot be told apart "
            f"({counts.same} of them because both trainings are the same to the last digit here). "
            f"{counts.of_one_seed} more have one seed and say nothing. Nothing is corrected for their number, and "
            "they are not independent, since each recipe is in many of them.",
            "",
        ]
        rows = [
            [
                f"`{first['order'][1]}` over `{first['order'][0]}`",
                "; ".join(
                    dict.fromkeys(
                        f"{row['published'][1]:.2f} over {row['published'][0]:.2f} ({row['published_on']})"
                        for row in same
                    )
                ),
                f"{first['backbone']}, {first['pooling']}, {first['corpus']}, "
                f"{' and '.join(dict.fromkeys(row['role'] for row in same))}",
                str(first["seeds"]),
                f"{100 * first['delta']:+.1f} ({100 * first['low']:.1f} to {100 * first['high']:.1f})",
            ]
            for same in sorted(counts.turned_rows, key=lambda rows: float(rows[0]["delta"]))
            for first in same[:1]
        ]
        return [*lines, *table(["published", "scores", "here", "seeds", "difference"], rows), ""] if rows else lines

    def cards(self) -> list[str]:
        """A reproduction card for each recipe with cells of its own."""
        lines = list(cards(self.scores, self.differences))
        return ["# Reproduction cards", "", *lines] if lines else []

    def not_computed(self) -> list[str]:
        """What failed, recipes that cannot start from a backbone, and second stages without cells, as a list."""
        from experiments.evidence.plan import left_out

        lines = [f"- `{line['failed']}`: {line['message']}" for line in self.lines if "failed" in line]
        fine_tunes = [recipe for recipe in RECIPES.values() if not recipe.pretrains]
        for recipe in fine_tunes:
            reasons = {name: why for name in self.scores.backbones if (why := left_out(recipe, name))}
            for why in dict.fromkeys(reasons.values()):
                backbones = [f"`{name}`" for name, reason in reasons.items() if reason == why]
                expected = recipe.backbone in self.scores.backbones
                missing = expected and not self.scores.of(kind="recipe", name=recipe.id)
                also = f", and not computed on `{recipe.backbone}`" if missing else ""
                lines.append(f"- `{recipe.id}`: {why}; not tried on {' and '.join(backbones)}{also}.")
            without = [
                f"`{name}`"
                for name in self.scores.backbones
                if recipe.after and name not in reasons and not self.scores.of(name=recipe.id, backbone=name)
            ]
            if without:
                lines.append(
                    f"- `{recipe.id}`: a second stage, which follows `{recipe.after[0]}` at its tuned rate; not computed on "
                    f"{' and '.join(without)}."
                )
        return lines


@dataclass(frozen=True)
class OrderCounts:
    """Comparisons of two recipes that have a published order, those of more than one seed apart from the others."""

    compared: int
    kept: int
    """As published, beyond noise."""
    turned_rows: list[list[Row]]
    """The other way round, beyond noise: the lines of each comparison."""
    same: int
    """Both trainings are the same to the last digit."""
    of_one_seed: int

    @property
    def turned(self) -> int:
        """How many came out the other way round."""
        return len(self.turned_rows)

    @property
    def undecided(self) -> int:
        """How many cannot be told apart."""
        return self.compared - self.kept - self.turned


def claimed(sets: Mapping[str, Row], name: str) -> str:
    """The difference that a claim is about on a set; empty where it was not computed."""
    return points(sets[name], alone=sets[name]["verdict"] == OPEN) if name in sets else ""


def with_reason(line: Row) -> str:
    """The verdict on a claim, bold where there is one, with the reason why there is none."""
    shown = f"**{line['verdict']}**" if line["verdict"] in (HOLDS, FAILS) else str(line["verdict"])
    return f"{shown}: {line['reason']}" if line.get("reason") else shown
