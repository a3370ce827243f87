"""Finished cells, grouped over seeds: the kind of a group's learning rate, and the group it is compared with."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from experiments.evidence.cells import BACKBONE, Cell, Row

_SUBJECT = ("name", "pooling", "corpus", "backbone", "before")
SHAPE = ("alignment", "uniformity", "isoscore", "mean_cosine")


def subject_of(cell: Row) -> tuple[str, ...]:
    """What is trained, how pooled, on what and from what: the same for all learning rates."""
    return tuple(cell[key] for key in _SUBJECT)


def group_of(cell: str) -> str:
    """A cell's id without its seed: the rows of a table."""
    return cell.rsplit("/seed", 1)[0]


class Scores:
    """Finished cells, by group and seed."""

    def __init__(self, lines: Iterable[Row]) -> None:
        self.groups: dict[str, dict[int, Row]] = {}
        for line in ({"backbone": BACKBONE, "change": "", "before": "", **line} for line in lines):
            if "cell" in line:
                self.groups.setdefault(group_of(line["cell"]), {})[line["seed"]] = line

    def first(self, group: str) -> Row:
        """The cell of a group's first seed, used for what all seeds share."""
        return self.groups[group][min(self.groups[group])]

    @property
    def backbones(self) -> list[str]:
        """The backbones that have cells, the first one first."""
        names = {self.first(group)["backbone"] for group in self.groups}
        return sorted(names, key=lambda name: (name != BACKBONE, name))

    def of(self, **wanted: Any) -> list[str]:
        """The groups whose cells have these values; unchanged recipes unless a change is given."""
        wanted = {"change": "", **wanted}
        return [
            name for name in sorted(self.groups) if all(self.first(name)[key] == value for key, value in wanted.items())
        ]

    @cached_property
    def trials(self) -> dict[tuple[str, ...], dict[float, Row]]:
        """The trials of each recipe, pooling, corpus and backbone, by learning rate."""
        from experiments.evidence.plan import SEEDS, TRIALS

        trials: dict[tuple[str, ...], dict[float, Row]] = {}
        for cells in self.groups.values():
            cell = cells.get(SEEDS[0])
            if cell and (cell["budget"], cell["change"]) == ("steps", "") and cell["learning_rate"] in TRIALS:
                trials.setdefault(subject_of(cell), {})[cell["learning_rate"]] = cell
        return trials

    def untrained(self, subject: tuple[str, ...]) -> Row | None:
        """The cell of the backbone as it comes that the trials of a subject start from."""
        pooling, backbone = (subject[_SUBJECT.index(key)] for key in ("pooling", "backbone"))
        group = Cell("baseline", "backbone", pooling, "", "", backbone=backbone).id
        return self.first(group) if group in self.groups else None

    def rising(self) -> list[dict[float, Row]]:
        """The trials of each subject that was tried at every rate, where they rise with the rate above the lowest."""
        from experiments.evidence.plan import TRIALS, rises

        return [
            by_rate
            for subject, by_rate in self.trials.items()
            if len(by_rate) == len(TRIALS) and rises(by_rate, self.untrained(subject))
        ]

    @cached_property
    def tuned(self) -> dict[tuple[str, ...], float]:
        """The best trial on STS-B dev for each recipe, pooling, corpus and backbone of which all are there."""
        from experiments.evidence.plan import trials

        tuned: dict[tuple[str, ...], float] = {}
        for subject, by_rate in self.trials.items():
            rates = trials(subject[_SUBJECT.index("pooling")], by_rate, self.untrained(subject))
            if all(rate in by_rate for rate in rates):
                on_dev = {rate: by_rate[rate]["scores"]["stsb_dev"] for rate in rates}
                tuned[subject] = max(rates, key=on_dev.__getitem__)
        return tuned

    def roles(self, group: str) -> list[str]:
        """What a recipe's learning rate is: tuned, published, card; none of these for the other trials."""
        from experiments.evidence.plan import CARD_RATE, named_rate
        from workbench.recipes import RECIPES

        cell = self.first(group)
        rates = {
            "tuned": self.tuned.get(subject_of(cell)),
            "published": named_rate(RECIPES[cell["name"]]),
            "card": CARD_RATE,
        }
        return [role for role, rate in rates.items() if rate == cell["learning_rate"]]

    def yardstick(self, group: str) -> str:
        """The group of the reference recipe that a group is held against: tuned against tuned, published against
        published, else the same rate, else the card's; same backbone, same pooling, and same corpus where there is one.
        """
        from experiments.evidence.plan import REFERENCE

        cell = self.first(group)
        if cell["name"] == REFERENCE and not cell["change"]:
            return ""
        same_setting = {"pooling": cell["pooling"], "backbone": cell["backbone"]}
        for corpus in dict.fromkeys([cell["corpus"], "in_domain"]):
            others = self.of(kind="recipe", name=REFERENCE, corpus=corpus, budget="steps", **same_setting)
            for role in ("tuned", "published", "card"):
                if role in self.roles(group) and (same := [other for other in others if role in self.roles(other)]):
                    return same[0]
            if same := [other for other in others if self.first(other)["learning_rate"] == cell["learning_rate"]]:
                return same[0]
            if same := [other for other in others if "card" in self.roles(other)]:
                return same[0]
        return ""

    def tuned_group(self, backbone: str, pooling: str, corpus: str, recipe: str) -> str:
        """The group of a recipe at equal steps and at its tuned rate; empty if there is none."""
        groups = self.of(kind="recipe", name=recipe, pooling=pooling, corpus=corpus, budget="steps", backbone=backbone)
        return next((group for group in groups if "tuned" in self.roles(group)), "")
