"""Differences between cells and what they are compared with, with intervals over pairs and seeds."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from experiments.evidence.cells import BACKBONE, SCORED, Cell, Row
from experiments.evidence.scores import Scores
from experiments.evidence.store import SETS, Resamples
from workbench.statistics.pairs_and_seeds import difference_over_seeds

MAIN_SET = "STS, mean of 7 tasks, BERT-base"
"""The set on which the literature compares most methods."""


class Intervals:
    """Differences, each computed again if its resamples are stored, otherwise as recorded before."""

    def __init__(self, resamples: Resamples, before: Iterable[Row] = ()) -> None:
        self.resamples = resamples
        self._before = {_what(row): row for row in before}

    def difference(self, row: Row, base: Sequence[str], other: Sequence[str], name: str, *, paired: bool) -> Row | None:
        """`row` with the difference of the cells `other` over the cells `base` on a set; without base, of `other` alone.

        None if a cell was not scored on the set, or if it can neither be made nor was stated before.
        """
        mine, theirs = ([self.resamples.of(cell).get(name) for cell in cells] for cells in (other, base))
        if any(rhos is None for rhos in (*mine, *theirs)):
            return None
        rows = np.stack(mine)  # type: ignore[arg-type]
        against = np.stack(theirs) if theirs else np.zeros((1, rows.shape[1]))  # type: ignore[arg-type]
        if any(np.isnan(side).any(axis=1).all() for side in (against, rows)):  # of no seed are there any resamples
            return self.before(row)
        difference = difference_over_seeds(against, rows, paired=paired)
        return {**row, "seeds": len(rows), **{key: round(value, 5) for key, value in difference._asdict().items()}}

    def before(self, row: Row) -> Row | None:
        """What was stated before of what `row` is between."""
        return self._before.get(_what(row))


def _what(row: Row) -> tuple[Any, ...]:
    """The two sides of a difference, without its numbers."""
    names = (
        "group",
        "against",
        "other",
        "set",
        "order",
        "groups",
        "published_on",
        "role",
        "claim",
        "backbone",
        "corpus",
    )
    return tuple(str(row.get(name, "")) for name in names)


def differences(scores: Scores, intervals: Intervals) -> Iterator[Row]:
    """For each group: its interval, and its differences from backbone, mean-subtracted backbone and yardstick.

    Then every two recipes in the order of the literature.
    """
    for group, cells in sorted(scores.groups.items()):
        first = scores.first(group)
        pooling = first["pooling"] if first["pooling"] in ("mean", "cls") else "mean"
        others = {
            "interval": "",
            "backbone": Cell("baseline", "backbone", pooling, "", "", backbone=first["backbone"]).id,
            "centred": Cell("transform", "centre", pooling, SCORED, "", backbone=first["backbone"]).id,
            "yardstick": scores.yardstick(group) if first["kind"] == "recipe" else "",
        }
        for against, other in others.items():
            if against != "interval" and (other == group or other not in scores.groups):
                continue
            seeds = sorted(cells)
            base = scores.groups.get(other, {})
            common = [seed for seed in seeds if seed in base] if against == "yardstick" else []
            for name in SETS:
                row = {"group": group, "against": against, "other": other, "set": name}
                mine = [cells[seed]["cell"] for seed in (common or seeds)]
                theirs = [base[seed]["cell"] for seed in (common or sorted(base))]
                if line := intervals.difference(row, theirs, mine, name, paired=bool(common)):
                    yield line
    yield from orders(scores, intervals)


def orders(scores: Scores, intervals: Intervals) -> Iterator[Row]:
    """Every two recipes with a published STS score on the same set, in the order of the literature, and what ours do.

    Where they have several in common, which may contradict each other, `MAIN_SET` alone counts, else the first one.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for group in scores.of(kind="recipe", budget="steps"):
        cell = scores.first(group)
        for role in scores.roles(group):
            groups.setdefault((cell["backbone"], cell["pooling"], cell["corpus"], role), []).append(group)
    for (backbone, pooling, corpus, role), same_setting in sorted(
        groups.items(), key=lambda item: (item[0][0] != BACKBONE, item)
    ):
        for first, second in combinations(same_setting, 2):
            names = (scores.first(first)["name"], scores.first(second)["name"])
            published = [_published(name) for name in names]
            on_set = min(
                published[0].keys() & published[1].keys(), key=lambda name: (name != MAIN_SET, name), default=""
            )
            if not on_set or published[0][on_set] == published[1][on_set]:
                continue
            low, high = (first, second) if published[0][on_set] < published[1][on_set] else (second, first)
            seeds = sorted(scores.groups[low].keys() & scores.groups[high].keys())
            if not seeds:
                continue
            row = {
                "order": [scores.first(low)["name"], scores.first(high)["name"]],
                "groups": [low, high],
                "published": sorted([published[0][on_set], published[1][on_set]]),
                "published_on": on_set,
                "backbone": backbone,
                "pooling": pooling,
                "corpus": corpus,
                "role": role,
            }
            mine, theirs = ([scores.groups[group][seed]["cell"] for seed in seeds] for group in (high, low))
            if line := intervals.difference(row, theirs, mine, "stsb_dev", paired=True):
                yield line


def _published(recipe: str) -> dict[str, float]:
    """A recipe's scores without those of its variants, which say nothing about its rank."""
    from workbench.recipes import RECIPES

    published = RECIPES[recipe].published if recipe in RECIPES else ()
    return {row.set: row.score for row in published if row.set.startswith("STS") and not row.variant}
