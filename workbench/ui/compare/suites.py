"""Tables of suites: a row per target, a column per task, and an average only under the published protocol."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.core.records import Row
from workbench.data.marks import TRANSDUCTIVE
from workbench.data.tables import header_of, table_of, usual_places
from workbench.evaluation import METHODS, Suite
from workbench.statistics.linked_pairs import of_rows
from workbench.ui.compare.fetching import fetch_sets
from workbench.ui.compare.imported import imported_results
from workbench.ui.compare.scores import swatches_of
from workbench.ui.compare.takeaways import suite_leaders
from workbench.ui.kit.address import choose, choose_several, just_entered
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.folders import allowed_folders, inside
from workbench.ui.kit.forms import settings_form
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.notices import empty, footing, trouble
from workbench.ui.kit.score_notes import fitted_on, rules_of, say_notices, sheet
from workbench.ui.kit.words import DASH, html, interval, join_names, missing, score
from workbench.ui.targets.names import chosen_on, target_name
from workbench.verbs import evaluate

if TYPE_CHECKING:
    from pandas import DataFrame


def show_suites(targets: list[str]) -> dict[str, Mapping[str, object]]:
    """A section per chosen suite: its folder, its settings, and the table once computed. Returns the requests by suite."""
    names = sorted(METHODS, key=lambda name: name != presets.SUITE)  # the usual one first
    named = [name for name in names if name in st.query_params or st.session_state.get(name)]
    if just_entered("suites") and "suites" in st.session_state:  # a link to a folder opens its section
        held = list(st.session_state["suites"])
        st.session_state["suites"] = [
            *held,
            *(name for name in names if st.query_params.get(name) and name not in held),
        ]
    chosen = choose_several(
        "Suites",
        names,
        key="suites",
        start=list(dict.fromkeys([presets.SUITE, *named])),
        shown=lambda name: METHODS[name].title,
        typed=False,
        help="Each is a protocol with data of its own: published tasks in a folder, or a table of yours.",
    )
    fetch_sets()
    requests = {name: asked for name in names if name in chosen and (asked := _section(METHODS[name], targets))}
    imported_results()
    return requests


def _section(suite: Suite, targets: list[str]) -> Mapping[str, object]:
    st.header(suite.title)
    box, beside = st.columns([3, 1], gap="medium")
    folder = box.text_input(
        f"Table or folder with {suite.noun} data" if suite.roles else f"Folder with {suite.noun} data",
        key=suite.id,
        bind="query-params",
        placeholder="Path of a table or folder, then Enter" if suite.roles else "Path of a folder, then Enter",
    ).strip()
    with beside:
        settings = settings_form(suite.settings, prefix=f"{suite.id}.", values=suite.quick, bound=True, across=1)
        column = _aggregation(suite)
    if not inside(folder):
        offer = f": {suite.offer}" if suite.offer else ""
        entered = "a table or folder" if suite.roles else "the folder"
        empty(f"No {suite.noun} data chosen.", f"Enter {entered} above{offer}. What it may be: {suite.layouts}.")
        return {}
    try:
        folder, lacking = _with_columns(suite, folder)
    except WorkbenchError as error:
        trouble(error)
        return {}
    if lacking:
        empty(f"Which column is the {join_names(lacking)}?", "Choose it above: the names do not say.")
        return {}
    asked: dict[str, object] = {"suite": suite.id, "data": folder, **({"settings": settings} if settings else {})}
    questions = [
        ask(evaluate.VERB, slot=f"compare.{suite.id}.{number}", doing=suite.doing, target=target, **asked)
        for number, target in enumerate(targets)
    ]
    when_answered(questions, lambda: suite_table(suite, targets, questions, column), partial=True, height=220)
    return asked


def _with_columns(suite: Suite, path: str) -> tuple[str, list[str]]:
    """The path with the columns chosen for a table of one's own, where they are not those that their names suggest, and the
    roles that still lack one.
    """
    named = table_of(path, allowed_folders()) if suite.roles else None
    if not named or named[1] is not None:
        return path, []
    header = header_of(named[0], suite.roles)
    usual = usual_places(header, suite.roles, set(), set())
    chosen: dict[str, str] = {}
    for (role, about), box in zip(suite.roles.items(), st.columns(len(suite.roles), gap="small"), strict=True):
        start = header[usual[role]] if role in usual else ""
        with box:
            chosen[role] = choose(
                f"Column of the {role}",
                [*(() if about.needed and start else ("",)), *dict.fromkeys(header)],
                key=f"{suite.id}.{role}",
                start=start,
                shown=lambda name: name or "none",
            )
    lacking = [role for role, about in suite.roles.items() if about.needed and not chosen[role]]
    if not lacking and chosen == {role: header[usual[role]] if role in usual else "" for role in suite.roles}:
        return path, []
    assigned = (f"{role}={column or 'none'}" for role, column in chosen.items())
    return f"{path}#{','.join(assigned)}", lacking


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
    lower = suite.tags["direction"].startswith("lower")
    takeaway(_lead(tables, column, suite.score_title, lower_is_better=lower))
    rows = {
        target: _row(target, table, _shown(table, lambda row: _cell(suite, row, column)), _chosen(target, table))
        for target, table in tables.items()
    }
    whole = first.drop_duplicates("task").to_dict("records")
    baselines = [
        (html(words), {row["task"]: score(row[name]) for row in whole}) for name, words in suite.baselines.items()
    ]
    # The mean over tasks uses the score; next to another aggregation it would not be comparable.
    _sheet(tables, rows, baselines, mean=column == suite.score)
    way = f", {suite.aggregations[column]}" if column in suite.aggregations else ""
    spread = f", 95 % {suite.interval} intervals" if column == suite.score else ""
    caption = [f"{suite.measure.format_map(first.attrs)}{way}{spread}; ties are not tested here", *suite.details]
    _footing(suite, tables, caption)
    _details(suite, tables)
    download(_joined(tables), f"{suite.id}.csv")


def _answers(targets: Sequence[str], questions: "Sequence[Question[DataFrame]]") -> "dict[str, DataFrame]":
    asked = zip(targets, questions, strict=True)
    return {target: question.result for target, question in asked if question.result is not None}


def _tasks(tables: "Mapping[str, DataFrame]") -> list[str]:
    return list(dict.fromkeys(task for table in tables.values() for task in table["task"]))


def _lead(tables: "Mapping[str, DataFrame]", column: str, what: str, *, lower_is_better: bool) -> str:
    """Who leads on how many tasks."""
    tasks = _tasks(tables)
    if len(tables) < 2:
        return f"{len(tasks)} {'task is' if len(tasks) == 1 else 'tasks are'} present."
    values = {
        target_name(target): table.drop_duplicates("task").set_index("task")[column].to_dict()
        for target, table in tables.items()
    }
    return suite_leaders(values, tasks, what, lower_is_better=lower_is_better)


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


MOST_DETAILS = 40
"""Rows of details shown of each target; all are in the download."""


def _details(suite: Suite, tables: "Mapping[str, DataFrame]") -> None:
    """Where a task has several rows, such as groups, the worst first: each with its interval and the baselines."""
    swatches, lines, left_out = swatches_of(list(tables)), [], 0
    for target, table in tables.items():
        rows = table.to_dict("records") if table.duplicated("task").any() else []
        left_out += max(0, len(rows) - MOST_DETAILS)
        for row in rows[:MOST_DETAILS]:
            apart = [html(str(row["task"])), *(html(str(row[name]) or "all") for name in suite.by), f"{row['n']:,}"]
            numbers = [_cell(suite, row, suite.score), *(score(row[name]) for name in suite.baselines)]
            first = f'<td class="words">{swatches.get(target, "")}{html(target_name(target))}</td>'
            lines.append(f"<tr>{first}{''.join(f'<td>{cell}</td>' for cell in [*apart, *numbers])}</tr>")
    if not lines:
        return
    head = ["task", *suite.by, "n", suite.score_title, *suite.baselines.values()]
    sheet(f"<th class='words'>Encoder</th>{''.join(f'<th>{html(name)}</th>' for name in head)}", lines)
    if left_out:
        footing(f"{left_out:,} more rows are in the download.")


Cells = tuple[str, dict[str, str]]
"""What a line of the sheet begins with, and its cells by task."""


def _sheet(
    tables: "Mapping[str, DataFrame]", rows: Mapping[str, Cells], baselines: Sequence[Cells], *, mean: bool
) -> None:
    """The sheet: tasks across, targets and baselines down, and the mean last if it is allowed."""
    swatches = swatches_of(list(tables))
    label = (next(iter(tables.values())).attrs.get("mean") or {}).get("label") if mean else None
    columns = [*_tasks(tables), *([""] if label else [])]
    lines = [
        f'<tr><td class="words">{swatches.get(target, "")}{name}</td>'
        + "".join(f"<td>{cells.get(column, DASH if target else '')}</td>" for column in columns)
        + "</tr>"
        for target, (name, cells) in [*rows.items(), *(("", cells) for cells in baselines)]
    ]
    head = "".join(f"<th>{html(column or str(label))}</th>" for column in columns)
    sheet(f"<th class='words'>Encoder</th>{head}", lines)


def _footing(suite: Suite, tables: "Mapping[str, DataFrame]", protocol: list[str]) -> None:
    """The protocol, why there is no average, and notes about some of the numbers."""
    first = next(iter(tables.values()))
    sizes = ", ".join(f"{row.task} {row.n:,}" for row in first.drop_duplicates("task").itertuples())
    lines = [*protocol, f"n: {sizes}"]
    why = suite.unofficial(first)
    if absent := first.attrs.get("absent"):
        why = [f"not in this folder: {', '.join(map(str, absent))}", *why]
    averaged = suite.published_mean and len(suite.tasks) > 1
    why_not = f", so there is no average over all {len(suite.tasks)}" if averaged else ""
    lines += [f"{'; '.join(why)}{why_not}"] if why else []
    for name, words in (("precision", "precision"), ("max_length", "maximum tokens")):
        known = sorted({str(table.attrs[name]) for table in tables.values() if table.attrs.get(name)})
        lines += [f"{words} {' / '.join(known)}"] if known else []
    lines += fitted_on(table.attrs.get("fitted_on") for table in tables.values())
    lines += rules_of(map(_marks, tables.values()))
    lines += of_rows(first.to_dict("records"), named="task")
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
