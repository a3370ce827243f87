"""Tables of suites: a row a target, a column a task, and an average only where the literature has one."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.data.marks import TRANSDUCTIVE
from workbench.ui.asking import Question
from workbench.ui.figures import download, takeaway
from workbench.ui.tables import fitted_on, rules_of, say_notices, sheet, swatches_of
from workbench.ui.takeaways import suite_leaders
from workbench.ui.targets import chosen_on, target_name
from workbench.ui.words import DASH, html, interval, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame

_HOW = {
    "all": "one correlation over all pairs of a task",
    "mean": "correlations of a task's subsets, averaged",
    "wmean": "correlations of a task's subsets, averaged by their numbers of pairs",
}


def sts_table(targets: list[str], questions: Sequence[Question], how: str) -> None:
    """Spearman of each STS task, subsets taken together as `how` says.

    An average only where all seven tasks are, each with its official number of pairs.
    """
    from workbench.data.tasks import TASKS

    tables = _answers(targets, questions)
    first = next(iter(tables.values()))
    takeaway(_point(tables, how, "Spearman"))
    rows = {
        target: _row(target, table, _shown(table, lambda row: _score(row, how)), _chosen(target, table))
        for target, table in tables.items()
    }
    # The mean over tasks is that of `all`: beside other aggregations it would be a number of another kind.
    _suite(tables, rows, mean=how == "all")
    said = [f"Spearman × 100, {_HOW[how]}, 95 % bootstrap intervals; ties are not tested here"]
    odd = [
        f"{row['task']} ({row['n']:,}, not {TASKS[row['task']].splits['test']:,})"
        for row in first.to_dict("records")
        if not row.get("official", True)
    ]
    why = [f"not with the official number of pairs: {', '.join(odd)}"] if odd else []
    _footing(tables, said, why)
    download(_joined(tables), "sts.csv")


def transfer_table(targets: list[str], questions: Sequence[Question]) -> None:
    """Accuracy of each transfer task, and that of naming the most frequent class always.

    An average only where all seven tasks are, each as published.
    """
    from workbench.evaluation._classifying import FOLDS

    tables = _answers(targets, questions)
    first = next(iter(tables.values()))
    takeaway(_point(tables, "accuracy", "accuracy"))
    rows = {target: _row(target, table, _shown(table, _accuracy), []) for target, table in tables.items()}
    rows[""] = (
        "the most frequent class, always",
        {row["task"]: score(row["majority"]) for row in first.to_dict("records")},
    )
    _suite(tables, rows, mean=True)
    folds = first.attrs["folds"]
    said = [
        "Accuracy in per cent of a logistic regression on frozen vectors (F1 beside it for pairs), 95 % Wilson intervals; "
        "ties are not tested here",
        f"the regulariser chosen on training rows alone, {folds} folds",
    ]
    odd = [row["task"] for row in first.to_dict("records") if not row["official"]]
    why = [f"{folds} folds, not the published {FOLDS}"] if folds != FOLDS else []
    why += [f"not as published: {', '.join(odd)}"] if odd and not why else []
    _footing(tables, said, why)
    download(_joined(tables), "transfer.csv")


def _answers(targets: Sequence[str], questions: Sequence[Question]) -> "dict[str, DataFrame]":
    asked = zip(targets, questions, strict=True)
    return {target: question.result for target, question in asked if question.result is not None}


def _tasks(tables: "Mapping[str, DataFrame]") -> list[str]:
    return list(dict.fromkeys(task for table in tables.values() for task in table["task"]))


def _point(tables: "Mapping[str, DataFrame]", column: str, what: str) -> str:
    """Who leads on how many tasks."""
    tasks = _tasks(tables)
    if len(tables) < 2:
        return f"{len(tasks)} {'task is' if len(tasks) == 1 else 'tasks are'} present."
    values = {
        target_name(target): dict(zip(table["task"], table[column], strict=True)) for target, table in tables.items()
    }
    return suite_leaders(values, tasks, what)


def _shown(table: "DataFrame", cell: Callable[[Mapping[str, Any]], str]) -> dict[str, str]:
    """What a target's row says in the column of each task, and of their mean."""
    mean = (table.attrs.get("mean") or {}).get("value")
    rows = table.drop_duplicates("task").to_dict("records")
    return {str(row["task"]): cell(row) for row in rows} | {"": score(mean)}


def _score(row: Mapping[str, Any], how: str) -> str:
    spread = (row.get("low"), row.get("high")) if how == "all" else (None, None)
    return score(row.get(how)) + _span(*spread)


def _accuracy(row: Mapping[str, Any]) -> str:
    f1 = "" if missing(row["f1"]) else f"<br><small>F1 {score(row['f1'])}</small>"
    return score(row["accuracy"]) + _span(row["low"], row["high"]) + f1


def _span(low: Any, high: Any) -> str:
    return "" if missing(low) else f"<br><small>{interval(low, high)}</small>"


def _chosen(target: str, table: "DataFrame") -> list[str]:
    names = [row.task for row in table.itertuples() if chosen_on(target, f"{row.task}:{row.split}")]
    return [f"its step was chosen on {', '.join(names)}"] if names else []


def _row(target: str, table: "DataFrame", cells: dict[str, str], marks: list[str]) -> tuple[str, dict[str, str]]:
    """The name of a target with its marks, and its cells."""
    marks = [*marks, *_marks(table)]
    return html(target_name(target)) + (f" <small>{html(', '.join(marks))}</small>" if marks else ""), cells


def _suite(tables: "Mapping[str, DataFrame]", rows: Mapping[str, tuple[str, dict[str, str]]], *, mean: bool) -> None:
    """The sheet: tasks across, targets down, and last their mean, if it may stand there."""
    swatches = swatches_of(list(tables))
    label = (next(iter(tables.values())).attrs.get("mean") or {}).get("label") if mean else None
    columns = [*_tasks(tables), *([""] if label else [])]
    lines = [
        f'<tr><td class="words">{swatches.get(target, "")}{name}</td>'
        + "".join(f"<td>{cells.get(column, DASH if target else '')}</td>" for column in columns)
        + "</tr>"
        for target, (name, cells) in rows.items()
    ]
    head = "".join(f"<th>{html(column or str(label))}</th>" for column in columns)
    sheet(f"<th class='words'>&nbsp;</th>{head}", lines)


def _footing(tables: "Mapping[str, DataFrame]", said: list[str], why: list[str]) -> None:
    """What holds of all numbers, why there is no average, and what must be known of some."""
    first = next(iter(tables.values()))
    sizes = ", ".join(f"{row.task} {row.n:,}" for row in first.itertuples())
    said = [*said, f"n: {sizes}"]
    if absent := first.attrs.get("absent"):
        why = [f"not in this folder: {', '.join(map(str, absent))}", *why]
    said += [f"{'; '.join(why)}, so there is no average over all seven"] if why else []
    for name, words in (("precision", "precision"), ("max_length", "tokens kept:")):
        known = sorted({str(table.attrs[name]) for table in tables.values() if table.attrs.get(name)})
        said += [f"{words} {' / '.join(known)}"] if known else []
    said += fitted_on(table.attrs.get("fitted_on") for table in tables.values())
    said += rules_of(map(_marks, tables.values()))
    st.html(f'<p class="footing">{html("; ".join(said))}.</p>')
    say_notices(
        {target_name(target): {"notices": table.attrs.get("notices") or ()} for target, table in tables.items()}
    )


def _marks(table: "DataFrame") -> list[str]:
    """The marks of a target's scores, each with the tasks that have it if they are not all."""
    marked = {str(name).partition(":")[0]: str(words) for name, words in (table.attrs.get("marks") or {}).items()}
    if TRANSDUCTIVE in str(table.attrs.get("fitted_on")):
        marked = dict.fromkeys(table["task"], TRANSDUCTIVE) | marked
    found = []
    for words in dict.fromkeys(marked.values()):
        names = [name for name, own in marked.items() if own == words]
        found.append(words if set(names) >= set(table["task"]) else f"{words} on {', '.join(names)}")
    return found


def _joined(tables: "Mapping[str, DataFrame]") -> "DataFrame":
    import pandas

    return pandas.concat([table.assign(target=target) for target, table in tables.items()])
