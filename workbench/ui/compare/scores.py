"""Score tables in the style of a paper: intervals next to the numbers, ties named, the protocol in the caption."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.compare.against import show_against
from workbench.ui.compare.plane import plane_figure
from workbench.ui.compare.swatches import swatch
from workbench.ui.compare.takeaways import leader, leaders
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.notices import footing, quiet
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import fitted_on, mark_of, pairs_name, rules_of, say_notices, sheet
from workbench.ui.kit.words import figure, html, interval, score
from workbench.ui.targets.names import chosen_on, target_name
from workbench.ui.targets.styles import styles_of
from workbench.verbs import score as score_verb
from workbench.verbs.score import PairScores

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame


def scores_of(targets: Sequence[str], questions: "Sequence[Question[PairScores]]") -> "DataFrame":
    """One row per target, as `evaluate` measured it."""
    import pandas

    return pandas.DataFrame(
        [{**question.there.scores, "target": target} for target, question in zip(targets, questions, strict=True)]
    )


def ties(cosines: "dict[str, numpy.ndarray]", gold: "numpy.ndarray") -> list[str]:
    """The targets that these pairs cannot distinguish from the best: paired bootstrap, adjusted p above .05."""
    from workbench.statistics.bootstrap import behind_the_best

    # Two thousand resamples of 1,400 pairs take a third of a second, which is too slow for a page.
    resamples = 2000 if len(gold) * len(cosines) <= 1500 else 500
    table = behind_the_best(cosines, gold, resamples=resamples)
    return [str(name) for name in table.loc[table["p"] > 0.05, "name"]]


def score_table(targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str) -> None:
    """Ranking and geometry of each target on one pair set."""
    scores = [question.there.scores for question in questions]
    cosines = [question.there.cosines["cosine"].to_numpy() for question in questions]
    gold = questions[0].there.cosines["gold"].to_numpy()
    names = {target: target_name(target) for target in targets}
    chosen = [target for target in targets if chosen_on(target, pairs)]
    styles = styles_of(targets)

    def draw() -> None:
        table = scores_of(targets, questions)
        ranked = set(table.dropna(subset=["spearman"])["target"])
        level = ties({target: own for target, own in zip(targets, cosines, strict=True) if target in ranked}, gold)
        takeaway(leader(table, names, level))
        first, swatches = leaders(table), {target: swatch(style) for target, style in styles.items()}
        best = first if len(ranked) > 1 else []
        rows = []
        for row in table.sort_values("spearman", ascending=False).to_dict("records"):
            target = row["target"]
            marks = ["tied with the best"] if target in level else []
            marks += ["selected on these pairs"] if target in chosen else []
            marks += mark_of(row)
            name = html(names[target]) + (f" <small>{explained(', '.join(marks))}</small>" if marks else "")
            rows.append(
                f'<tr class="{"best" if target in best else ""}"><td class="words">{swatches[target]}{name}</td>'
                f"<td>{score(row['spearman'])}<br><small>{interval(row['low'], row['high'])}</small></td>"
                f"<td>{figure(row['alignment'])}</td><td>{figure(row['uniformity'])}</td>"
                f"<td>{figure(row['mean_cosine'])}</td></tr>"
            )
        head = (
            "<th class='words'>Encoder</th><th>Spearman<br>× 100 ↑</th><th>Align-<br>ment "
            "↓</th><th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>"
        )
        sheet(head, rows)
        footing(_protocol(table, pairs))
        say_notices({names[target]: own for target, own in zip(targets, scores, strict=True)})

    once(draw, targets, scores, cosines, gold, names, chosen, styles, pairs)
    download(scores_of(targets, questions).drop(columns=["notices"], errors="ignore"), "comparison.csv")


def _protocol(table: "DataFrame", pairs: str) -> str:
    first = table.iloc[0]
    said = [
        f"{pairs_name(pairs)}, n = {int(first['n']):,}",
        "95 % bootstrap intervals over pairs; tied: paired bootstrap, adjusted p > .05",
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
    return "; ".join(said) + "."


def show_comparison(targets: list[str], pairs: str) -> None:
    """Each target on one pair set, as soon as all that can be measured are."""
    questions = [
        ask(score_verb.VERB, slot=f"compare.{number}", target=target, pairs=pairs)
        for number, target in enumerate(targets)
    ]
    when_answered(questions, lambda: comparison(targets, questions, pairs), partial=True, height=420)
    show_against(targets, questions, pairs)


def comparison(targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str) -> None:
    """Plane and table side by side, for the targets that could be measured."""
    known = [
        (target, question) for target, question in zip(targets, questions, strict=True) if question.result is not None
    ]
    targets, questions = [target for target, _ in known], [question for _, question in known]
    plane, table = st.columns([5, 6], gap="large")
    with plane:
        show_plane(targets, questions, pairs)
    with table:
        score_table(targets, questions, pairs)


def show_plane(targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str) -> None:
    """The plane of the targets, on the same pairs as the table."""
    table = scores_of(targets, questions)
    if table["alignment"].isna().all():
        quiet(
            f"There is no plane of alignment and uniformity: {pairs_name(pairs)} has no positive pairs (gold in the top fifth of "
            "its scale)."
        )
        return
    plane_figure(table, f"{pairs_name(pairs)}; points: evaluations, paths: probes during training")


def swatches_of(targets: Sequence[str]) -> dict[str, str]:
    """The swatch of each target, as drawn in figures."""
    return {target: swatch(style) for target, style in styles_of(targets).items()}
