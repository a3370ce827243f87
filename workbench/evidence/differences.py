"""What the differences between cells are worth: intervals over pairs and seeds, against what each is held against."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.evidence.cells import BACKBONE, SCORED, Cell, Row
from workbench.evidence.found import Found
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos

if TYPE_CHECKING:
    from numpy.typing import NDArray

TESTS = ("sts12", "sts14", "sts15")


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
    """Of each group: its interval, and its differences from backbone, mean-subtracted backbone and yardstick.

    Then every two recipes in the order of the literature.
    """
    for group, cells in sorted(found.groups.items()):
        first = found.first(group)
        pooling = first["pooling"] if first["pooling"] in ("mean", "cls") else "mean"
        others = {
            "interval": "",
            "backbone": Cell("baseline", "backbone", pooling, "", "", backbone=first["backbone"]).id,
            "centred": Cell("transform", "centre", pooling, SCORED, "", backbone=first["backbone"]).id,
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
    groups: dict[tuple[str, ...], list[str]] = {}
    for group in found.of(kind="recipe", budget="steps"):
        cell = found.first(group)
        for role in found.roles(group):
            groups.setdefault((cell["backbone"], cell["pooling"], cell["corpus"], role), []).append(group)
    for (backbone, pooling, corpus, role), own in sorted(groups.items(), key=lambda one: (one[0][0] != BACKBONE, one)):
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
                    "groups": [low, high],
                    "published": sorted([said[0][where], said[1][where]]),
                    "published_on": where,
                    "backbone": backbone,
                    "pooling": pooling,
                    "corpus": corpus,
                    "role": role,
                    "seeds": len(seeds),
                    **{key: round(value, 5) for key, value in told._asdict().items()},
                }


def _published(recipe: str) -> dict[str, float]:
    from workbench.recipes import RECIPES

    return {one.set: one.score for one in RECIPES[recipe].published} if recipe in RECIPES else {}
