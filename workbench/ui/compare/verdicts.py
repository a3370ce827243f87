"""What a test says of every method against the baseline, and of every two: better, worse, or a tie, and what a tie may hide."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.records import Row
from workbench.plots.takeaway import least_found
from workbench.statistics.against import against
from workbench.statistics.decimals import signed_difference
from workbench.statistics.linked_pairs import said_of_groups
from workbench.targets.methods import said_of_unpaired
from workbench.targets.target import split
from workbench.ui.compare.budgets import show_budgets
from workbench.ui.compare.by_group import show_group_table, show_groups
from workbench.ui.compare.methods import SHOWN, method_names, styles_by_method
from workbench.ui.compare.seed_strip import WORDS, errors, seed_strip
from workbench.ui.compare.settings import show_settings
from workbench.ui.compare.swatches import swatch
from workbench.ui.kit.choosing_rows import row_button, row_start
from workbench.ui.kit.figures import show_made
from workbench.ui.kit.notices import footing, quiet
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, figure, html, interval, join_names, score
from workbench.ui.targets.names import is_untrained
from workbench.verbs.compare_methods import ComparedMethods

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


def show_verdicts(
    answer: ComparedMethods,
    groups: Mapping[str, list[str]],
    reference: str,
    *,
    shown: Sequence[str] | None,
    by_group: ComparedMethods | None = None,
    joined: str = "",
) -> None:
    """The forest plot and the table of differences from the baseline, what ties could have hidden, and every two methods.

    `groups` are the targets of each method as they are spelled on the page, one of which is the reference; `joined` is the
    reference if the other tables of the page do not have it. The plot has the methods `shown`, which rows choose. With
    `by_group`, the answer within groups of pairs, it is of these, and their scores follow.
    """
    names = method_names(groups)
    mine = next(name for name, own in groups.items() if reference in own)
    if len(names) < 2:
        quiet("There is one method and nothing to test it against. Choose another above, or another baseline.")
        return
    styles = styles_by_method(groups, joined)
    swatches = {name: swatch(style) for name, style in styles.items()}
    colours = {name: style.colour for name, style in styles.items()}
    rows = against(answer.differences, mine)
    rows = rows.assign(
        label=[names[name] for name in rows["method"]], colour=[colours[name] for name in rows["method"]]
    )
    means = answer.methods.set_index("method")

    drawn = rows[rows["method"].isin(list(shown or ()))]
    drawn = drawn if len(drawn) else rows
    tuned = drawn[[split(name).name != split(mine).name and not is_untrained(name) for name in drawn["method"]]]
    spoken_of = tuned if len(tuned) == 1 else drawn

    def make() -> "Figure":
        from workbench.plots.forest import forest, said_against

        point = said_against(spoken_of, names[mine])
        return forest(drawn, baseline=names[mine], takeaway=point, dark=dark())

    plot, table = st.columns([5, 6], gap="large")
    with plot:
        if by_group is not None:
            show_groups(by_group, names, colours, mine, list(drawn["method"]))
        else:
            how = _how(answer, names[mine])
            show_made(make, drawn, spoken_of, names[mine], key="forest", caption=how, data=answer.differences)
    with table:
        seen = leakage(answer)
        choice = {name: shown for name in names if name != mine or not joined}
        strips = _strips(answer, colours)
        once(
            lambda: _table(rows, means, names, swatches, mine, seen, choice, strips),
            *("verdicts", rows, means, names, swatches, mine, seen, choice, strips),
        )
    if by_group is not None:
        show_group_table(by_group, names, swatches, mine)
    seeds = answer.trainings.dropna(subset=["seed"]).groupby("method", sort=False)["seed"].apply(list)
    for line in said_of_unpaired((names[str(name)], own) for name, own in seeds.items()):
        footing(line)
    if (rows["verdict"] == "tie").any():
        _what_it_takes(rows, answer)
    if len(names) > 2:
        with st.expander("Every two methods"):
            once(lambda: _matrix(answer, names, swatches), answer.differences, names, swatches, answer.pairs)
    show_settings(groups, names, swatches)
    show_budgets(groups, names, swatches)


def _table(
    rows: "DataFrame",
    means: "DataFrame",
    names: Mapping[str, str],
    swatches: Mapping[str, str],
    mine: str,
    seen: Mapping[str, str],
    choice: Mapping[str, Sequence[str] | None],
    strips: Mapping[str, str],
) -> None:
    lines = []
    shown = {row["method"]: row for row in rows.to_dict("records")}
    for name in means.sort_values("mean", ascending=False).index:
        row, mean = shown.get(name), means.loc[name]
        spread = f" ± {figure(100 * mean['sd'])}" if mean["seeds"] > 1 else ""
        cells = (
            f"<td>{signed_difference(row['delta'], row['low'], row['high'])}<br>"
            f"<small>{interval(row['low'], row['high'])}</small></td>"
            f'<td class="words">{row["verdict"]}</td><td>{least_found(row["detectable"])}</td>'
            if row
            else '<td></td><td class="words">baseline</td><td></td>'
        )
        lines.append(
            row_start(SHOWN, name, choice.get(name))
            + f'<td class="words">{row_button(name, choice.get(name), swatches[name] + html(names[name]))}'
            + (f"<br><small>seen: {html(seen[name])}</small>" if name in seen else "")
            + "</td>"
            f"<td>{score(mean['mean'])}{spread}<br><small>{interval(mean['low'], mean['high'])}</small>"
            + (f"<br>{strips[name]}<br><small>{errors(mean)}</small>" if name in strips else "")
            + f"</td>{cells}</tr>"
        )
    sheet(
        "<th class='words'>Method</th><th>Spearman<br>× 100 ↑</th><th>Difference</th><th class='words'>Verdict</th>"
        "<th>Detectable<br>with 80 %</th>",
        lines,
        name_above=True,
    )
    if strips:
        footing(WORDS)
    if seen:
        footing(
            "seen: of the scored sentences and whole pairs (both sentences), how many were among the texts that the run, or one "
            "that it started from, was trained on. What a shipped or downloaded encoder was pretrained on is not known here."
        )


def _strips(answer: ComparedMethods, colours: Mapping[str, str]) -> dict[str, str]:
    """The seeds of each method that has several, as a strip."""
    rhos = answer.trainings.groupby("method", sort=False)["spearman"].apply(list)
    several = {str(name): own for name, own in rhos.items() if len(own) > 1}
    low, high = min(map(min, several.values()), default=0.0), max(map(max, several.values()), default=0.0)
    return {name: seed_strip(own, low, high, colours[name]) for name, own in several.items()}


def leakage(answer: ComparedMethods) -> dict[str, str]:
    """How much of the pairs was among the training texts, by method, in words; of several trainings the most. Methods of which
    that is not known are left out.
    """
    known = answer.trainings.dropna(subset=["sentences_seen", "seen_of"])
    most = known.groupby("method", sort=False)[["sentences_seen", "seen_of", "pairs_seen", "gold_seen"]].max()
    words = {}
    for name, row in most.to_dict("index").items():
        gold = f", {count(row['gold_seen'])} with their scores" if row["gold_seen"] else ""
        words[str(name)] = (
            f"{count(row['sentences_seen'])} of {count(row['seen_of'])} texts, "
            f"{count(row['pairs_seen'])} of {count(answer.n)} pairs{gold}"
        )
    return words


def _how(answer: ComparedMethods, baseline: str) -> str:
    """How the intervals and verdicts were made, and what they do not say."""
    means, tests = answer.methods, len(answer.differences)
    several = means.loc[means["seeds"] > 1, "method"]
    single = means.loc[(means["seeds"] == 1) & means["trained"], "method"]
    how = [f"{pairs_name(answer.pairs)}, n = {count(answer.n)}; differences from {baseline} on the same pairs"]
    how += [
        "95 % intervals over pairs and seeds as random effects; ±: standard deviation over seeds"
        if len(several)
        else "95 % paired bootstrap intervals over pairs"
    ]
    adjusted = f", adjusted by Holm for every two methods ({tests} tests)" if tests > 1 else ""
    how += [f"better or worse: p of at most .05{adjusted}"]
    if len(single):
        one = "one training has" if len(single) == 1 else f"{len(single)} trainings have"
        how += [
            f"{one} no second seed: nothing is known of the spread over seeds, and verdicts hold for the single training"
        ]
    how += filter(None, [said_of_groups(answer.n, answer.linked_groups)])
    return "; ".join(how) + "."


def _what_it_takes(rows: "DataFrame", answer: ComparedMethods) -> None:
    """For a difference that the reader names: how many pairs or seeds each tie would have needed to find it."""
    from workbench.statistics.methods import needed_for

    points = st.number_input(
        "A difference that matters, in points",
        min_value=0.1,
        max_value=50.0,
        value=1.0,
        step=0.5,
        format="%.1f",
        key="matters",
        bind="query-params",
        width=260,
        help="In points of Spearman × 100. A tie says that a difference was not found, not that there is none.",
    )
    large, small = [], []
    for row in rows[rows["verdict"] == "tie"].to_dict("records"):
        if 100 * row["detectable"] <= points:
            small.append(row["label"])
            continue
        found = needed_for(row, answer.n, points / 100)
        means = [f"{count(found.pairs)} pairs"] if found.pairs else []
        means += [f"{count(found.seeds)} seeds each"] if found.seeds else []
        what = " or ".join(means) or "more pairs and more seeds: more of either alone is never enough"
        large.append(f"{row['label']}: {what}")
    said = []
    if small:
        said.append(
            f"Of that size, a difference from {join_names(small)} would have been found at least 8 times in 10."
        )
    if large:
        said.append(f"To find it at least 8 times in 10 takes, here n = {count(answer.n)}: {'; '.join(large)}.")
    footing(" ".join(said))


def _matrix(answer: ComparedMethods, names: Mapping[str, str], swatches: Mapping[str, str]) -> None:
    """Every two methods: by how much the row is better than the column, bold where a test says so of all pairs together."""
    order = list(answer.methods.sort_values("mean", ascending=False)["method"])
    cells: dict[tuple[str, str], str] = {}
    for row in answer.differences.to_dict("records"):
        for one, other, sign in ((row["second"], row["first"], 1), (row["first"], row["second"], -1)):
            cells[one, other] = _cell(row, sign)
    head = "".join(f"<th>{number}</th>" for number in range(1, len(order) + 1))
    lines = [
        f'<tr><td class="words">{number} {swatches[name]}{html(names[name])}</td>'
        + "".join(f"<td>{cells.get((name, other), '')}</td>" for other in order)
        + "</tr>"
        for number, name in enumerate(order, 1)
    ]
    sheet(f"<th class='words'>Row minus column</th>{head}", lines)
    tests = len(answer.differences)
    footing(
        f"{pairs_name(answer.pairs)}; Spearman × 100 of the row minus that of the column; ▲ better, ▼ worse, at a level of 5 % "
        f"for all {tests} together (Holm); = a tie."
    )


def _cell(row: Row, sign: int) -> str:
    delta, low, high = (float(str(row[name])) for name in ("delta", "low", "high"))
    delta, shown = sign * delta, signed_difference(sign * delta, low, high)
    if row["verdict"] == "tie":
        return f"= {shown}"
    return f"<b>{'▲' if delta > 0 else '▼'} {shown}</b>"


def ties_with_the_best(answer: ComparedMethods, names: Sequence[str]) -> list[str]:
    """Of the methods with these names, those that no test tells from the one with the highest mean of them."""
    means = answer.methods.set_index("method").loc[list(names), "mean"]
    rows = against(answer.differences, str(means.idxmax()))
    return list(rows.loc[rows["method"].isin(list(names)) & (rows["verdict"] == "tie"), "method"])
