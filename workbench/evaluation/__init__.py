"""Suites: evaluation protocols. Each takes a function that encodes texts, never a model. One file each.

A suite's file holds all that the api, the command, the pages and the docs need to know of it, in the `Suite` at its end:

- its tasks, the files of a folder that hold them, and how these are read (`tasks`, `present`, `files`, `layouts`);
- its protocol: `suite(encode, sets, *, <settings>, on_progress) -> DataFrame`, with a row for each task, and which texts it
  encodes, if not all of a task's (`needs`);
- its columns, its main score, and what may be shown with or in place of it (`columns`, `score`, `aggregations`, `beside`,
  `baselines`), and the columns that tell several rows of a task apart (`by`), such as groups, the worst first;
- the columns of a table of one's own, if it takes one in place of a folder (`roles`): `FILE` or `FILE#ROLE=COLUMN,...`;
- the texts shown with the numbers (`measure`, `interval`, `details`, `doing`, `offer`), and why the numbers may not be
  comparable with the literature (`unofficial`).

What all suites share is in `Suite`: `read(folder)` reads the tasks that are there and names those that are absent or cannot
be read; `mean(table)` is the mean over tasks, labelled `avg` only where the literature would. Code that scores a target
needs no line for a new suite:

    tasks, settings = suite.read(folder), suite.check(settings)
    for task in tasks.sets:                        # one at a time: a transform is fitted on the texts of that task
        vectors = encode(suite.texts(task, settings))
        tables.append(suite.fn(vectors.__getitem__, [task], **settings, on_progress=...))
    table = pandas.concat(tables)                  # and suite.mean(table), suite.unofficial(table)
    seen = overlaps(corpus, [task.as_pairs() for task in tasks.sets])

Tasks of classification share `_classified` (files, rows, labels) and `_classifying` (a linear classifier on frozen vectors,
by folds or a dev split). Tags: `direction`; `noun`, the name of the tasks in a sentence, if it is not the suite's id; `fetched`,
if `data.fetching` fetches its tasks.
"""

from workbench.core.discovery import discover
from workbench.core.flag_names import EVALUATE, taken
from workbench.core.method import Method
from workbench.evaluation._suite import Column, Encode, Mean, Suite, Tasks, TaskSet


def _lacks(method: Method) -> str:
    """Why the settings of a suite cannot be given to `evaluate`, in one line; empty if they can."""
    return taken(method, EVALUATE, "evaluate")


METHODS = discover(__name__, list(__path__), Suite, check=_lacks)

__all__ = ["METHODS", "Column", "Encode", "Mean", "Suite", "TaskSet", "Tasks"]
