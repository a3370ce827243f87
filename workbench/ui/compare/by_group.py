"""Verdicts within groups of pairs: by task, subset, genre, length or slice, the worst group first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.scoring.pair_groups import BY, offered
from workbench.statistics.against import against
from workbench.statistics.decimals import signed_difference
from workbench.statistics.linked_pairs import of_rows
from workbench.store.slices import Slice
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.figures import show_made
from workbench.ui.kit.notices import footing
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, html, interval, score
from workbench.verbs.compare_methods import ComparedMethods

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

WITHIN = "within"
"""Session key: what the pairs are grouped by."""
ALL = "all"
MOST_ROWS = 30
"""Of the forest plot; the table has all."""
_MARKS = {"better": "▲", "worse": "▼", "tie": "="}


def pick_groups(pairs: str) -> dict[str, object]:
    """What the pairs are grouped by, as arguments of the verb; empty for all pairs together."""
    slices = [kept for kept in api.slices() if kept.pairs == pairs]
    kinds = {ALL: "All pairs", **{kind: BY[kind] for kind in offered(pairs, slices)}}
    chosen = choose_button(
        "Differences by",
        list(kinds),
        key=WITHIN,
        start=ALL,
        shown=kinds.__getitem__,
        help="Differences within groups of pairs, the worst group first. Slices are selections of pairs, named on Explore.",
    )
    return _arguments(chosen, slices)


def chosen_groups(pairs: str) -> dict[str, object]:
    """What `pick_groups` returned when it was last drawn."""
    return _arguments(st.session_state.get(WITHIN) or ALL, [kept for kept in api.slices() if kept.pairs == pairs])


def _arguments(chosen: str, slices: Sequence[Slice]) -> dict[str, object]:
    if chosen == "slice":
        return {"slices": [kept.name for kept in slices]}
    return {} if chosen == ALL else {"by": chosen}


def show_groups(
    answer: ComparedMethods,
    names: Mapping[str, str],
    colours: Mapping[str, str],
    baseline: str,
    shown: Sequence[str],
) -> None:
    """The forest plot of the differences from the baseline in each group, of the methods `shown`; `names` and `colours` are by
    method.
    """
    rows = rows_by_group(answer, baseline)
    rows = rows[rows["method"].isin(list(shown))]
    rows = rows.assign(
        label=[names[name] for name in rows["method"]], colour=[colours[name] for name in rows["method"]]
    )

    def make() -> "Figure":
        from workbench.plots.forest import forest, said_by_group

        return forest(
            rows[:MOST_ROWS], baseline=names[baseline], takeaway=said_by_group(rows, names[baseline]), dark=dark()
        )

    how = _how(answer, names[baseline], len(rows))
    show_made(make, rows, names[baseline], key="forest", caption=how, data=answer.group_differences)


def rows_by_group(answer: ComparedMethods, baseline: str) -> "DataFrame":
    """The differences from the baseline in each group, the worst group first."""
    from workbench.plots.forest import worst_group_first

    return worst_group_first(against(_every_two(answer), baseline))


def _every_two(answer: ComparedMethods) -> "DataFrame":
    assert answer.group_differences is not None, "the answer is by group"
    return answer.group_differences


def show_group_table(
    answer: ComparedMethods, names: Mapping[str, str], swatches: Mapping[str, str], baseline: str
) -> None:
    """Scores by group, a row per group and a column per method, with the verdict against the baseline."""
    rows = rows_by_group(answer, baseline)
    verdicts = {(row["group"], row["method"]): row for row in rows.to_dict("records")}
    means = answer.group_means
    assert means is not None, "the answer is by group"

    def draw() -> None:
        order = list(answer.methods.sort_values("mean", ascending=False)["method"])
        cells = {(row["group"], row["method"]): row for row in means.to_dict("records")}
        sizes = dict(zip(means["group"], means["n"], strict=True))
        lines = []
        for group in dict.fromkeys(rows["group"]):
            line = f'<td class="words">{html(group)}<br><small>n = {count(sizes[group])}</small></td>'
            for name in order:
                mean, row = cells[group, name], verdicts.get((group, name))
                said = "baseline"
                if row:
                    said = f"{_MARKS[row['verdict']]} {signed_difference(row['delta'], row['low'], row['high'])}"
                    said = said if row["verdict"] == "tie" else f"<b>{said}</b>"
                line += (
                    f"<td>{score(mean['mean'])}<br><small>{interval(mean['low'], mean['high'])}<br>{said}</small></td>"
                )
            lines.append(f"<tr>{line}</tr>")
        head = "".join(f"<th>{swatches[name]}{html(names[name])}</th>" for name in order)
        sheet(f"<th class='words'>{html(BY[answer.by])}</th>{head}", lines)
        footing(
            f"{pairs_name(answer.pairs)}; Spearman × 100 with 95 % intervals; differences from {names[baseline]}: ▲ better, "
            f"▼ worse, at a level of 5 % for every two methods in every group together (Holm, {len(_every_two(answer))} tests); "
            "= a tie."
        )

    once(draw, "group table", rows, means, names, swatches, baseline)


def _how(answer: ComparedMethods, baseline: str, rows: int) -> str:
    where = "tasks of the same folder" if answer.by == "task" else pairs_name(answer.pairs)
    means = answer.group_means if answer.group_means is not None else answer.methods
    recurring = "".join(f"; {rule}" for rule in of_rows(means.to_dict("records"), named="group"))
    shown = f"; the first {MOST_ROWS} of {rows} rows, all are in the table" if rows > MOST_ROWS else ""
    return (
        f"{where}; differences from {baseline} within each group, the worst group first; 95 % intervals over its pairs, and over "
        "seeds where there are several; better or worse: p of at most .05, adjusted by Holm for every two methods in every group "
        f"({len(_every_two(answer))} tests){shown}{recurring}."
    )
