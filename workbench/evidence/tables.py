"""The tables of docs/RESULTS.md, made from the lines of docs/evidence.jsonl."""

from collections.abc import Iterable, Sequence

import numpy as np

from workbench.evidence.cells import BACKBONE, Row
from workbench.evidence.found import KEPT, SHAPE, Found
from workbench.evidence.verdicts import TITLES, WORDS, verdict_of, what_differs


class Report:
    """The tables, as lines of Markdown."""

    def __init__(self, lines: Sequence[Row]) -> None:
        self.lines = lines
        self.found = Found(lines)
        self.told = {(one["group"], one["against"], one["set"]): one for one in lines if "group" in one}

    def text(self) -> list[str]:
        """Everything between the marks."""
        return [*self.head(), *self.plain_tables(), *self.recipe_tables(), *self.order(), *self.cards(), *self.rest()]

    def head(self) -> list[str]:
        """What was computed, where, and how to read it."""
        cells = [one for one in self.lines if "cell" in one]
        machines = [one for one in self.lines if "machine" in one and "cell" not in one]
        told = [
            f"{one['processor'] or one['architecture']}, {one['device']}, {one['threads']} thread{'s' * (one['threads'] != 1)}, "
            f"torch {one['torch']}"
            for one in machines
        ]
        commits = dict.fromkeys(one["commit"] for one in machines if one["commit"])
        written = sorted(one["written"] for one in cells)
        return [
            "## Every recipe, transform and baseline",
            "",
            f"{len(cells)} cells on `{BACKBONE}`, computed {' to '.join(dict.fromkeys([written[0][:10], written[-1][:10]]))} on "
            f"{'; '.join(dict.fromkeys(told))}, code at {', '.join(commits) or 'an unnamed state'}. Made by "
            f"`python -m workbench evidence --data DIR --out FOLDER`, then "
            f"`--report`; the figures are in [{KEPT}]({KEPT}). The list is long and goes on where it stopped: a row that was "
            "not computed is absent, and each row says how many seeds it rests on.",
            "",
            "- Spearman x 100, fp32, all pairs of a set at once. Mean over seeds, in brackets the sample standard deviation.",
            "- Differences are on STS-B dev unless a column says otherwise, in points, with 95 % intervals of a bootstrap over "
            "pairs and, with more than one seed, seeds; both sides on the same pairs and seeds. **Bold**: the interval "
            "excludes 0. They are not corrected for the number of rows. With one seed they say nothing about other seeds.",
            "- No head, as the backbone's card says; batch, length, temperature and the rest as in the recipe. Learning "
            "rates: `published` belongs to BERT-base and its step count; `card` is what the app takes here; `tuned` is the "
            "best on STS-B dev of three trials with seed 0, the same three for every recipe. STS-B dev is thus chosen on; "
            "STS12, 14 and 15 are not, but share pairs with STS-B (254, 193 and 580 with its dev set, far more with its "
            "training texts).",
            "- Against `simcse_unsup`: at its tuned rate for tuned rows, published for published, else the same rate.",
            "- Seconds are those of training, on a machine that did other things too; equal seconds are of processor time.",
            "",
        ]

    def plain_tables(self) -> list[str]:
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
        for group in [*self.found.of(kind="baseline"), *self.found.of(kind="transform")]:
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
        return ["### Without training", "", *table(columns, rows), ""] if rows else []

    def recipe_tables(self) -> list[str]:
        """A table for each pooling, budget and corpus."""
        found = self.side_by_side()
        for pooling in ("mean", "cls"):
            for budget, words in (("steps", "equal steps"), ("seconds", "equal seconds")):
                for corpus in ("in_domain", "general", "nli", "demo"):
                    groups = self.found.of(kind="recipe", pooling=pooling, budget=budget, corpus=corpus)
                    if not groups:
                        continue
                    steps = sorted({self.found.first(group)["steps"] for group in groups})
                    said = f"{steps[0]} steps" if len(steps) == 1 else f"{steps[0]} to {steps[-1]} steps"
                    found += [f"### {pooling} pooling, {words} ({said}): trained on {WORDS[corpus]}", ""]
                    found += [*self._recipes(groups, steps=len(steps) > 1), ""]
        return found

    def side_by_side(self) -> list[str]:
        """What each unsupervised recipe gained or lost on either corpus, mean pooling, equal steps."""
        places: dict[tuple[str, float], dict[str, str]] = {}
        for group in self.found.of(kind="recipe", pooling="mean", budget="steps"):
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
            roles = dict.fromkeys(role for group in groups.values() for role in self.found.roles(group))
            rows.append([f"`{name}`", f"{rate:g}" + (f" ({', '.join(roles)})" if roles else ""), *told[0], *told[1]])
        columns = ["recipe", "learning rate"]
        for words in ("in-domain", "general"):
            columns += [f"seeds, {words}", f"STS-B dev, {words}", f"over the backbone, {words}"]
        return (
            ["### The two corpora side by side: mean pooling, equal steps", "", *table(columns, rows), ""]
            if rows
            else []
        )

    def _recipes(self, groups: Sequence[str], *, steps: bool) -> list[str]:
        columns = ["recipe", "learning rate", *(["steps"] if steps else []), "seeds", *TITLES.values()]
        columns += ["over the backbone", "the same, STS12, 14, 15", "over its mean subtracted", "over `simcse_unsup`"]
        columns += [*SHAPE, "seconds"]
        rows = []
        for group in sorted(
            groups, key=lambda one: (self.found.first(one)["name"], self.found.first(one)["learning_rate"])
        ):
            cell, cells = self.found.first(group), list(self.found.groups[group].values())
            roles = self.found.roles(group)
            rows.append(
                [
                    f"`{cell['name']}`",
                    f"{cell['learning_rate']:g}" + (f" ({', '.join(roles)})" if roles else ""),
                    *([str(cell["steps"])] if steps else []),
                    str(len(cells)),
                    *self._scores(group),
                    self._difference(group, "backbone"),
                    self._difference(group, "backbone", "sts"),
                    self._difference(group, "centred"),
                    self._difference(group, "yardstick"),
                    *self._shape(group),
                    f"{np.mean([one['seconds'] for one in cells]):.0f}",
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
        said = f"{100 * one['delta']:+.1f} ({100 * one['low']:.1f} to {100 * one['high']:.1f})"
        return f"**{said}**" if one["low"] > 0 or one["high"] < 0 else said

    def order(self) -> list[str]:
        """Where two recipes stand the other way round than in the literature."""
        all_orders = [one for one in self.lines if "order" in one]
        if not all_orders:
            return []
        turned = [one for one in all_orders if one["high"] < 0]
        kept = sum(one["low"] > 0 for one in all_orders)
        found = [
            "### Where the published order does not hold",
            "",
            f"Of {len(all_orders)} comparisons of two recipes with a published score on the same set (same pooling, corpus "
            f"and kind of learning rate here, STS-B dev), {kept} stand as published beyond noise, {len(turned)} the other way "
            f"round, and {len(all_orders) - kept - len(turned)} cannot be told apart.",
            "",
        ]
        rows = [
            [
                f"`{one['order'][1]}` over `{one['order'][0]}`",
                f"{one['published'][1]:.2f} over {one['published'][0]:.2f}",
                one["published_on"],
                f"{one['pooling']}, {one['corpus']}, {one['role']}",
                str(one["seeds"]),
                f"{100 * one['delta']:+.1f} ({100 * one['low']:.1f} to {100 * one['high']:.1f})",
            ]
            for one in sorted(turned, key=lambda one: one["delta"])
        ]
        return (
            [*found, *table(["published", "scores", "on", "here", "seeds", "difference"], rows), ""] if rows else found
        )

    def cards(self) -> list[str]:
        """A reproduction card for each recipe with published scores and cells of its own."""
        from workbench.recipes import RECIPES

        found: list[str] = []
        for recipe in RECIPES.values():
            groups = self.found.of(kind="recipe", name=recipe.id, budget="steps")
            if not recipe.published or not groups:
                continue
            differs = what_differs(recipe, [self.found.first(group) for group in groups])
            verdict = verdict_of(recipe, self._intervals(groups), differs)
            found += [f"**{recipe.title}** (`{recipe.id}`): {verdict}", ""]
            found += [f"- Published: {one.score:g} on {one.set} ({one.source})." for one in recipe.published]
            for group in groups:
                cell, one = self.found.first(group), self.told.get((group, "interval", "stsb_dev"))
                roles = self.found.roles(group)
                if one and roles:
                    found.append(
                        f"- Here, STS-B dev: {100 * one['delta']:.1f} ({100 * one['low']:.1f} to {100 * one['high']:.1f}), "
                        f"{cell['pooling']}, {cell['corpus']}, rate {cell['learning_rate']:g} ({', '.join(roles)}), "
                        f"{one['seeds']} seed{'s' * (one['seeds'] != 1)}."
                    )
            found += [f"- Differs: {'; '.join(differs)}.", ""]
        return ["### Reproduction cards", "", *found] if found else []

    def _intervals(self, groups: Sequence[str]) -> list[tuple[float, float]]:
        told = [self.told.get((group, "interval", "stsb_dev")) for group in groups]
        return [(100 * one["low"], 100 * one["high"]) for one in told if one]

    def rest(self) -> list[str]:
        """What failed, and recipes that cannot start from this backbone as it comes."""
        from workbench.evidence.plan import left_out
        from workbench.recipes import RECIPES

        failed = [f"- `{one['failed']}`: {one['message']}" for one in self.lines if "failed" in one]
        fine_tunes = [recipe for recipe in RECIPES.values() if not recipe.pretrains]
        failed += [f"- `{recipe.id}`: {why}; not tried." for recipe in fine_tunes if (why := left_out(recipe))]
        return ["### Not computed", "", *failed, ""] if failed else []


def spread(values: Sequence[float]) -> str:
    """Mean and sample standard deviation.

    >>> spread([1.0, 2.0, 3.0]), spread([2.0]), spread([])
    ('2.00 (1.00)', '2.00', '')
    """
    if not values:
        return ""
    return f"{np.mean(values):.2f}" + (f" ({np.std(values, ddof=1):.2f})" if len(values) > 1 else "")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table.

    >>> table(["a", "b"], [["1", "2"]])
    ['| a | b |', '|---|---|', '| 1 | 2 |']
    """
    shown = [column.replace("mean_cosine", "mean cosine").replace("isoscore", "IsoScore") for column in columns]
    head = [f"| {' | '.join(shown)} |", "|" + "---|" * len(columns)]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]
