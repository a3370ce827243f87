"""Suites: evaluation protocols. Each takes a function that encodes texts, never a model. One file each.

A suite's file says all that the api, the command, the pages and the docs have to know of it, in the `Suite` it ends with:

- its tasks, in which files of a folder they lie, and how these are read (`tasks`, `present`, `files`, `layouts`);
- its protocol: `suite(encode, sets, *, <settings>, on_progress) -> DataFrame`, with a row for each task;
- its columns, the score that counts, and what may stand beside or in place of it (`columns`, `score`, `aggregations`,
  `beside`, `baseline`);
- what is said around the numbers (`measure`, `interval`, `details`, `doing`, `offer`), and why they may not stand beside
  those of the literature (`unofficial`).

What all have in common is in `Suite`: `read(folder)` reads what is there, names what is absent and what cannot be read;
`mean(table)` forms the mean over tasks, and calls it `avg` only where the literature would. Whoever scores a target needs
no other line for a new suite:

    tasks = suite.read(folder)
    for task in tasks.sets:                        # one at a time: a transform is fitted on that task's own texts
        vectors = encode(dict.fromkeys(task.texts()))
        tables.append(suite.fn(vectors.__getitem__, [task], **suite.check(settings), on_progress=...))
    table = pandas.concat(tables)                  # and suite.mean(table), suite.unofficial(table)
    seen = overlaps(corpus, [task.as_pairs() for task in tasks.sets])

Tasks of classification share `_classified` (files, rows, labels) and `_classifying` (a linear classifier on frozen vectors,
by folds or a dev split). Tags: `direction`; `noun`, what tasks are called in a sentence where that is not the suite's id.
"""

from workbench.core.discovery import discover
from workbench.evaluation._suite import Column, Encode, Mean, Suite, Tasks, TaskSet

METHODS = discover(__name__, list(__path__), Suite)

__all__ = ["METHODS", "Column", "Encode", "Mean", "Suite", "TaskSet", "Tasks"]
