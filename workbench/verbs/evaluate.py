"""Evaluating a target on the tasks of a suite."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core import presets
from workbench.core.errors import BadData, unknown
from workbench.core.method import Knob, calling
from workbench.core.progress import Progress, part
from workbench.data.marks import of_overlap
from workbench.evaluation import METHODS
from workbench.store.openings import note
from workbench.targets.fitting import Precision
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Folder, Settings, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache
    from workbench.evaluation import Suite, TaskSet


@dataclass(frozen=True)
class Evaluate:
    """Evaluate a target on the tasks of a suite that are present in a folder, or on a table of one's own.

    Prefer `score` for a single pair set, with the geometry of its sentences and the cosine of each pair.
    """

    target: Annotated[Target, Encoded()] = unparsed(presets.TARGET)
    suite: Annotated[str, "The suite, see `list suites`."] = presets.SUITE
    data: Annotated[str, Folder("The folder with its tasks, or a table: FILE#ROLE=COLUMN,... .")] = ""
    settings: Annotated[Mapping[str, object], Settings("Settings of the suite, such as folds.")] = field(
        default_factory=dict
    )
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Knob(help="The precision of the encoder; auto is bf16 where that was timed to be faster. Scores name it."),
    ] = "fp32"


def check(request: Evaluate) -> None:
    """The suite must exist and have these settings, and a folder be named."""
    if request.suite not in METHODS:
        raise unknown("suite", request.suite, METHODS)
    METHODS[request.suite].check(request.settings)
    if not request.data:
        needed = "a folder or a table" if METHODS[request.suite].roles else "a folder"
        raise BadData(
            f"The {METHODS[request.suite].noun} suite needs {needed}.", way_out="Name it with --data, or data=..."
        )


def run(request: Evaluate, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """A table with a row per task, or several, such as one per group: the columns of the suite, and fitted_on.

    Scores in bf16 have columns of their own, such as all_bf16, so that no table has both precisions in one column. A transform
    is fitted in fp32.

    `.attrs` has the names of `absent` tasks, `mean` (label, value, tasks; None if undefined), the settings, target, precision,
    max_length, notices, and by task the `marks` of scores whose sentences were trained on.
    """
    import pandas

    from workbench.scoring.train_test_overlap import notices as overlap_notices
    from workbench.scoring.train_test_overlap import overlaps_of

    suite, target = METHODS[request.suite], request.target
    settings = suite.check(request.settings)
    precision: Precision = "fp32" if target.baseline else models.precision(request.precision)
    on_progress(0.0, f"Reading the {suite.noun} tasks")
    tasks = suite.read(request.data)
    # One task at a time: what a transform is fitted on is that task's own sentences.
    note(models.folder, [task.as_pairs() for task in tasks.sets], [target.text], suite.id)
    tables, notices = [], [*models.prompt_notices(target), *tasks.unreadable]
    notices += [_of(task.task, notice) for task in tasks.sets for notice in task.notices]
    for number, task in enumerate(tasks.sets):
        share = part(on_progress, 0.9 * number / len(tasks.sets), 0.9 * (number + 1) / len(tasks.sets))
        table, about_task = _of_task(models, share, target, suite, task, settings, precision)
        tables.append(table)
        notices += about_task
    on_progress(0.9, "Looking for the sentences among the training texts")
    overlaps = overlaps_of(target, [task.as_pairs() for task in tasks.sets])
    notices += [note for overlap in overlaps for note in overlap_notices(overlap)]
    table = pandas.concat(tables, ignore_index=True)
    mean = suite.mean(table)
    if precision != "fp32":
        table = table.rename(
            columns={column.name: f"{column.name}_{precision}" for column in suite.columns if column.share}
        )
    table.attrs = {
        **models.about(target, " / ".join(sorted(set(filter(None, table["fitted_on"]))))),
        "precision": precision,
        **settings,
        "absent": tasks.absent,
        "mean": {"label": mean.label, "value": mean.value, "tasks": list(mean.tasks)} if mean else None,
        "notices": notices,
        "marks": {overlap["name"]: words for overlap in overlaps if overlap and (words := of_overlap(overlap))},
    }
    return table


def _of(task: str, notice: str) -> str:
    """A notice about a task, with its name where it names neither the task nor its file.

    >>> _of("stsb", "1 text was empty."), _of("trec", "train.tsv: 1 text was empty."), _of("sts12", "sts12 lacks SMTnews.")
    ('stsb: 1 text was empty.', 'train.tsv: 1 text was empty.', 'sts12 lacks SMTnews.')
    """
    named = re.search(rf"\b{re.escape(task)}\b", notice) or re.match(r"[^\s:]+: ", notice)
    return notice if named else f"{task}: {notice}"


def _of_task(
    models: "ModelCache",
    on_progress: Progress,
    target: Target,
    suite: "Suite",
    task: "TaskSet",
    settings: Mapping[str, object],
    precision: "Precision",
) -> tuple["DataFrame", list[str]]:
    """The row of one task, and its notices."""
    import numpy as np

    texts = suite.texts(task, settings)
    share = suite.encoding_share
    encoding = part(on_progress, 0.0, share)
    fitted = models.fit(target, encoding, scored=texts)
    vectors = dict(zip(texts, fitted.vectors(texts, encoding, precision), strict=True))

    def encode(asked: list[str]) -> "NDArray[floating]":
        return np.stack([vectors[text] for text in asked])

    with calling("suite", suite):
        table = suite.fn(encode, [task], **settings, on_progress=part(on_progress, share, 1.0))
    notices = [*table.attrs.get("notices", ()), *(f"{task.task}: {note}" for note in fitted.notices_for(texts))]
    return table.assign(fitted_on=fitted.on), notices


def slow(request: Evaluate) -> bool:
    """It encodes thousands of texts."""
    return True


VERB = Verb(Evaluate, run, check=check, slow=slow, doing="Evaluating the tasks")
