"""The tables of docs/RESULTS.md, made from the lines of docs/evidence.jsonl."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.evidence import summary
from experiments.evidence.cells import BACKBONE, Row
from experiments.evidence.claims import CLAIMS, FAILS, HOLDS, OPEN
from experiments.evidence.found import SHAPE, Found
from experiments.evidence.kept import LINES
from experiments.evidence.markdown import points, precisions, spread, table, with_instructions
from experiments.evidence.plan import MOVES, POINT, STEPS, TRIALS, TURNS
from experiments.evidence.verdicts import TITLES, TRAINED_ON, WORDS, after, cards
from workbench.recipes import RECIPES


class Report:
    """The tables, as lines of Markdown."""

    def __init__(self, lines: Sequence[Row]) -> None:
        self.lines = lines
        self.found = Found(lines)
        self.told = {(one["group"], one["against"], one["set"]): one for one in lines if "group" in one}

    def text(self) -> list[str]:
        """Everything between the marks."""
        tables = [
            line for name in self.found.backbones for line in (*self.plain_tables(name), *self.recipe_tables(name))
        ]
        return [
            *self.head(),
            *self.in_short(),
            *self.claims(),
            *self.backbones_side_by_side(),
            *self.poolings_side_by_side(),
            *tables,
            *self.order(),
            *self.cards(),
            *self.rest(),
        ]

    def head(self) -> list[str]:
        """What was computed, where, and how to read it."""
        rising = self.found.rising()
        lowest = sum(
            max(own.values(), key=lambda cell: cell["scores"]["stsb_dev"])["learning_rate"] == min(own)
            for own in rising
        )
        cells = [one for one in self.lines if "cell" in one]
        machines = [one for one in self.lines if "machine" in one and "cell" not in one]
        told = [
            f"{one['processor'] or one['architecture']}{with_instructions(one)}, {one['device']}, "
            f"{one['threads']} thread{'s' * (one['threads'] != 1)}, torch {one['torch']}"
            for one in machines
        ]
        commits = dict.fromkeys(one["commit"] or "an unnamed state" for one in machines)
        written = sorted(one["written"][:10] for one in cells)
        days = " to ".join(dict.fromkeys([written[0], written[-1]]))
        backbones = " and ".join(f"`{name}`" for name in self.found.backbones)
        return [
            "## Every recipe, transform and baseline",
            "",
            f"{len(cells)} cells on {backbones}, computed {days} on "
            f"{'; '.join(dict.fromkeys(told))}, code at {', '.join(commits)}. Made by "
            f"`python -m experiments.evidence --data DIR --out FOLDER` (`--backbone` names another), then "
            f"`--report`; the figures are in [{LINES}]({LINES}). The list is long and goes on where it stopped: a row that was "
            "not computed is absent (of the claims it says so), and each row says how many seeds it rests on.",
            "",
            f"- Spearman x 100, scored in fp32, all pairs of a set at once. Trained in {precisions(cells)}. Mean over seeds, "
            "in brackets the sample standard deviation.",
            "- Differences are on STS-B dev unless a column says otherwise, in points, both sides on the same pairs and "
            "seeds, with 95 % intervals: of a paired bootstrap over pairs and, with more than one seed, of Student's t over "
            "seeds on top. The part of the pairs comes from the seeds whose resamples are in [resamples](resamples); where "
            "those were not kept, a difference stands as it was computed, with the seeds of then. **Bold**: the interval "
            "excludes 0, and a training has more than one seed; an interval of one says nothing about other seeds. They are "
            "not corrected for the number of rows.",
            "- No head, as the backbone's card says; batch, length, temperature and the rest as in the recipe. Learning "
            "rates: `published` belongs to BERT-base and its step count; `card` is what the app takes here; `tuned` is the "
            "best on STS-B dev of three trials with seed 0, with mean pooling the same three for every recipe. STS-B dev is thus "
            "chosen on; STS12, 14 and 15 are not, but share pairs with STS-B (255, 193 and 580 with its dev set, far more with "
            "its training texts).",
            f"- [CLS] is trained where a recipe moved the backbone with mean pooling by more than {100 * MOVES:.1f} points, "
            f"with seed 0: at {TRIALS[0]:g} and {TRIALS[2]:g}, and at {TRIALS[1]:g} too where {TRIALS[0]:g} moved its vectors "
            f"from the one point that they start from (mean cosine of random pairs above {POINT:g}) and STS-B dev does not "
            f"rise from the untrained vectors over {TRIALS[0]:g} to {TRIALS[2]:g}. Below a rate that leaves them there, what "
            f"ranks best is what trains least; and where all three were tried and it rises so, with either pooling, "
            f"{TRIALS[1]:g} was best in {lowest} of {len(rising)}. `tuned` is the best of these; a row at {TRIALS[1]:g} that "
            "this rule does not ask for is from before it was made, and was not chosen from. The other seeds come for "
            "`simcse_unsup`, and where the tuned rate moves the vectors and puts the recipe elsewhere against it than "
            f"mean pooling does, by more than {100 * TURNS:.0f} point. What has no row with [CLS] either moved nothing or "
            "was not computed yet.",
            *self._own_poolings(),
            "- Against `simcse_unsup`: at its tuned rate for tuned rows, published for published, else the same rate, on the "
            "same corpus; recipes that train on NLI sentences or documents are held against the one on STS-B's texts.",
            "- Seconds are processor time of training with the first seed; the clock of a machine that does other things too "
            "would mislead. Equal seconds are those of `simcse_unsup` on the same corpus, on Wikipedia's sentences for what "
            "trains on NLI sentences or documents, by what had been timed on one kind of machine when the first seed was "
            f"trained: the median over seeds, on `{BACKBONE}` the first seed alone. One kind of machine took half as long again "
            "on one day as on another, so the column says what it came to. Of a second stage, steps and seconds are its own; "
            f"the first was trained for {STEPS} steps at its own tuned rate, with the same seed, and its row says so.",
            "",
        ]

    def _own_poolings(self) -> list[str]:
        names = {one["name"] for one in self.lines if one.get("kind") == "recipe"}
        return [
            f"- `{name}` stands in the tables of mean pooling with the pooling that is part of its recipe, `{own}`."
            for name in sorted(names)
            if (own := RECIPES[name].model.get("pooling"))
        ]

    def in_short(self) -> list[str]:
        """What the tables of trainings come to."""
        rows = list(summary.rows(self.found, self.told))
        return ["### In short", "", summary.SETTING, "", *table(summary.COLUMNS, rows), ""] if rows else []

    def claims(self) -> list[str]:
        """The field's ordering claims, one by one."""
        told: dict[tuple[str, str, str], dict[str, Row]] = {}
        for one in self.lines:
            if "claim" in one:
                told.setdefault((one["claim"], one["backbone"], one["corpus"]), {})[one.get("set", "")] = one
        rows = []
        for claim in CLAIMS:
            for (name, backbone, corpus), sets in told.items():
                if name != claim.id:
                    continue
                first = next(iter(sets.values()))
                said = f"**{first['verdict']}**" if first["verdict"] in (HOLDS, FAILS) else first["verdict"]
                rows.append(
                    [
                        f"{claim.words} ({claim.source})",
                        f"`{backbone}`",
                        WORDS[corpus],
                        str(first.get("seeds", "")),
                        *(
                            points(sets[key], alone=sets[key]["verdict"] == OPEN) if key in sets else ""
                            for key in ("stsb_dev", "sts")
                        ),
                        f"{said}: {first['reason']}" if first.get("reason") else said,
                    ]
                )
        columns = ["claim", "backbone", "trained or fitted on", "seeds", "difference, STS-B dev"]
        columns += ["the same, STS12, 14, 15", "verdict"]
        words = (
            f"Trainings of {STEPS} steps at the rate of the backbone's card, the two sides on the same seeds and pairs, no "
            "tuning. The verdict is that of STS-B dev: it holds, or does not, where the 95 % interval over pairs and seeds "
            "leaves out 0, and is open while there is one training of a side."
        )
        return ["### The field's ordering claims, one by one", "", words, "", *table(columns, rows), ""] if rows else []

    def backbones_side_by_side(self) -> list[str]:
        """What each recipe gained or lost on each backbone, mean pooling, equal steps, at the tuned rate or the card's."""
        if len(self.found.backbones) < 2:
            return []
        places: dict[tuple[str, str], dict[str, str]] = {}
        for role in ("card", "tuned"):  # the later one stands
            for group in self.found.of(kind="recipe", budget="steps"):
                cell = self.found.first(group)
                if cell["pooling"] == "mean" and role in self.found.roles(group):
                    places.setdefault((cell["name"], cell["corpus"]), {})[cell["backbone"]] = group
        rows = []
        for (name, corpus), groups in sorted(places.items()):
            row = [f"`{name}`", WORDS[corpus]]
            for backbone in self.found.backbones:
                if group := groups.get(backbone, ""):
                    cells = self.found.groups[group]
                    rate = f"{self.found.first(group)['learning_rate']:g} ({len(cells)})"
                    row += [rate, self._scores(group)[0], self._difference(group, "backbone")]
                else:
                    row += [""] * 3
            rows.append(row)
        columns = ["recipe", "trained on"]
        for backbone in self.found.backbones:
            columns += [f"rate (seeds), `{backbone}`", f"STS-B dev, `{backbone}`", f"over `{backbone}` untrained"]
        head = "### The backbones side by side: mean pooling, equal steps, tuned rates where all trials are there"
        return [head, "", *table(columns, rows), ""] if rows else []

    def poolings_side_by_side(self) -> list[str]:
        """Where each recipe stands against the yardstick with mean pooling and with [CLS], at tuned rates."""
        places: dict[tuple[str, str, str], dict[str, str]] = {}
        for group in self.found.of(kind="recipe", budget="steps"):
            cell = self.found.first(group)
            if "tuned" in self.found.roles(group):
                places.setdefault((cell["backbone"], cell["corpus"], cell["name"]), {})[cell["pooling"]] = group
        rows = []
        for (backbone, corpus, name), groups in sorted(places.items()):
            if "cls" in groups:
                row = [f"`{backbone}`", f"`{name}`", WORDS[corpus]]
                for group in (groups["mean"], groups["cls"]):
                    row += [str(len(self.found.groups[group])), self._scores(group)[0], self._shape(group)[-1]]
                    row += [self._difference(group, "backbone"), self._difference(group, "yardstick")]
                rows.append(row)
        columns = ["backbone", "recipe", "trained on"]
        for words in ("mean", "[CLS]"):
            columns += [f"seeds, {words}", f"STS-B dev, {words}", f"mean cosine, {words}"]
            columns += [f"over the backbone, {words}", f"over `simcse_unsup`, {words}"]
        head = "### Mean pooling and [CLS] side by side: equal steps, tuned rates"
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
        for group in [*self.found.of(kind="baseline", **of), *self.found.of(kind="transform", **of)]:
            cell = self.found.first(group)
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
        return [f"### Without training: `{backbone}`", "", *table(columns, rows), ""] if rows else []

    def recipe_tables(self, backbone: str) -> list[str]:
        """A table for each pooling, budget and corpus."""
        found = self.side_by_side(backbone)
        for pooling in ("mean", "cls"):
            for budget, words in (("steps", "equal steps"), ("seconds", "equal seconds")):
                for corpus in TRAINED_ON:
                    asked = {"kind": "recipe", "pooling": pooling, "budget": budget, "corpus": corpus}
                    groups = self.found.of(**asked, backbone=backbone)
                    if not groups:
                        continue
                    steps = sorted({self.found.first(group)["steps"] for group in groups})
                    said = f"{steps[0]} steps" if len(steps) == 1 else f"{steps[0]} to {steps[-1]} steps"
                    found += [f"### `{backbone}`, {pooling} pooling, {words} ({said}): trained on {WORDS[corpus]}", ""]
                    found += [*self._recipes(groups, steps=len(steps) > 1), ""]
        return found

    def side_by_side(self, backbone: str) -> list[str]:
        """What each unsupervised recipe gained or lost on either corpus, mean pooling, equal steps."""
        places: dict[tuple[str, float], dict[str, str]] = {}
        for group in self.found.of(kind="recipe", pooling="mean", budget="steps", backbone=backbone):
            cell = self.found.first(group)
            if cell["corpus"] in ("in_domain", "general"):
                places.setdefault((cell["name"], cell["learning_rate"]), {})[cell["corpus"]] = group
        rows = []
        for (name, rate), groups in sorted(places.items()):
            told = [
                [str(len(self.found.groups[group])), self._scores(group)[0], self._difference(group, "backbone")]
                if (group := groups.get(corpus, ""))
                else [""] * 3
                for corpus in ("in_domain", "general")
            ]
            roles = ", ".join(self._roles_on(groups))
            rows.append([f"`{name}`", f"{rate:g}" + (f" ({roles})" if roles else ""), *told[0], *told[1]])
        columns = ["recipe", "learning rate"]
        for words in ("in-domain", "general"):
            columns += [f"seeds, {words}", f"STS-B dev, {words}", f"over the backbone, {words}"]
        return (
            [
                f"### The two corpora side by side: `{backbone}`, mean pooling, equal steps",
                "",
                *table(columns, rows),
                "",
            ]
            if rows
            else []
        )

    def _roles_on(self, groups: Mapping[str, str]) -> list[str]:
        """What a rate is; of the tuned one also on which corpus, where it is not that of each."""
        found: dict[str, list[str]] = {}
        for corpus, group in groups.items():
            for role in self.found.roles(group):
                found.setdefault(role, []).append(corpus.replace("_", "-"))
        return [
            role if role != "tuned" or len(on) == len(groups) else f"tuned {', '.join(on)}"
            for role, on in found.items()
        ]

    def _recipes(self, groups: Sequence[str], *, steps: bool) -> list[str]:
        columns = ["recipe", "learning rate", *(["steps"] if steps else []), "seeds", *TITLES.values()]
        columns += ["over the backbone", "the same, STS12, 14, 15", "over its mean subtracted", "over `simcse_unsup`"]
        columns += [*SHAPE, "processor seconds"]
        rows = []
        for group in sorted(
            groups, key=lambda one: (self.found.first(one)["name"], self.found.first(one)["learning_rate"])
        ):
            cell, cells = self.found.first(group), list(self.found.groups[group].values())
            roles = self.found.roles(group)
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
        cells = list(self.found.groups[group].values())
        return [spread([100 * cell["scores"][name] for cell in cells if name in cell["scores"]]) for name in TITLES]

    def _shape(self, group: str) -> list[str]:
        cells = list(self.found.groups[group].values())
        found = {name: [cell[name] for cell in cells if cell[name] is not None] for name in SHAPE}
        return [f"{np.mean(values):.2f}" if values else "" for values in found.values()]

    def _difference(self, group: str, against: str, name: str = "stsb_dev") -> str:
        one = self.told.get((group, against, name))
        if one is None:
            return ""
        return points(one, alone=one["seeds"] == 1 and self.found.first(group)["kind"] == "recipe")

    def order(self) -> list[str]:
        """Where two recipes stand the other way round than in the literature; each two of our cells count once."""
        lines = [one for one in self.lines if "order" in one]
        if not lines:
            return []
        said: dict[tuple[str, ...], list[Row]] = {}
        for one in lines:
            said.setdefault(tuple(one["groups"]), []).append(one)
        several = [rows for rows in said.values() if rows[0]["seeds"] > 1]
        turned = [rows for rows in several if rows[0]["high"] < 0]
        kept = sum(rows[0]["low"] > 0 for rows in several)
        same = sum(rows[0]["low"] == rows[0]["high"] == 0 for rows in several)
        found = [
            "### Where the published order does not hold",
            "",
            "Two recipes are compared by their own published STS scores, those on BERT-base where both have one, and here on "
            "STS-B dev at the same pooling, corpus and kind of learning rate. "
            f"Of {len(several)} comparisons with more than one seed, {kept} stand as published beyond noise, "
            f"{len(turned)} the other way round, and {len(several) - kept - len(turned)} cannot be told apart "
            f"({same} of them because both trainings are the same to the last digit here). "
            f"{len(said) - len(several)} more rest on one seed and say nothing yet. Nothing is corrected for their number, and "
            "they are not independent: one recipe stands in many.",
            "",
        ]
        rows = [
            [
                f"`{rows[0]['order'][1]}` over `{rows[0]['order'][0]}`",
                "; ".join(
                    dict.fromkeys(
                        f"{one['published'][1]:.2f} over {one['published'][0]:.2f} ({one['published_on']})"
                        for one in rows
                    )
                ),
                f"{rows[0]['backbone']}, {rows[0]['pooling']}, {rows[0]['corpus']}, "
                f"{' and '.join(dict.fromkeys(one['role'] for one in rows))}",
                str(rows[0]["seeds"]),
                f"{100 * rows[0]['delta']:+.1f} ({100 * rows[0]['low']:.1f} to {100 * rows[0]['high']:.1f})",
            ]
            for rows in sorted(turned, key=lambda rows: float(rows[0]["delta"]))
        ]
        return [*found, *table(["published", "scores", "here", "seeds", "difference"], rows), ""] if rows else found

    def cards(self) -> list[str]:
        """A reproduction card for each recipe with cells of its own."""
        found = list(cards(self.found, self.told))
        return ["### Reproduction cards", "", *found] if found else []

    def rest(self) -> list[str]:
        """What failed, recipes that cannot start from a backbone, and second stages without cells."""
        from experiments.evidence.plan import left_out

        failed = [f"- `{one['failed']}`: {one['message']}" for one in self.lines if "failed" in one]
        fine_tunes = [recipe for recipe in RECIPES.values() if not recipe.pretrains]
        for recipe in fine_tunes:
            reasons = {name: why for name in self.found.backbones if (why := left_out(recipe, name))}
            for why in dict.fromkeys(reasons.values()):
                on = [f"`{name}`" for name, own in reasons.items() if own == why]
                there = recipe.backbone in self.found.backbones and not self.found.of(kind="recipe", name=recipe.id)
                yet = f", and not computed on `{recipe.backbone}` yet" if there else ""
                failed.append(f"- `{recipe.id}`: {why}; not tried on {' and '.join(on)}{yet}.")
            missing = [
                f"`{name}`"
                for name in self.found.backbones
                if recipe.after and name not in reasons and not self.found.of(name=recipe.id, backbone=name)
            ]
            if missing:
                failed.append(
                    f"- `{recipe.id}`: a second stage, which follows `{recipe.after[0]}` at its tuned rate; not computed on "
                    f"{' and '.join(missing)} yet."
                )
        return ["### Not computed", "", *failed, ""] if failed else []
