"""Score tables set like a paper's: intervals beside the numbers, ties named, the protocol in the caption."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.data.marks import GOLD, TRANSDUCTIVE, number, of_scores
from workbench.data.marks import seen_words as of_report
from workbench.ui.asking import Question
from workbench.ui.figures import download, plane_figure, styles_of, takeaway
from workbench.ui.notices import quiet
from workbench.ui.once import once
from workbench.ui.swatches import swatch
from workbench.ui.takeaways import leader, leaders
from workbench.ui.targets import chosen_on, target_name
from workbench.ui.words import count, figure, html, interval, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame

_RULES = {
    TRANSDUCTIVE: "transductive: at least half of the sentences scored were among the texts it was trained on, or something "
    "was fitted on them; their gold scores were not used, or for less than half of the pairs",
    GOLD: "trained on its gold scores: at least half of the pairs scored were trained on together with their scores, so that "
    "this is no test",
}
TEACHING = "authors' teaching scores"
"""What the demo pairs' scores are; they never stand in one column with a published set."""


def pairs_name(pairs: str) -> str:
    """A pair set as it is named beside every score.

    >>> pairs_name("demo:dev"), pairs_name("stsb:dev@data/sts")
    ("demo:dev (authors' teaching scores)", 'stsb:dev')
    """
    return f"{pairs} ({TEACHING})" if pairs.startswith("demo:") else pairs.partition("@")[0]


def scores_of(targets: Sequence[str], questions: Sequence[Question]) -> "DataFrame":
    """One row a target, as `evaluate` measured it."""
    import pandas

    return pandas.DataFrame(
        [{**question.result["scores"], "target": target} for target, question in zip(targets, questions, strict=True)]
    )


def ties(cosines: dict[str, Any], gold: Any) -> list[str]:
    """The targets that these pairs cannot tell from the best: paired bootstrap, p above .05, adjusted for all pairs."""
    from workbench.statistics.bootstrap import behind_the_best

    # Two thousand resamples of 1,400 pairs take a third of a second; a page answers sooner than that.
    resamples = 2000 if len(gold) * len(cosines) <= 1500 else 500
    table = behind_the_best(cosines, gold, resamples=resamples)
    return [str(name) for name in table.loc[table["p"] > 0.05, "name"]]


def score_table(targets: list[str], questions: Sequence[Question], pairs: str) -> None:
    """Ranking and geometry of each target on one pair set."""
    scores = [question.result["scores"] for question in questions]
    cosines = [question.result["cosines"]["cosine"].to_numpy() for question in questions]
    gold = questions[0].result["cosines"]["gold"].to_numpy()
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
            marks = ["a tie"] if target in level else []
            marks += ["its step was chosen on these pairs"] if target in chosen else []
            marks += mark_of(row)
            name = html(names[target]) + (f" <small>{', '.join(marks)}</small>" if marks else "")
            rows.append(
                f'<tr class="{"best" if target in best else ""}"><td class="words">{swatches[target]}{name}</td>'
                f"<td>{score(row['spearman'])}<br><small>{interval(row['low'], row['high'])}</small></td>"
                f"<td>{figure(row['alignment'])}</td><td>{figure(row['uniformity'])}</td>"
                f"<td>{figure(row['mean_cosine'])}</td></tr>"
            )
        head = (
            "<th class='words'>&nbsp;</th><th>Spearman<br>× 100 ↑</th><th>Align-<br>ment "
            "↓</th><th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>"
        )
        sheet(head, rows)
        st.html(f'<p class="footing">{html(_protocol(table, pairs))}</p>')
        say_notices({names[target]: own for target, own in zip(targets, scores, strict=True)})

    once(draw, targets, scores, cosines, gold, names, chosen, styles, pairs)
    download(scores_of(targets, questions).drop(columns=["notices"], errors="ignore"), "comparison.csv")


_CHECKPOINTS = {"step0": "before training"}


def checkpoint_table(scores: "DataFrame", name: str) -> None:
    """A run's checkpoints on each of its pair sets; sets of different kinds stand in blocks of their own."""
    for pairs, part in scores.groupby("pairs", sort=False):
        rows = [
            f'<tr><td class="words">{html(_checkpoint(row))}'
            f"<small>{_step(row)}</small></td><td>{score(row['spearman'])}</td>"
            f"<td><small>{interval(row['low'], row['high'])}</small></td><td>{figure(row['alignment'])}</td>"
            f"<td>{figure(row['uniformity'])}</td><td>{figure(row['mean_cosine'])}</td></tr>"
            for row in part.to_dict("records")
        ]
        head = f"<th class='words'>{html(pairs_name(str(pairs)))}, n = {count(part['n'].iloc[0])}</th>"
        sheet(
            f"{head}<th>Spearman × 100 ↑</th><th>95 %</th><th>Alignment ↓</th><th>Uniformity ↓</th><th>Mean cosine</th>",
            rows,
        )
    rows = scores.to_dict("records")
    for rule in rules_of(map(mark_of, rows)):
        quiet(f"{rule[0].upper()}{rule[1:]}.")
    for line in dict.fromkeys(_seen(row) for row in rows):
        if line:
            quiet(line)
    say_notices({f"{_checkpoint(row)}, {pairs_name(str(row['pairs']))}": row for row in rows})
    download(scores, f"scores.{name}.csv")


def mark_of(row: "Mapping[str, Any]") -> list[str]:
    """The mark of a score of whose pairs or sentences too many were trained or fitted on; of an older score it is not known.

    >>> mark_of({"transductive": True}), mark_of({"fitted_on": "demo:dev (transductive)"}), mark_of({})
    (['transductive'], ['transductive'], [])
    """
    words = of_scores(row) or (TRANSDUCTIVE if TRANSDUCTIVE in str(row.get("fitted_on")) else "")
    return [words] if words else []


def rules_of(marks: "Iterable[Sequence[str]]") -> list[str]:
    """What those of the marks mean that are there; each may say on which tasks it holds."""
    said = [word for own in marks for word in own]
    return [rule for name, rule in _RULES.items() if any(name in word for word in said)]


def _seen(row: "Mapping[str, Any]") -> str:
    """How many of the sentences of a score were trained on, if any."""
    common, sentences, rated = (number(row.get(name)) for name in ("sentences_seen", "seen_of", "gold_seen"))
    return of_report(pairs_name(str(row["pairs"])), common, sentences, rated) if common else ""


def _checkpoint(row: "dict[str, Any]") -> str:
    return _CHECKPOINTS.get(row["checkpoint"], row["checkpoint"])


def _step(row: "dict[str, Any]") -> str:
    step = row.get("step")
    said = [] if missing(step) or step is None else [f"step {int(step):,}"]
    said += mark_of(row)
    return f" {', '.join(said)}" if said else ""


def _protocol(table: "DataFrame", pairs: str) -> str:
    first = table.iloc[0]
    said = [
        f"{pairs_name(pairs)}, n = {int(first['n']):,}",
        "95 % bootstrap intervals over pairs; tie: paired bootstrap, p > .05 adjusted for all comparisons",
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
    said += fitted_on(table.get("fitted_on", []))
    said += rules_of(map(mark_of, table.to_dict("records")))
    return "; ".join(said) + "."


def fitted_on(places: Iterable[Any]) -> list[str]:
    """What means, transforms and counts of words were taken from, where there are any."""
    named = sorted({str(place) for place in places if place and not missing(place)})
    return [f"means, transforms and counts are those of {' / '.join(named)}"] if named else []


def seen_words(scores: "Mapping[str, Any]") -> str:
    """The end of a caption beside a score: what its target was fitted on, and whether it was trained on what is scored.

    >>> seen_words({"fitted_on": "demo:dev", "transductive": True}), seen_words({"fitted_on": ""})
    ('; fitted on demo:dev; transductive', '')
    """
    fitted = fitted_words(scores.get("fitted_on"))
    return fitted + "".join(f"; {word}" for word in mark_of(scores) if word not in fitted)


def fitted_words(place: Any) -> str:
    """The end of a caption: what a target was fitted on, if on anything.

    >>> fitted_words("demo:dev"), fitted_words("")
    ('; fitted on demo:dev', '')
    """
    return f"; fitted on {place}" if place and not missing(place) else ""


def say_notices(found: "dict[str, dict[str, Any]]") -> None:
    """What must be known about some of the scores, by target; what is true of all of them once."""
    said = {
        name: [note for note in (*(scores.get("notices") or ()), scores.get("undefined")) if note and not missing(note)]
        for name, scores in found.items()
    }
    common = [note for note in next(iter(said.values()), []) if all(note in notes for notes in said.values())]
    lines = [*common, *(f"{name}: {note}" for name, notes in said.items() for note in notes if note not in common)]
    for line in dict.fromkeys(lines):
        quiet(line)


def comparison(targets: list[str], questions: Sequence[Question], pairs: str) -> None:
    """Plane and table side by side, of those that could be measured."""
    known = [
        (target, question) for target, question in zip(targets, questions, strict=True) if question.result is not None
    ]
    targets, questions = [target for target, _ in known], [question for _, question in known]
    plane, table = st.columns([5, 6], gap="large")
    with plane:
        show_plane(targets, questions, pairs)
    with table:
        score_table(targets, questions, pairs)


def show_plane(targets: list[str], questions: Sequence[Question], pairs: str) -> None:
    """The plane of the targets, on the pairs that the table beside it shows."""
    table = scores_of(targets, questions)
    plane_figure(table, f"{pairs_name(pairs)}; points: as evaluated, paths: as probed on the way")


def swatches_of(targets: Sequence[str]) -> dict[str, str]:
    """The mark of each target, as figures draw it."""
    return {target: swatch(style) for target, style in styles_of(targets).items()}


def sheet(head: str, rows: list[str]) -> None:
    """A table of cells that are HTML."""
    st.html(f'<div class="sheet"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')
