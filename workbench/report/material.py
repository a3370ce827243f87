"""What a report is written from: the answers of a comparison, and what the folders of its runs say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.data.marks import GOLD, TRANSDUCTIVE, of_scores
from workbench.plots.template import Style
from workbench.report.numbers import without_folders
from workbench.scoring.train_test_overlap import OverlapColumns
from workbench.statistics.against import against
from workbench.store.run import Run
from workbench.store.shapes import Opening
from workbench.targets import styles
from workbench.targets.methods import MethodTargets
from workbench.targets.target import Parts, Target

if TYPE_CHECKING:
    from pandas import DataFrame

BETWEEN = " · "
"""Between the parts of a name, as on the pages."""


@dataclass(frozen=True)
class Asked:
    """What the report is to answer."""

    question: str
    pairs: str
    """The pair set as it was named."""
    baseline: str
    """A method's name."""
    texts: bool
    """Whether it may contain sentences of data sets."""
    command: str
    """What makes it again."""


@dataclass(frozen=True, eq=False)
class Training:
    """One target of a method, with what was measured of it on the pairs."""

    method: str
    target: Target
    seed: int | None
    spearman: float
    space: "Mapping[str, object]"
    """The columns of `scoring.pair_scores.PairScore`."""
    overlap: OverlapColumns
    fitted_on: str = ""
    max_length: int | None = None
    precision: str = "fp32"

    @property
    def run(self) -> Run | None:
        """The run that trained it; None before its first step, or if it was not trained here."""
        return None if self.target.checkpoint == "step0" else self.target.run

    @property
    def mark(self) -> str:
        """What its training makes of the score; empty if nothing."""
        found = of_scores({**self.overlap, "n": self.space.get("n")})
        return found or (TRANSDUCTIVE if TRANSDUCTIVE in self.fitted_on else "")

    @property
    def kept_step0(self) -> bool:
        """Whether no step of its training was better than none, so that this is the encoder it started from."""
        return self.run is not None and self.target.checkpoint == "best" and self.run.step_of("best") == 0

    @property
    def chosen_here(self) -> bool:
        """Whether its checkpoint was chosen on these very pairs."""
        return self.target.chosen_on(str(self.space.get("reference", "")))


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that a report tells."""

    asked: Asked
    pairs: str
    split: str
    n: int
    scale: tuple[float, float]
    names: Mapping[str, str]
    """How each method is displayed, by its name."""
    methods: "DataFrame"
    """As `ComparedMethods.methods`."""
    differences: "DataFrame"
    """As `ComparedMethods.differences`."""
    by: str
    """What the pairs are grouped by; empty for nothing."""
    groups: "DataFrame"
    """As `ComparedMethods.group_means`; empty without groups."""
    group_differences: "DataFrame"
    trainings: tuple[Training, ...]
    examples: "DataFrame"
    """Pairs that the best method and the baseline rank most differently: sentence1, sentence2, gold, and a cosine for each; empty
    where texts are left out."""
    suite: "DataFrame"
    """Scores by task: task, n, method, mean; empty if no suite was asked for."""
    suite_words: str
    """What its scores are."""
    notices: tuple[str, ...]
    openings: "tuple[Opening, ...]" = ()
    """When scores on these pairs were computed, if they are a test split."""
    linked_groups: int | None = None
    """As `ComparedMethods.linked_groups`."""

    @property
    def runs(self) -> list[Run]:
        """The runs, in the order of their methods."""
        return list({training.run.id: training.run for training in self.trainings if training.run}.values())

    def of(self, method: str) -> list[Training]:
        """The trainings of a method."""
        return [training for training in self.trainings if training.method == method]

    @property
    def teaching(self) -> bool:
        """Whether the gold scores are those of the demo."""
        return self.asked.pairs.startswith("demo:")


def names_of(groups: Sequence[MethodTargets]) -> dict[str, str]:
    """How each method is displayed: a single target by its label, several trainings by what they share; no two alike."""
    found = {group.name: _name(group) for group in groups}
    taken = list(found.values())
    return {
        name: f"{shown}{BETWEEN}{_ending(group)}" if taken.count(shown) > 1 else shown
        for (name, shown), group in zip(found.items(), groups, strict=True)
    }


def _name(group: MethodTargets) -> str:
    first = group.targets[0]
    if first.run is None:
        return without_folders(first.label)
    given = {target.run.name for target in group.targets if target.run}
    config, shared = first.run.config, given.pop() if len(given) == 1 else ""
    if len(group.targets) > 1 and not shared:
        shared = f"{config.recipe}{BETWEEN}{without_folders(config.model.backbone)}"
    shown = without_folders(_spelled(first, shared or first.run.id[16:]))
    return f"{shown}{BETWEEN}{len(group.targets)} seeds" if len(group.targets) > 1 else shown


def _spelled(target: Target, name: str) -> str:
    """A target by a name; the default checkpoint, the best, is not named."""
    return str(Parts(name, "" if target.checkpoint == "best" else target.checkpoint, target.pooling, target.transform))


def _ending(group: MethodTargets) -> str:
    first = group.targets[0]
    return first.run.id[-4:] if first.run else first.fingerprint[:4]


def leaders(material: Material) -> tuple[str, list[str]]:
    """The method with the highest mean, and those that no test tells from it."""
    best = str(material.methods.loc[material.methods["mean"].idxmax(), "method"])
    rows = against(material.differences, best)
    return best, list(rows.loc[rows["verdict"] == "tie", "method"])


def marks_of(trainings: Sequence[Training]) -> list[str]:
    """What must stand beside the scores of a method."""
    found = {training.mark for training in trainings}
    words = [word for word in (GOLD, TRANSDUCTIVE) if word in found]
    return words + (["selected on these pairs"] if any(training.chosen_here for training in trainings) else [])


def styles_of(material: Material, dark: bool) -> dict[str, Style]:
    """Colour, symbol and dash of each method, those of its first target on the pages."""
    firsts = {name: material.of(name)[0] for name in material.names}
    trained = {
        name: styles.spelled(first.target) for name, first in firsts.items() if not styles.is_untrained(first.target)
    }
    return styles.styles_of(trained, [name for name in firsts if name not in trained], dark=dark)
