"""Published result tables, for comparison with one's own."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.evaluation import METHODS
from workbench.ui.kit.address import choose_button, choose_several
from workbench.ui.kit.asking import ask
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import footing, quiet
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import count, figure, html
from workbench.ui.targets.names import target_name
from workbench.verbs import evaluate

if TYPE_CHECKING:
    from pandas import DataFrame

KINDS = {
    "sts": (
        "STS",
        "Spearman × 100 on test sets, mostly over all pairs of a task; a note says if a paper aggregated differently. "
        "These are full trainings of BERT-base and larger models: do not rank a short run of a MiniLM among them.",
    ),
    "transfer": (
        "Transfer",
        "Accuracy in per cent of a classifier on frozen vectors, ten folds. Full trainings of BERT-base and larger models.",
    ),
}
"""The tables by name: their title and what their numbers mean."""
TITLES = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STS-B",
    "sickr": "SICK-R",
    "subj": "SUBJ",
    "mpqa": "MPQA",
    "sst2": "SST-2",
    "trec": "TREC",
    "mrpc": "MRPC",
    "mr": "MR",
    "cr": "CR",
}
SUPERVISION = {
    "unsup": "no labels",
    "unsup-target": "no labels, texts of the tasks",
    "nli": "NLI labels",
    "nli+target": "NLI labels, texts of the tasks",
}


SMALL_TABLES = "small"
_FILTERS = {
    "method": "Methods",
    "backbone": "Backbones",
    "supervision": "Trained with",
    "pooling": "Pooling",
    "source": "Sources",
    "transductive": "Texts of the tasks",
}


def published_results(targets: Sequence[str], asked: "Mapping[str, Mapping[str, Any]]") -> None:
    """Published rows below one's own, each with its source, filtered by what is chosen; in an expander. `asked` are the requests
    of the suites on this page, whose answers are one's own rows.
    """
    part = folded("Published results", key="literature")
    if part is None:
        return
    with part:
        kind = choose_button(
            "Tasks",
            [*KINDS, SMALL_TABLES],
            key="literature.tasks",
            start=next(iter(KINDS)),
            shown=lambda name: KINDS[name][0] if name in KINDS else "Smaller tables",
        )
        if kind == SMALL_TABLES:
            _small_tables()
        else:
            _rows_with_ones_own(kind, targets, asked.get(kind, {}))


def _rows_with_ones_own(kind: str, targets: Sequence[str], asked: "Mapping[str, Any]") -> None:
    from workbench.data.literature import TASKS, published_rows

    quiet(KINDS[kind][1])
    table = published_rows(kind)
    if "supervision" in table:
        table["supervision"] = table["supervision"].map(SUPERVISION)
        table["transductive"] = table["transductive"].map({True: "transductive", False: "not seen"})
    filters = [name for name in _FILTERS if name in table]
    for name, box in zip(filters, st.columns(len(filters), gap="small"), strict=True):
        with box:
            chosen = choose_several(
                _FILTERS[name],
                sorted(set(table[name])),
                key=f"literature.{name}",
                start=[],
                typed=False,
            )
        table = table[table[name].isin(chosen)] if chosen else table
    mine = _own(kind, targets, asked)
    if mine is not None:
        import pandas

        table = pandas.concat([mine, table], ignore_index=True)
        quiet("Your rows come first. They have an average only if all tasks are there, each as published.")
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        column_config={
            **{name: st.column_config.NumberColumn(TITLES[name], format="%.2f", width="small") for name in TASKS[kind]},
            "avg": st.column_config.NumberColumn("Average", format="%.2f", width="small"),
            "method": st.column_config.TextColumn("Method", pinned=True),
            "backbone": "Backbone",
            "supervision": "Trained with",
            "pooling": "Pooling",
            "source": "Source",
            "note": "Note",
            "transductive": "Texts of the tasks",
        },
        alt="Published results with their sources, below one's own",
    )


def _own(kind: str, targets: Sequence[str], asked: "Mapping[str, Any]") -> "DataFrame | None":
    """One's own rows of a suite, in the columns and units of the published ones; None while there are none."""
    from pandas import DataFrame

    if not asked:
        return None
    rows = []
    for number, target in enumerate(targets):
        table = ask(evaluate.VERB, slot=f"compare.{kind}.{number}", target=target, **asked).result
        if table is not None:
            rows.append({"method": target_name(target), "source": "computed here", **own_scores(kind, table)})
    return DataFrame(rows) if rows else None


def own_scores(kind: str, table: "DataFrame") -> dict[str, float]:
    """The score of each published task by a suite's answer, times 100, and `avg` only where the answer has one by that name: of
    all tasks, each as published.
    """
    from workbench.data.literature import TASKS

    scores = table.drop_duplicates("task").set_index("task")[METHODS[kind].score]
    found = {task: 100 * float(scores[task]) for task in TASKS[kind] if task in scores.index}
    mean = table.attrs.get("mean") or {}
    return found | ({"avg": 100 * float(mean["value"])} if mean.get("label") == "avg" else {})


def _small_tables() -> None:
    """The smaller tables of papers, one below the other."""
    from workbench.data.literature import SMALL, small_rows

    table = small_rows()
    for name, title in SMALL.items():
        rows = table[table["table"] == name]
        first, second = rows["first"].iloc[0], rows["second"].iloc[0]
        lines = [
            f"<tr><td class='words'>{html(row['row'])}{_note(row['note'])}</td><td>{_figure(row['first_value'])}</td>"
            + (f"<td>{_figure(row['second_value'])}</td>" if second else "")
            + "</tr>"
            for row in rows.to_dict("records")
        ]
        st.html(f"<h4>{html(title)}</h4>")
        head = f"<th class='words'></th><th>{html(first)}</th>" + (f"<th>{html(second)}</th>" if second else "")
        sheet(head, lines)
        footing(f"{rows['source'].iloc[0]}; as printed, scores × 100.")


def _note(words: str) -> str:
    return f"<br><small>{html(words)}</small>" if words else ""


def _figure(value: float) -> str:
    """As printed: two decimals, a count of steps without."""
    return count(int(value)) if value > 100 else figure(value)
