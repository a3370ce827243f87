"""Answers about how well a model does: on scored pairs, and by the suites."""

from typing import TYPE_CHECKING, Any

from workbench.compute.model_cache import Desk, Told
from workbench.data.marks import of_overlap
from workbench.scoring.pair_scores import Scored
from workbench.scoring.train_test_overlap import columns, said, seen_by
from workbench.targets.target import Target

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.data.transfer import TransferSet

ENCODING = 0.25
"""About how much of a transfer task's time its vectors take; the rest are classifiers."""


def evaluate(desk: Desk, told: Told, *, target: Target, pairs: str) -> dict[str, Any]:
    """See questions.scores.evaluate."""
    from workbench.data.pairs import load_pairs

    told(0.0, "Reading the pairs")
    found = load_pairs(pairs)
    scored = Scored([found])
    fitted = desk.fit(target, told, scored=scored.texts)
    rows, cosines = scored.tables(lambda texts: fitted.vectors(texts, told))
    cosines = cosines.rename(columns={"first": "sentence1", "second": "sentence2"})
    trained = seen_by(target, [found])[0]
    scores = {
        **rows[0],
        **columns(trained),
        **desk.about(target, fitted.on),
        "reference": pairs,
        "scale": list(found.scale),
        "notices": [*found.notices, *fitted.said_of(scored.texts), *said(trained)],
    }
    return {"scores": scores, "cosines": cosines}


def sts(desk: Desk, told: Told, *, target: Target, data: str) -> "DataFrame":
    """See questions.scores.sts."""
    import pandas

    from workbench.evaluation.sts import mean_over_tasks, pair_cosines, summarise
    from workbench.scoring.suites import sts_sets
    from workbench.statistics.bootstrap import spearman_interval

    told(0.0, "Reading the STS tasks")
    sets, absent = sts_sets(data)
    # One task at a time: what a transform is fitted on is that task's own sentences.
    parts, notices = [], [note for one in sets for note in one.notices]
    fitted_on: dict[str, str] = {}
    for one in sets:
        texts = list(dict.fromkeys(one.texts()))
        fitted = desk.fit(target, told, scored=texts)
        parts.append(pair_cosines(lambda texts, fitted=fitted: fitted.vectors(texts, told), [one]))  # type: ignore[misc]
        fitted_on[one.task] = fitted.on
        notices += [f"{one.name}: {note}" for note in fitted.said_of(texts)]
    told(0.9, "Looking for the sentences among the training texts")
    trained = seen_by(target, sets)
    notices += [note for one in trained for note in said(one)]
    pairs = pandas.concat(parts, ignore_index=True)
    table = summarise(pairs)
    told(0.95, "Intervals")
    intervals = {
        task: spearman_interval(own["cosine"].to_numpy(), own["gold"].to_numpy())
        for task, own in pairs.groupby("task", sort=False)
    }
    table["low"] = [intervals[task][0] for task in table["task"]]
    table["high"] = [intervals[task][1] for task in table["task"]]
    table["fitted_on"] = [fitted_on[task] for task in table["task"]]
    flat = table.loc[(table["all"] == 0) & (table["low"] == 0) & (table["high"] == 0), "task"]
    notices += [
        f"{task}: Spearman is undefined, as all cosines or all gold scores are equal. It counts as 0." for task in flat
    ]
    mean = mean_over_tasks(table)
    table.attrs = {
        **desk.about(target, " / ".join(sorted(set(filter(None, fitted_on.values()))))),
        "absent": absent,
        "mean": {"label": mean.label, "value": mean.value, "tasks": list(mean.tasks)} if mean else None,
        "notices": notices,
        "marks": {one["name"]: words for one in trained if one and (words := of_overlap(one))},
    }
    return table


def transfer(desk: Desk, told: Told, *, target: Target, data: str, folds: int) -> "DataFrame":
    """See questions.scores.transfer."""
    import pandas

    from workbench.evaluation.transfer import mean_over_tasks
    from workbench.scoring.suites import transfer_sets

    told(0.0, "Reading the transfer tasks")
    sets, absent = transfer_sets(data)
    tables, notices = [], [note for one in sets for note in one.notices]
    for place, one in enumerate(sets):
        found, said_of_it = _classified(
            desk, _part(told, place / len(sets), (place + 1) / len(sets)), target, one, folds
        )
        tables.append(found)
        notices += said_of_it
    told(1.0, "Looking for the sentences among the training texts")
    trained = seen_by(target, [one.as_pairs() for one in sets])
    notices += [note for one in trained for note in said(one)]
    table = pandas.concat(tables, ignore_index=True)
    mean = mean_over_tasks(table)
    table.attrs = {
        **desk.about(target, " / ".join(sorted(set(filter(None, table["fitted_on"]))))),
        "absent": absent,
        "mean": {"label": mean.label, "value": mean.value} if mean else None,
        "folds": folds,
        "notices": notices,
        "marks": {one["name"]: words for one in trained if one and (words := of_overlap(one))},
    }
    return table


def _classified(
    desk: Desk, told: Told, target: Target, one: "TransferSet", folds: int
) -> tuple["DataFrame", list[str]]:
    """The row of one transfer task, and what must be known of it. What a transform is fitted on is the task's sentences."""
    import numpy as np
    import torch
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    from workbench.evaluation.transfer import transfer as classify

    texts = list(dict.fromkeys(one.texts()))
    fitted = desk.fit(target, told, scored=texts)
    vectors = dict(zip(texts, fitted.vectors(texts, _part(told, 0.0, ENCODING)), strict=True))

    def encode(asked: list[str]) -> "NDArray[floating]":
        return np.stack([vectors[text] for text in asked])

    # Folds beside each other take the cores better than products within one.
    with threadpool_limits(1), parallel_config("threading", n_jobs=torch.get_num_threads()):
        table = classify(encode, [one], folds=folds, progress=_part(told, ENCODING, 1.0))
    return table.assign(fitted_on=fitted.on), [f"{one.task}: {note}" for note in fitted.said_of(texts)]


def _part(told: Told, start: float, end: float) -> Told:
    """How far a part is, told as how far the whole is."""
    return lambda share, words: told(start + (end - start) * share, words)
