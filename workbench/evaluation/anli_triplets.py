"""ANLI triplets: is what follows from a premise nearer to it than what contradicts it? A probe of AugCSE."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import derive
from workbench.data.files import Cleaner, Dropped, examine, left_out
from workbench.data.layouts import forms, named_table
from workbench.data.pair_sets import PairSet
from workbench.evaluation._suite import Column, Encode, Suite, folder_of
from workbench.metrics import row_cosines
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from pandas import DataFrame

TASKS = {"anli_r1": "ANLI R1", "anli_r2": "ANLI R2", "anli_r3": "ANLI R3"}
SEED = 42
"""AugCSE's."""
_PREMISE = ("premise", "context")
_LABELS = {"e": "entailment", "entailment": "entailment", "c": "contradiction", "contradiction": "contradiction"}


@dataclass(frozen=True)
class Triplets:
    """Row-aligned premises, each with a hypothesis that follows from it and one that contradicts it."""

    task: str
    premises: list[str]
    entailments: list[str]
    contradictions: list[str]
    notices: list[str]

    def texts(self) -> list[str]:
        """All texts: premises, then entailments, then contradictions."""
        return [*self.premises, *self.entailments, *self.contradictions]

    def as_pairs(self) -> PairSet:
        """Each premise with its entailment, scored 1, and with its contradiction, scored 0."""
        count = len(self.premises)
        return PairSet(
            name=self.task,
            task=self.task,
            split="dev",
            scale=(0.0, 1.0),
            subsets=[""] * (2 * count),
            first=[*self.premises, *self.premises],
            second=[*self.entailments, *self.contradictions],
            gold=np.repeat([1.0, 0.0], count),
            dropped=[],
        )


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], Triplets]]:
    """For each round of ANLI whose dev split is in `folder` a function that reads it. Nothing is read here.

    A table `anli-r1-dev.tsv` (.csv, .jsonl, also with .gz) wins, then ANLI's own `R1/dev.jsonl`.

    Raises:
        BadData: `folder` is not one.
        OutsideFolders: it is outside `folders`.
    """
    base = folder_of(folder, folders, "anli-r1-dev.tsv or R1/")
    tables = forms(base)
    files = {task: _file(base, tables, task) for task in TASKS}
    return {task: partial(_read, task, path) for task, path in files.items() if path}


def _file(base: Path, tables: dict[str, Path], task: str) -> Path | None:
    split = task.removeprefix("anli_")
    if table := named_table(tables, [f"anli-{split}-dev"]):
        return table
    theirs = (base / above / split.upper() / "dev.jsonl" for above in ("", "anli_v1.0"))
    return next((path for path in theirs if path.is_file()), None)


def _read(task: str, path: Path) -> Triplets:
    """A triplet for each premise with both kinds of hypotheses, one of each drawn by the premise: other rows change nothing.

    Raises:
        BadData: not such a table, or fewer than two triplets.
    """
    file = examine(path, line_feeds=True)
    names = [name.casefold() for name in file.header]
    premise = next((names.index(name) for name in _PREMISE if name in names), None)
    if premise is None or not {"hypothesis", "label"} <= {*names}:
        raise BadData(
            f"{path.name} is not a table of {TASKS[task]}.",
            rule="Its columns are label, premise (or context) and hypothesis.",
            got=", ".join(file.header) or "no names",
        )
    hypothesis, label = names.index("hypothesis"), names.index("label")
    cleaner, dropped = Cleaner(), list[Dropped]()
    kinds: dict[str, dict[str, list[str]]] = {}
    for row, cells in file.rows(dropped, needs=max(premise, hypothesis, label) + 1):
        one, two = cleaner(cells[premise], row), cleaner(cells[hypothesis], row)
        kind = _LABELS.get(cells[label].strip().casefold())
        if one and two and kind:
            kinds.setdefault(one, {}).setdefault(kind, []).append(two)
    whole = {one: of for one, of in kinds.items() if len(of) == 2}
    if len(whole) < 2:
        raise BadData(
            f"{path.name} gives {len(whole)} triplets.",
            rule="Two premises at least need an entailment and a contradiction each.",
        )
    drawn = {one: random.Random(derive(SEED, "anli", one)) for one in whole}
    notice = f"{task}: {len(whole):,} of {len(kinds):,} premises have an entailment and a contradiction; the others are left out."
    return Triplets(
        task,
        list(whole),
        [drawn[one].choice(of["entailment"]) for one, of in whole.items()],
        [drawn[one].choice(of["contradiction"]) for one, of in whole.items()],
        [notice, *(f"{task}: {note}" for note in cleaner.notices()), *left_out(task, dropped)],
    )


def anli_triplets(encode: Encode, sets: Sequence[Triplets], *, on_progress: Progress = no_progress) -> "DataFrame":
    """The share of premises that are nearer to their entailment than to their contradiction: task, n, accuracy, low, high,
    official.

    By cosine; a tie counts half. `low` and `high` are Wilson's 95 % interval, with that count rounded. Chance is 0.5.
    AugCSE draws from the training splits of all rounds, which these are not: `official` is False.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData("There is no ANLI to evaluate on.", way_out="Name a folder that holds anli-r1-dev.tsv.")
    rows = []
    for number, triplets in enumerate(sets):
        on_progress(number / len(sets), f"Comparing the triplets of {TASKS[triplets.task]}")
        texts = list(dict.fromkeys(triplets.texts()))
        vectors = dict(zip(texts, np.asarray(encode(texts)), strict=True))
        premises, entailments, contradictions = (
            np.stack([vectors[text] for text in side])
            for side in (triplets.premises, triplets.entailments, triplets.contradictions)
        )
        lead = row_cosines(premises, entailments) - row_cosines(premises, contradictions)
        wins = float((lead > 0).sum() + 0.5 * (lead == 0).sum())
        low, high = wilson(round(wins), len(lead))
        rows.append((triplets.task, len(lead), wins / len(lead), low, high, False))
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def _unofficial(table: "DataFrame") -> list[str]:
    return ["drawn from dev splits, where AugCSE took the training splits"]


COLUMNS = (
    Column("task", "The id of the task."),
    Column("n", "Premises with an entailment and a contradiction."),
    Column("accuracy", "The share of premises that are nearer to their entailment; a tie counts half.", share=True),
    Column("low", "The lower end of the 95 % interval of the accuracy, Wilson's.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("official", "Whether the triplets are those of AugCSE."),
)

METHOD = Suite(
    anli_triplets,
    title="Entailed or contradicted",
    source="Nie et al. 2020 (ANLI), arXiv:1910.14599; the probe of AugCSE, arXiv:2210.13749",
    tags={"direction": "higher is better", "noun": "ANLI"},
    tasks=TASKS,
    present=present,
    files="tables such as anli-r1-dev.tsv (label, premise, hypothesis), or ANLI's R1/dev.jsonl",
    layouts="ANLI's dev splits, as tables or in its own layout",
    columns=COLUMNS,
    score="accuracy",
    score_title="accuracy",
    measure="Premises, in per cent, that are nearer to their entailment than to their contradiction; chance is 50",
    interval="Wilson",
    doing="Comparing the ANLI triplets",
    offer="triplets show whether what contradicts a sentence is farther from it than what follows",
    unofficial=_unofficial,
)
