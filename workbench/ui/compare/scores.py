"""Score tables in the style of a paper: intervals next to the numbers, ties named, the protocol in the caption."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.statistics.linked_pairs import of_rows
from workbench.ui.compare.against import show_against
from workbench.ui.compare.methods import SHOWN, by_method, counted_again, method_names, pick_shown, styles_by_method
from workbench.ui.compare.plane import plane_figure
from workbench.ui.compare.swatches import swatch
from workbench.ui.compare.takeaways import leader, leaders
from workbench.ui.compare.verdicts import ties_with_the_best
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.choosing_rows import row_button, row_start
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.glossary import MEASURES, explained
from workbench.ui.kit.notices import footing, quiet
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import fitted_on, mark_of, pairs_name, rules_of, say_notices, sheet
from workbench.ui.kit.words import figure, html, interval, missing, score
from workbench.ui.targets.names import chosen_on, target_name
from workbench.verbs import score as score_verb
from workbench.verbs.compare_methods import ComparedMethods
from workbench.verbs.score import PairScores

if TYPE_CHECKING:
    from pandas import DataFrame


def scores_of(targets: Sequence[str], questions: "Sequence[Question[PairScores]]") -> "DataFrame":
    """One row per target, as `evaluate` measured it."""
    import pandas

    return pandas.DataFrame(
        [{**question.there.scores, "target": target} for target, question in zip(targets, questions, strict=True)]
    )


def score_table(
    targets: list[str],
    questions: "Sequence[Question[PairScores]]",
    pairs: str,
    shown: Sequence[str] | None,
    tested: ComparedMethods | None,
) -> None:
    """Ranking and geometry of each method on one pair set; of several trainings the mean, with the deviation over seeds.
    A row chooses whether its method is among those `shown` in the plots. Ties are said once the methods are `tested`.
    """
    scores = [question.there.scores for question in questions]
    groups, again = by_method(targets), counted_again(targets)
    names = {groups[method][0]: name for method, name in method_names(groups).items()}
    tied = [groups[method][0] for method in ties_with_the_best(tested, list(groups))] if tested else None
    chosen = [own[0] for own in groups.values() if any(chosen_on(target, pairs) for target in own)]
    by_name = styles_by_method(groups)
    styles = {groups[method][0]: by_name[method] for method in groups}
    method_of = {groups[method][0]: method for method in groups}

    def draw() -> None:
        table = method_rows(scores_of(targets, questions), groups, tested)
        ranked = set(table.dropna(subset=["spearman"])["target"])
        takeaway(leader(table, names, tied))
        best = leaders(table, tied) if len(ranked) > 1 and tied == [] else []
        rows = []
        for row in table.sort_values("spearman", ascending=False).to_dict("records"):
            target = row["target"]
            marks = ["tied with the best"] if target in ranked.intersection(tied or ()) else []
            marks += ["selected on these pairs"] if target in chosen else []
            marks += mark_of(row)
            label = row_button(method_of[target], shown, swatch(styles[target]) + html(names[target]))
            name = label + (f" <small>{explained(', '.join(marks))}</small>" if marks else "")
            spread = "" if missing(row["sd"]) else f" ± {figure(100 * row['sd'])}"
            rows.append(
                row_start(SHOWN, method_of[target], shown, "best" if target in best else "")
                + f'<td class="words">{name}</td>'
                f"<td>{score(row['spearman'])}{spread}<br><small>{interval(row['low'], row['high'])}</small></td>"
                f"<td>{figure(row['alignment'])}</td><td>{figure(row['uniformity'])}</td>"
                f"<td>{figure(row['mean_cosine'])}</td></tr>"
            )
        head = (
            "<th class='words'>Encoder</th><th>Spearman<br>× 100 ↑</th><th>Align-<br>ment "
            "↓</th><th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>"
        )
        sheet(head, rows, explain=MEASURES)
        footing(_protocol(table, pairs), explain=["Holm"])
        for line in again:
            quiet(line)
        say_notices({target_name(target): own for target, own in zip(targets, scores, strict=True)})

    once(draw, targets, scores, tied, names, chosen, styles, pairs, shown, again)
    download(scores_of(targets, questions).drop(columns=["notices"], errors="ignore"), "comparison.csv")


def method_rows(
    scores: "DataFrame", groups: Mapping[str, list[str]], tested: ComparedMethods | None = None
) -> "DataFrame":
    """One row per method, under its first target. Of several trainings: the means of their scores, `sd` of Spearman over seeds
    (ddof 1; missing with one training), and the interval over seeds and pairs once it is known.
    """
    import pandas

    by_target = scores.set_index("target", drop=False)
    intervals = {} if tested is None else tested.methods.set_index("method")[["low", "high"]].to_dict("index")
    rows = []
    for method, own in groups.items():
        trainings = by_target.loc[own]
        row = {**trainings.iloc[0].to_dict(), "sd": math.nan}
        if len(own) > 1:
            measures = ["spearman", "alignment", "uniformity", "mean_cosine"]
            row |= trainings[measures].astype(float).mean(skipna=False).to_dict()
            row |= {"sd": float(trainings["spearman"].std(ddof=1)), "low": math.nan, "high": math.nan}
            row |= intervals.get(method, {})
        rows.append(row)
    return pandas.DataFrame(rows)


def _protocol(table: "DataFrame", pairs: str) -> str:
    first = table.iloc[0]
    said = [
        f"{pairs_name(pairs)}, n = {int(first['n']):,}",
        "95 % intervals over pairs"
        + (" and seeds; ±: standard deviation over seeds" if table["sd"].notna().any() else ""),
        "tied with the best: p > .05, adjusted by Holm for every two methods",
    ]
    for name, words in (("precision", "precision {}"), ("max_length", "at most {} tokens")):
        if name in table and table[name].notna().any():
            values = {f"{value:g}" if isinstance(value, float) else str(value) for value in table[name].dropna()}
            said.append(words.format(" / ".join(sorted(values))))
    on = table["alignment_on"].dropna().unique() if "alignment_on" in table else []
    if len(on) == 1:
        said.append(f"alignment on {on[0]}")
    if "sentences" in table:
        said.append(f"uniformity and mean cosine of its {int(first['sentences']):,} distinct sentences")
    if "uniformity_error" in table:
        largest = table["uniformity_error"].max()
        said.append(
            f"uniformity from a sample of their pairs, standard error at most {largest:.1g} (over all: api.compare, exact=True)"
        )
    said += fitted_on(table.get("fitted_on", []))
    said += rules_of(map(mark_of, table.to_dict("records")))
    said += of_rows(table.to_dict("records")[:1])
    return "; ".join(said) + "."


def show_comparison(targets: list[str], pairs: str) -> None:
    """Each target on one pair set, as soon as all that can be measured are."""
    questions = [
        ask(score_verb.VERB, slot=f"compare.{number}", target=target, pairs=pairs)
        for number, target in enumerate(targets)
    ]
    shown = pick_shown(by_method(targets))
    above = st.container()
    tests = show_against(targets, questions, pairs, shown)
    with above:
        tested = tests.result if tests else None
        when_answered(questions, lambda: comparison(targets, questions, pairs, shown, tested), partial=True, height=420)


def comparison(
    targets: list[str],
    questions: "Sequence[Question[PairScores]]",
    pairs: str,
    shown: Sequence[str] | None,
    tested: ComparedMethods | None,
) -> None:
    """Plane and table side by side, for the targets that could be measured; the plane has the methods `shown`, or all."""
    known = [
        (target, question) for target, question in zip(targets, questions, strict=True) if question.result is not None
    ]
    targets, questions = [target for target, _ in known], [question for _, question in known]
    plane, table = st.columns([5, 6], gap="large")
    with plane:
        show_plane(targets, questions, pairs, shown)
    with table:
        score_table(targets, questions, pairs, shown, tested)


def show_plane(
    targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str, shown: Sequence[str] | None
) -> None:
    """The plane of the methods, on the same pairs as the table."""
    table = scores_of(targets, questions)
    if table["alignment"].isna().all():
        quiet(
            f"There is no plane of alignment and uniformity: {pairs_name(pairs)} has no positive pairs (gold in the top fifth of "
            "its scale)."
        )
        return
    groups = by_method(targets)
    names, styles = method_names(groups), styles_by_method(groups)
    drawn = {name: own for name, own in groups.items() if name in (shown or ())} or groups
    said = [pairs_name(pairs), "points: evaluations, paths: probes during training"]
    if any(len(own) > 1 for own in drawn.values()):
        said += [
            "large: means over seeds, small: seeds; ellipses of three or more: two standard deviations of their covariance"
        ]
    plane_figure(
        table,
        drawn,
        {own[0]: names[name] for name, own in drawn.items()},
        {own[0]: styles[name] for name, own in drawn.items()},
        "; ".join(said),
    )


def swatches_of(targets: Sequence[str]) -> dict[str, str]:
    """The swatch of each target: that of its method."""
    groups = by_method(targets)
    styles = styles_by_method(groups)
    return {target: swatch(styles[name]) for name, own in groups.items() for target in own}
