"""The description of a suite: the files of its tasks, the columns of its table, and its main score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData, WorkbenchError
from workbench.core.method import Method
from workbench.data.tables import Role

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet

Encode = Callable[[list[str]], NDArray[np.floating]]
"""Texts to vectors, (texts, dim): all that a protocol knows of a model."""


class TaskSet(Protocol):
    """One task as it was read: the input of a protocol."""

    @property
    def task(self) -> str:
        """Its id."""
        ...

    @property
    def notices(self) -> list[str]:
        """Problems that were noticed while reading, a sentence each."""
        ...

    def texts(self) -> list[str]:
        """Every text, duplicates included."""
        ...

    def as_pairs(self) -> "PairSet":
        """The tested texts as pairs, to count sentences that were trained on; a single text is on both sides."""
        ...


class Column(NamedTuple):
    """A column of a suite's table. A share is in -1..1 and is shown times 100."""

    name: str
    meaning: str
    share: bool = False


class Mean(NamedTuple):
    """The mean of several tasks' scores: `avg` only if it covers all tasks, each as published, and papers print it."""

    label: str
    value: float
    tasks: tuple[str, ...]


class Tasks(NamedTuple):
    """The tasks of a suite in a folder: those that were read, the names of the others, and why some could not be read."""

    sets: list[Any]
    absent: list[str]
    unreadable: list[str]


def no_reasons(table: "DataFrame") -> list[str]:
    """For a suite whose numbers are always as published: none."""
    return []


@dataclass(frozen=True, kw_only=True)
class Suite(Method):
    """An evaluation protocol. `fn` is `(encode, sets, *, <settings>, on_progress) -> DataFrame`: a row for each task.

    The table has `task`, `n`, `low`, `high`, the 95 % interval of its `score`, and `official`: whether the numbers are
    comparable with the literature. `table.attrs["notices"]`, where it is set, are sentences about single numbers.
    """

    tasks: Mapping[str, str]
    """The title of each task by its id, in the order in which the literature prints them."""
    present: Callable[..., Mapping[str, Callable[[], TaskSet]]]
    """`(folder, *, folders=None)`: for each task in it a function that reads it. Nothing is read before it is called."""
    files: str
    """Which files a folder needs, as an example: it ends the sentence `It needs ...`."""
    layouts: str
    """Which tasks are read, and in whose layouts: the placeholder of the empty box for the folder."""
    columns: tuple[Column, ...]
    """Those of the table, in its order."""
    score: str
    """The main column: means are taken of it, and it decides which target is best."""
    score_title: str
    """The name of the score in a sentence."""
    measure: str
    """What the numbers are, as shown; settings of the protocol are in braces."""
    interval: str
    """Whose 95 % interval it is, such as `bootstrap`."""
    doing: str
    """The message shown while it is computed."""
    elsewhere: str = ""
    """Where data of its kind are scored that are none of its tasks, as a sentence."""
    offer: str = ""
    """What the suite is good for, shown while no folder is chosen."""
    details: tuple[str, ...] = ()
    """What else must be known of the protocol below its table."""
    aggregations: Mapping[str, str] = field(default_factory=dict)
    """Columns that may be shown in place of the score, the score itself first, and what each is. Only the score has an interval
    and a mean over tasks."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Columns that stand small below the score where they are not nan, with their titles."""
    baselines: Mapping[str, str] = field(default_factory=dict)
    """The columns of baselines that need no model, and what each is."""
    by: tuple[str, ...] = ()
    """Columns that tell the rows of a task apart, such as groups. The first row of a task is the one shown, and averaged."""
    needs: Callable[..., list[str]] | None = None
    """`(task, settings)`: which of a task's texts it encodes, if not all of them."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """The roles of the columns of a table of one's own, if the suite takes one in place of a folder: `FILE#ROLE=COLUMN,...`."""
    encoding_share: float = 0.9
    """The share of a task's time, roughly, that encoding takes; the rest is the protocol."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Faster settings that a page starts with, since people wait for the answer."""
    published_mean: bool = True
    """Whether the literature has a mean over all of its tasks."""
    unofficial: Callable[["DataFrame"], list[str]] = no_reasons
    """Why a table's numbers are not comparable with the literature. `table.attrs` holds the settings."""

    def read(self, folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> Tasks:
        """The tasks in `folder`, in their order. One that cannot be read is left out, and `unreadable` says why.

        Raises:
            BadData: the folder has none of the tasks.
            WorkbenchError: none of those it has can be read; the first error is raised.
        """
        present = self.present(folder, folders=folders)
        if not present:
            raise BadData(
                f"{folder} holds no {self.noun} task.",
                rule=f"It needs {self.files}.",
                way_out=f"Name another folder. {self.elsewhere}".rstrip(),
            )
        sets: list[TaskSet] = []
        errors: dict[str, WorkbenchError] = {}
        for task, load in present.items():
            try:
                sets.append(load())
            except WorkbenchError as error:
                errors[task] = error
        if not sets:
            raise next(iter(errors.values()))
        read = {task_set.task for task_set in sets}
        unreadable = [f"{task} could not be read and was not scored: {error}" for task, error in errors.items()]
        absent = [task for task in self.tasks if task not in read]
        return Tasks(sets, absent if read & set(self.tasks) else [], unreadable)  # a table of one's own lacks nothing

    def texts(self, task: TaskSet, settings: Mapping[str, object]) -> list[str]:
        """The distinct texts of a task that are encoded, which `+transform` is fitted on too.

        Raises:
            BadData: the protocol cannot be followed with this task.
        """
        return list(dict.fromkeys(self.needs(task, settings) if self.needs else task.texts()))

    @property
    def noun(self) -> str:
        """The name of its tasks in a sentence: `STS`, `transfer`."""
        return self.tags.get("noun", self.id)

    def mean(self, table: "DataFrame") -> Mean | None:
        """The mean of the score over the suite's tasks in `table`, by the literature's rule, or None below two.

        That rule is the mean of values already rounded to two decimals of 100 times the score. `avg` needs all tasks, each as
        published, and papers that print it (`published_mean`); anything else is labelled with the names of its tasks, so that
        it cannot be mistaken for one. Rows of a split other than `test`, if there is such a column, and of other sets, such as
        the demo's, are left out.
        """
        rows = [
            row for row in table.to_dict("records") if row["task"] in self.tasks and row.get("split", "test") == "test"
        ]
        rows = list({row["task"]: row for row in reversed(rows)}.values())  # the first of each task
        scores = {row["task"]: round(100 * row[self.score], 2) for row in rows}
        tasks = tuple(task for task in self.tasks if task in scores)
        if len(tasks) < 2:
            return None
        whole = self.published_mean and len(tasks) == len(self.tasks) and all(row["official"] for row in rows)
        label = "avg" if whole else f"mean of {', '.join(tasks)}"
        return Mean(label, round(sum(scores[task] for task in tasks) / len(tasks) / 100, 6), tasks)
