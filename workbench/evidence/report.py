"""What the cells of the evidence say: docs/evidence.jsonl, and the tables of docs/RESULTS.md made from it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.evidence.cells import BACKBONE, SCORED, SETS, Cell
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos
from workbench.store.writing import plain, read_lines, write_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.recipes import Recipe

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
KEPT, PAGE = "evidence.jsonl", "RESULTS.md"
BEGIN, END = "<!-- evidence: begin -->", "<!-- evidence: end -->"
SHAPE = ("alignment", "uniformity", "isoscore", "mean_cosine")
TESTS = ("sts12", "sts14", "sts15")
WORDS = {
    "general": "20,000 sentences of Wikipedia (general)",
    "in_domain": "the texts of STS-B's training set (in-domain)",
    "nli": "inference sentences (supervised)",
    "demo": "the demo's documents",
    SCORED: "the sentences scored, set by set (transductive)",
    "": "nothing",
}
TITLES = {"stsb_dev": "STS-B dev", "sts12": "STS12", "sts14": "STS14", "sts15": "STS15"}

Row = dict[str, Any]


def group_of(cell: Cell) -> str:
    """A cell's id without its seed: the rows of a table."""
    return cell.id.rsplit("/seed", 1)[0]


# From cells to docs/evidence.jsonl


def compact(folder: Path) -> list[Row]:
    """The lines of docs/evidence.jsonl: machines, finished cells of recipes as they are now, differences, failures."""
    from workbench.evidence.plan import cell_of, made_of, read
    from workbench.recipes import RECIPES

    rows = [
        row
        for row in read(folder).values()
        if row["kind"] != "recipe" or (row["name"] in RECIPES and made_of(RECIPES[row["name"]]) == row["made"])
    ]
    machines: list[Row] = []
    lines: list[Row] = []
    kept = ("made", "rows", "batch_size", "precision", "note", "written")
    for row in rows:
        if row["state"] != "done":
            continue
        if row["machine"] not in machines:
            machines.append(row["machine"])
        cell = {
            name: row[name]
            for name in ("kind", "name", "pooling", "corpus", "budget", "steps", "learning_rate", "seed")
        }
        figures = {name: _round(row[name]) for name in (*SHAPE, "seconds", "processor_seconds")}
        scores = {name: _round(score) for name, score in row["scores"].items()}
        about = {name: row[name] for name in kept if row.get(name)}
        lines.append(
            {
                "cell": cell_of(row).id,
                **cell,
                **figures,
                "scores": scores,
                **about,
                "machine": machines.index(row["machine"]),
            }
        )
    done = {line["name"] for line in lines}
    failed = {
        f"{row['name']} ({row['corpus']})": row["message"]
        for row in rows
        if row["state"] == "failed" and (row["kind"] != "recipe" or row["name"] not in done)
    }
    found = Found(lines)
    return [
        *({"machine": number, **machine} for number, machine in enumerate(machines)),
        *sorted(lines, key=lambda line: line["cell"]),
        *differences(
            found, Resamples(folder, {cell_of(row).id: row["key"] for row in rows if row["state"] == "done"}, rows)
        ),
        *({"failed": name, "message": _placeless(message)} for name, message in sorted(failed.items())),
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 5)


def _placeless(message: str) -> str:
    """Without folders of the machine it failed on."""
    return " ".join(Path(word).name if word.startswith("/") else word for word in message.split())


class Found:
    """Finished cells, by group and seed."""

    def __init__(self, lines: Iterable[Row]) -> None:
        self.groups: dict[str, dict[int, Row]] = {}
        for line in lines:
            if "cell" in line:
                name = line["cell"].rsplit("/seed", 1)[0]
                self.groups.setdefault(name, {})[line["seed"]] = line

    def first(self, group: str) -> Row:
        """One cell of a group, for what all of them share."""
        return next(iter(self.groups[group].values()))

    def of(self, **wanted: Any) -> list[str]:
        """The groups whose cells are so."""
        return [
            name for name in sorted(self.groups) if all(self.first(name)[key] == value for key, value in wanted.items())
        ]

    @cached_property
    def tuned(self) -> dict[tuple[str, str, str], float]:
        """The best trial on STS-B dev for each recipe, pooling and corpus of which all trials are there."""
        from workbench.evidence.plan import SEEDS, TRIALS

        trials: dict[tuple[str, str, str], dict[float, float]] = {}
        for cells in self.groups.values():
            cell = cells.get(SEEDS[0])
            if cell and cell["budget"] == "steps" and cell["learning_rate"] in TRIALS:
                place = (cell["name"], cell["pooling"], cell["corpus"])
                trials.setdefault(place, {})[cell["learning_rate"]] = cell["scores"]["stsb_dev"]
        return {place: max(own, key=own.__getitem__) for place, own in trials.items() if len(own) == len(TRIALS)}

    def roles(self, group: str) -> list[str]:
        """What a recipe's learning rate is: tuned, published, card; none of these for the other trials."""
        from workbench.evidence.plan import published_rate
        from workbench.models.cards import card
        from workbench.recipes import RECIPES

        cell = self.first(group)
        rates = {
            "tuned": self.tuned.get((cell["name"], cell["pooling"], cell["corpus"])),
            "published": published_rate(RECIPES[cell["name"]]),
            "card": card(BACKBONE).learning_rate,
        }
        recipe = RECIPES[cell["name"]]
        named = bool(recipe.official.get("training", {}).get("learning_rate") or recipe.training.get("learning_rate"))
        return [
            role for role, rate in rates.items() if rate == cell["learning_rate"] and (role != "published" or named)
        ]

    def yardstick(self, group: str) -> str:
        """The group of the reference recipe that a group is held against: tuned against tuned, published against
        published, else the same rate, else the card's; same pooling, and same corpus where there is one.
        """
        from workbench.evidence.plan import REFERENCE

        cell = self.first(group)
        if cell["name"] == REFERENCE:
            return ""
        for corpus in dict.fromkeys([cell["corpus"], "in_domain"]):
            own = self.of(kind="recipe", name=REFERENCE, pooling=cell["pooling"], corpus=corpus, budget="steps")
            for role in ("tuned", "published", "card"):
                if role in self.roles(group) and (same := [one for one in own if role in self.roles(one)]):
                    return same[0]
            if same := [one for one in own if self.first(one)["learning_rate"] == cell["learning_rate"]]:
                return same[0]
            if same := [one for one in own if "card" in self.roles(one)]:
                return same[0]
        return ""


class Resamples:
    """Resampled rhos of every cell: made once from its cosines, and kept beside them."""

    def __init__(self, folder: Path, keys: Mapping[str, str], rows: Sequence[Row]) -> None:
        self.folder, self.keys = folder, keys
        self._golds: dict[str, NDArray[np.float64]] = {}
        self._kept: dict[str, dict[str, NDArray[np.float64]]] = {}

    def of(self, cell: str) -> "dict[str, NDArray[np.float64]]":
        """For each set, and for the mean of STS12, 14 and 15, rho on all pairs and in each resample."""
        from workbench.evidence.plan import made

        if cell not in self._kept:
            name = f"{made(self.keys[cell])}.npz"
            kept = self.folder / "rhos" / name
            if not kept.exists():
                with np.load(self.folder / "cosines" / name) as cosines:
                    found = {one: resampled_rhos(cosines[one], self.gold(one)) for one in cosines.files}
                kept.parent.mkdir(exist_ok=True)
                np.savez(kept, **found)  # type: ignore[arg-type]
            with np.load(kept) as file:
                found = {one: file[one] for one in file.files}
            tests = [found[one] for one in TESTS if one in found]
            self._kept[cell] = found | ({"sts": np.mean(tests, axis=0)} if tests else {})
        return self._kept[cell]

    def gold(self, name: str) -> "NDArray[np.float64]":
        """The scores of a set's pairs, kept by the script that computed the cells."""
        if name not in self._golds:
            self._golds[name] = np.load(self.folder / "gold.npz")[name]
        return self._golds[name]


def differences(found: Found, resamples: Resamples) -> Iterator[Row]:
    """Of each group: its interval, and its differences from backbone, mean-subtracted backbone and yardstick."""
    for group, cells in sorted(found.groups.items()):
        first = found.first(group)
        pooling = first["pooling"] if first["pooling"] in ("mean", "cls") else "mean"
        others = {
            "interval": "",
            "backbone": f"baseline/backbone/{pooling}/-",
            "centred": f"transform/centre/{pooling}/{SCORED}",
            "yardstick": found.yardstick(group) if first["kind"] == "recipe" else "",
        }
        for against, other in others.items():
            if against != "interval" and (other == group or other not in found.groups):
                continue
            seeds = sorted(cells)
            base = found.groups.get(other, {})
            common = [seed for seed in seeds if seed in base] if against == "yardstick" else []
            for name in ("stsb_dev", "sts"):
                own = [resamples.of(cells[seed]["cell"]) for seed in (common or seeds)]
                if name not in own[0]:
                    continue
                mine = np.stack([one[name] for one in own])
                if against == "interval":
                    theirs = np.zeros((1, mine.shape[1]))
                else:
                    theirs = np.stack([resamples.of(base[seed]["cell"])[name] for seed in (common or sorted(base))])
                told = difference_over_seeds(theirs, mine, paired=bool(common))
                yield {
                    "group": group,
                    "against": against,
                    "other": other,
                    "set": name,
                    "seeds": len(mine),
                    **{key: round(value, 5) for key, value in told._asdict().items()},
                }
    yield from orders(found, resamples)


def orders(found: Found, resamples: Resamples) -> Iterator[Row]:
    """Every two recipes with a published score on the same set, in the order of the literature, and what ours do."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for group in found.of(kind="recipe", budget="steps"):
        cell = found.first(group)
        for role in found.roles(group):
            groups.setdefault((cell["pooling"], cell["corpus"], role), []).append(group)
    for (pooling, corpus, role), own in sorted(groups.items()):
        for one, two in combinations(own, 2):
            names = (found.first(one)["name"], found.first(two)["name"])
            said = [_published(name) for name in names]
            for where in sorted(said[0].keys() & said[1].keys()):
                if said[0][where] == said[1][where]:
                    continue
                low, high = (one, two) if said[0][where] < said[1][where] else (two, one)
                seeds = sorted(found.groups[low].keys() & found.groups[high].keys())
                if not seeds:
                    continue
                tables = [
                    np.stack([resamples.of(found.groups[group][seed]["cell"])["stsb_dev"] for seed in seeds])
                    for group in (low, high)
                ]
                told = difference_over_seeds(*tables, paired=True)
                yield {
                    "order": [found.first(low)["name"], found.first(high)["name"]],
                    "published": sorted([said[0][where], said[1][where]]),
                    "published_on": where,
                    "pooling": pooling,
                    "corpus": corpus,
                    "role": role,
                    "seeds": len(seeds),
                    **{key: round(value, 5) for key, value in told._asdict().items()},
                }


def _published(recipe: str) -> dict[str, float]:
    from workbench.recipes import RECIPES

    return {one.set: one.score for one in RECIPES[recipe].published} if recipe in RECIPES else {}


# From docs/evidence.jsonl to tables


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


def what_differs(recipe: "Recipe", cells: Sequence[Row]) -> list[str]:
    """In which ways our cells are not the published experiment."""
    corpora = sorted({WORDS[cell["corpus"]] for cell in cells})
    found = [
        f"backbone {BACKBONE} (truncated, tuned before)",
        f"corpus {' or '.join(corpora)}",
        f"{max(cell['steps'] for cell in cells)} steps",
        "pooling and head of the backbone's card",
        f"scored on {', '.join(TITLES.values())}, not on seven tasks",
    ]
    ours = [
        sentence.strip().rstrip(".")
        for note in recipe.notes
        for sentence in note.split(". ")
        if "our choice" in sentence.lower()
    ]
    found += [recipe.resource] if recipe.resource else []
    return found + [f"unknown in the literature: {one}" for one in ours]


def verdict_of(recipe: "Recipe", intervals: Sequence[tuple[float, float]], differs: Sequence[str]) -> str:
    """`reproduced` only where nothing differs and the published score lies in our interval; `not comparable` where
    anything differs that was set by us or by the backbone; else `differs`."""
    if differs:
        return "not comparable"
    scores = [one.score for one in recipe.published if one.set == TITLES["stsb_dev"]]
    inside = any(low <= score <= high for score in scores for low, high in intervals)
    return "reproduced" if inside else "differs" if scores and intervals else "not comparable"


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


def write(folder: Path | None, docs: Path = DOCS) -> list[str]:
    """Write docs/evidence.jsonl from the cells of `folder`, where one is given, and the tables of docs/RESULTS.md from it.

    What stands between the two marks of that page is replaced; without marks it is put at its end.
    """
    if folder is not None:
        lines = compact(folder)
        written = "".join(json.dumps(plain(line), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        write_text(docs / KEPT, written)
    lines = list(read_lines(docs / KEPT))
    if not any("cell" in line for line in lines):
        return ["There is no finished cell to report."]
    made = "\n".join([BEGIN, "", *Report(lines).text(), END])
    page = (docs / PAGE).read_text(encoding="utf-8") if (docs / PAGE).exists() else "# Results\n"
    before, mark, rest = page.partition(BEGIN)
    after = rest.partition(END)[2] if mark else ""
    write_text(docs / PAGE, f"{before.rstrip()}\n\n{made}{after or chr(10)}")
    counts = [
        f"{sum(kind in line for line in lines)} {name}" for kind, name in (("cell", "cells"), ("group", "differences"))
    ]
    return [f"Wrote {', '.join(counts)} to {KEPT}, and the tables of {PAGE}."]


__all__ = ["SETS", "Report", "compact", "verdict_of", "what_differs", "write"]
