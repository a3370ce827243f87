"""Tables of suites: a row per target, a column per task, and an average only under the published protocol."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import presets
from workbench.core.records import Row
from workbench.data.marks import TRANSDUCTIVE
from workbench.evaluation import METHODS, Suite
from workbench.ui.compare.scores import swatches_of
from workbench.ui.compare.takeaways import suite_leaders
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.folders import inside
from workbench.ui.kit.forms import settings_form
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.notices import empty, footing
from workbench.ui.kit.score_notes import fitted_on, rules_of, say_notices, sheet
from workbench.ui.kit.words import DASH, html, interval, missing, score
from workbench.ui.targets.names import chosen_on, target_name
from workbench.verbs import evaluate

if TYPE_CHECKING:
    from pandas import DataFrame


def show_suites(targets: list[str]) -> dict[str, Mapping[str, object]]:
    """A section per suite: its folder, its settings, and the table once computed. Returns the requests by suite."""
    ordered = sorted(METHODS.items(), key=lambda item: item[0] != presets.SUITE)  # the usual one first
    return {name: asked for name, suite in ordered if (asked := _section(suite, targets))}


def _section(suite: Suite, targets: list[str]) -> Mapping[str, object]:
    st.header(suite.title)
    box, beside = st.columns([3, 1], gap="medium")
    folder = box.text_input(
        f"Folder with {suite.noun} data",
        key=suite.id,
        bind="query-params",
        placeholder="Path of a folder, then Enter",
    )
    with beside:
        settings = settings_form(suite.settings, prefix=f"{suite.id}.", values=suite.quick, bound=True, across=1)
        column = _aggregation(suite)
    if not inside(folder):
        offer = f": {suite.offer}" if suite.offer else ""
        empty(f"No {suite.noun} data chosen.", f"Enter the folder above{offer}. What it may hold: {suite.layouts}.")
        return {}
    asked: dict[str, object] = {"suite": suite.id, "data": folder, **({"settings": settings} if settings else {})}
    questions = [
        ask(evaluate.VERB, slot=f"compare.{suite.id}.{number}", doing=suite.doing, target=target, **asked)
        for number, target in enumerate(targets)
    ]
    when_answered(questions, lambda: suite_table(suite, targets, questions, column), partial=True, height=220)
    return asked


def _aggregation(suite: Suite) -> str:
    """The column to show: the score, or another aggregation of a task's subsets."""
    if not suite.aggregations:
        return suite.score
    shown = st.segmented_control(
        "Subsets",
        list(suite.aggregations),
        default=suite.score,
        required=True,
        key=f"{suite.id}.column",
        bind="query-params",
        help=". ".join(f"{name}: {words}" for name, words in suite.aggregations.items()) + ".",
    )
    return str(shown or suite.score)


def suite_table(suite: Suite, targets: list[str], questions: "Sequence[Question[DataFrame]]", column: str = "") -> None:
    """The score of each task, or another `column`, one row per target and one for the baseline.

    An average only if all tasks are present, each as published.
    """
    column = column or suite.score
    tables = _answers(targets, questions)
    first = next(iter(tables.values()))
    takeaway(_lead(tables, column, suite.score_title))
    rows = {
        target: _row(target, table, _shown(table, lambda row: _cell(suite, row, column)), _chosen(target, table))
        for target, table in tables.items()
    }
    if suite.baseline:
        name, words = suite.baseline
        rows[""] = (html(words), {row["task"]: score(row[name]) for row in first.to_dict("records")})
    # The mean over tasks uses the score; next to another aggregation it would not be comparable.
    _sheet(tables, rows, mean=column == suite.score)
    way = f", {suite.aggregations[column]}" if column in suite.aggregations else ""
    spread = f", 95 % {suite.interval} intervals" if column == suite.score else ""
    caption = [f"{suite.measure.format_map(first.attrs)}{way}{spread}; ties are not tested here", *suite.details]
    _footing(suite, tables, caption)
    download(_joined(tables), f"{suite.id}.csv")


def _answers(targets: Sequence[str], questions: "Sequence[Question[DataFrame]]") -> "dict[str, DataFrame]":
    asked = zip(targets, questions, strict=True)
    return {target: question.result for target, question in asked if question.result is not None}


def _tasks(tables: "Mapping[str, DataFrame]") -> list[str]:
    return list(dict.fromkeys(task for table in tables.values() for task in table["task"]))


def _lead(tables: "Mapping[str, DataFrame]", column: str, what: str) -> str:
    """Who leads on how many tasks."""
    tasks = _tasks(tables)
    if len(tables) < 2:
        return f"{len(tasks)} {'task is' if len(tasks) == 1 else 'tasks are'} present."
    values = {
        target_name(target): dict(zip(table["task"], table[column], strict=True)) for target, table in tables.items()
    }
    return suite_leaders(values, tasks, what)


def _shown(table: "DataFrame", cell: Callable[[Row], str]) -> dict[str, str]:
    """A target's cells by task, and under "" the mean."""
    mean = (table.attrs.get("mean") or {}).get("value")
    rows = table.drop_duplicates("task").to_dict("records")
    return {str(row["task"]): cell(row) for row in rows} | {"": score(mean)}


def _cell(suite: Suite, row: Row, column: str) -> str:
    spread = _span(row["low"], row["high"]) if column == suite.score else ""
    small = "".join(
        f"<br><small>{html(title)} {score(row[name])}</small>"
        for name, title in suite.beside.items()
        if not missing(row.get(name))
    )
    return score(row.get(column)) + spread + small


def _span(low: float | None, high: float | None) -> str:
    return "" if missing(low) else f"<br><small>{interval(low, high)}</small>"


def _chosen(target: str, table: "DataFrame") -> list[str]:
    if "split" not in table:
        return []
    names = [row.task for row in table.itertuples() if chosen_on(target, f"{row.task}:{row.split}")]
    return [f"selected on {', '.join(names)}"] if names else []


def _row(target: str, table: "DataFrame", cells: dict[str, str], marks: list[str]) -> tuple[str, dict[str, str]]:
    """The name of a target with its marks, and its cells."""
    marks = [*marks, *_marks(table)]
    return html(target_name(target)) + (f" <small>{explained(html(', '.join(marks)))}</small>" if marks else ""), cells


def _sheet(tables: "Mapping[str, DataFrame]", rows: Mapping[str, tuple[str, dict[str, str]]], *, mean: bool) -> None:
    """The sheet: tasks across, targets down, and the mean last if it is allowed."""
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
    sheet(f"<th class='words'>Encoder</th>{head}", lines)


def _footing(suite: Suite, tables: "Mapping[str, DataFrame]", protocol: list[str]) -> None:
    """The protocol, why there is no average, and notes about some of the numbers."""
    first = next(iter(tables.values()))
    sizes = ", ".join(f"{row.task} {row.n:,}" for row in first.itertuples())
    lines = [*protocol, f"n: {sizes}"]
    why = suite.unofficial(first)
    if absent := first.attrs.get("absent"):
        why = [f"not in this folder: {', '.join(map(str, absent))}", *why]
    lines += [f"{'; '.join(why)}, so there is no average over all {len(suite.tasks)}"] if why else []
    for name, words in (("precision", "precision"), ("max_length", "maximum tokens")):
        known = sorted({str(table.attrs[name]) for table in tables.values() if table.attrs.get(name)})
        lines += [f"{words} {' / '.join(known)}"] if known else []
    lines += fitted_on(table.attrs.get("fitted_on") for table in tables.values())
    lines += rules_of(map(_marks, tables.values()))
    footing(f"{'; '.join(lines)}.")
    say_notices(
        {target_name(target): {"notices": table.attrs.get("notices") or ()} for target, table in tables.items()}
    )


def _marks(table: "DataFrame") -> list[str]:
    """The marks of a target's scores, each with its tasks unless it applies to all."""
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
