"""ANLI triplets: whether a premise is nearer to what it entails than to what contradicts it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import text_rng
from workbench.data.cleaning import Cleaner
from workbench.data.dropped import Dropped, left_out
from workbench.data.files import examine
from workbench.data.layouts import forms, named_table
from workbench.data.pair_sets import PairSet
from workbench.data.sources import task_folder
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.metrics import checked_cosines

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {"anli_r1": "ANLI, round 1", "anli_r2": "ANLI, round 2", "anli_r3": "ANLI, round 3"}
SEED = 42
"""The seed of the published draw."""
_SPLITS = ("train", "dev", "test")
_LABELS = {"e": "entailment", "c": "contradiction", "entailment": "entailment", "contradiction": "contradiction"}
"""As ANLI's own files and its tables spell them; neutral hypotheses are not used."""
_PREMISES = ("premise", "context")
"""The name of the column in tables, and in ANLI's own files."""
_ABOVE = ("", "anli_v1.0")


@dataclass(frozen=True)
class Premises:
    """One round read from a folder: the premises that have both, each with its entailments and its contradictions."""

    task: str
    split: str
    premises: list[str]
    entailments: list[list[str]]
    contradictions: list[list[str]]
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.premises)

    def texts(self) -> list[str]:
        """Every text that is encoded: the premises, then their hypotheses."""
        hypotheses = [*self.entailments, *self.contradictions]
        return [*self.premises, *(text for texts in hypotheses for text in texts)]

    def as_pairs(self) -> PairSet:
        """Each premise with all of its hypotheses, entailments scored 1 and contradictions 0."""
        sides = [
            (premise, text, gold)
            for premise, *hypotheses in zip(self.premises, self.entailments, self.contradictions, strict=True)
            for gold, texts in zip((1.0, 0.0), hypotheses, strict=True)
            for text in texts
        ]
        return PairSet(
            name=f"{self.task}:{self.split}",
            task=self.task,
            split=self.split,
            scale=(0.0, 1.0),
            subsets=[""] * len(sides),
            first=[first for first, _, _ in sides],
            second=[second for _, second, _ in sides],
            gold=np.array([gold for _, _, gold in sides]),
            dropped=[],
        )


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], Premises]]:
    """For each round in `folder`, a function that reads it. Nothing is read here.

    A table is preferred (`anli-r1-train.tsv`, then `-dev`, then `-test`: label, premise, hypothesis), then ANLI's own
    `R1/train.jsonl` and so on. The train split is the published one.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    base = task_folder(folder, folders, "anli-r1-dev.tsv")
    tables = forms(base)
    found = {task: _file(base, tables, task) for task in TASKS}
    return {task: partial(_read, task, *file) for task, file in found.items() if file}


def _file(base: Path, tables: dict[str, Path], task: str) -> tuple[str, Path] | None:
    """The split and the file of a round."""
    number = task[-1]
    for split in _SPLITS:
        if table := named_table(tables, [f"anli-r{number}-{split}"]):
            return split, table
        for above in _ABOVE:
            if (path := base / above / f"R{number}" / f"{split}.jsonl").is_file():
                return split, path
    return None


def _read(task: str, split: str, path: Path) -> Premises:
    """The premises of one round that have an entailment and a contradiction.

    Raises:
        BadData: no such columns, or fewer than two such premises.
    """
    file = examine(path, line_feeds=True)
    names = [name.casefold() for name in file.header]
    premise = next((name for name in _PREMISES if name in names), "")
    if not premise or not {"hypothesis", "label"} <= set(names):
        raise BadData(
            f"{path.name} is not a table of ANLI.",
            rule="Its columns are label, premise (or context) and hypothesis.",
            got=", ".join(file.header) or "no names",
        )
    columns = [names.index(name) for name in (premise, "hypothesis", "label")]
    file.check_single(columns)
    cleaner, dropped = Cleaner(), list[Dropped]()
    hypotheses: dict[str, dict[str, list[str]]] = {}
    for row, cells in file.rows(dropped, needs=max(columns) + 1):
        first, second, label = (cells[column] for column in columns)
        first, second = cleaner(first, row), cleaner(second, row)
        if not (first and second):
            dropped.append(Dropped(row, "no text", f"{first} {second}"[:80]))
        elif kind := _LABELS.get(label.strip().casefold()):
            hypotheses.setdefault(first, {"entailment": [], "contradiction": []})[kind].append(second)
    whole = {text: kinds for text, kinds in hypotheses.items() if all(kinds.values())}
    name = f"{task}:{split}"
    if len(whole) < 2:
        raise BadData(
            f"{name} holds {len(whole)} premise{'s' * (len(whole) != 1)} with an entailment and a contradiction.",
            rule="Two are needed.",
        )
    return Premises(
        task,
        split,
        list(whole),
        [kinds["entailment"] for kinds in whole.values()],
        [kinds["contradiction"] for kinds in whole.values()],
        [*(f"{name}: {notice}" for notice in cleaner.notices()), *left_out(name, dropped)],
    )


def anli_triplets(
    encode: Encode,
    sets: Sequence[Premises],
    *,
    seed: Annotated[
        int, Knob(0, 1_000_000, 1, "Seed of the draw of one hypothesis of each kind for each premise.")
    ] = SEED,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """The share, in 0..1, of premises that are nearer by cosine to an entailment than to a contradiction.

    The table has a row per round: task, split, n, accuracy, low, high, chance, official. One hypothesis of each kind is drawn
    for each premise, by the seed and the premise only. Premises that lack either kind are left out. Nearer is strict and a tie
    counts half, so a constant encoder has 0.5. `low` and `high` are the 95 % bootstrap interval over premises. Nothing is
    fitted.

    Prefer it over `sts` to see whether contradictions, which share words with the premise, are kept apart.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    from workbench.statistics.means import mean_interval

    if not sets:
        raise BadData("There is no round of ANLI to evaluate on.", way_out="Choose a folder that holds one.")
    rows = []
    for number, task in enumerate(sets):
        on_progress(number / len(sets), f"Comparing {TASKS[task.task]}")
        texts = list(dict.fromkeys(task.texts()))
        row_of = {text: row for row, text in enumerate(texts)}
        vectors = np.asarray(encode(texts))
        if not np.isfinite(vectors).all():
            raise BadData(f"Vectors of {task.task} are not finite.", rule="A cosine needs numbers.")
        premises = vectors[[row_of[text] for text in task.premises]]
        near, far = (
            checked_cosines(premises, vectors[[row_of[text] for text in _drawn(task.premises, kind, seed, name)]])
            for name, kind in (("entailment", task.entailments), ("contradiction", task.contradictions))
        )
        right = np.where(near == far, 0.5, near > far).astype(np.float64)
        low, high = mean_interval(right)
        rows.append(
            {
                "task": task.task,
                "split": task.split,
                "n": len(task),
                "accuracy": float(right.mean()),
                "low": low,
                "high": high,
                "chance": 0.5,
                "official": task.split == "train" and seed == SEED,
            }
        )
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _drawn(premises: Sequence[str], kinds: Sequence[Sequence[str]], seed: int, name: str) -> list[str]:
    """One hypothesis for each premise."""
    return [
        text_rng(seed, f"anli.{name}", 0, premise).choice(list(texts))
        for premise, texts in zip(premises, kinds, strict=True)
    ]


def _unofficial(table: "DataFrame") -> list[str]:
    splits: Mapping[str, str] = dict(zip(table["task"], table["split"], strict=True))
    other = [f"{task} {split}" for task, split in splits.items() if split != "train"]
    if other:
        return [f"of splits other than the published train: {', '.join(other)}"]
    return [] if table["official"].all() else ["drawn with another seed"]


COLUMNS = (
    Column("task", "The id of the round."),
    Column("split", "The split of the premises; the published one is train."),
    Column("n", "How many premises have an entailment and a contradiction."),
    Column("accuracy", "The share of premises nearer to the entailment; a tie counts half.", share=True),
    Column("low", "The lower end of its 95 % bootstrap interval over premises.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("chance", "The accuracy of an encoder that cannot distinguish them.", share=True),
    Column("official", "Whether the split and the seed are the published ones."),
)


METHOD = Suite(
    anli_triplets,
    title="Entailment against contradiction",
    source="Nie et al. 2020, arXiv:1910.14599; as triplets in AugCSE, Tang, Kocyigit and Wijaya 2022",
    formula=r"\frac{1}{N} \sum_i \left[\cos(p_i, e_i) > \cos(p_i, c_i)\right]",
    tags={"direction": "higher is better", "noun": "ANLI"},
    tasks=TASKS,
    present=present,
    files="tables such as anli-r1-dev.tsv (label, premise, hypothesis), or ANLI's own R1/dev.jsonl",
    layouts="rounds 1 to 3 of ANLI, as tables with label, premise and hypothesis or in ANLI's own layout",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Share in per cent of premises nearer to an entailment than to a contradiction, by cosine",
    interval="bootstrap",
    doing="Comparing entailments with contradictions",
    offer="it shows whether an encoder separates what a text entails from what contradicts it; chance is 50",
    details=("one hypothesis of each kind drawn for each premise; ties count half",),
    baselines={"chance": "chance"},
    unofficial=_unofficial,
)
