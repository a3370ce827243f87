"""Each target against one of them: the difference on the same pairs, its interval, and whether these pairs can show it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.kit.address import choose, follow_default
from workbench.ui.kit.asking import Question
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.notices import footing
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import html, interval, score
from workbench.ui.targets.names import BACKBONES, target_name
from workbench.verbs.score import PairScores

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

MOST_LINKS = 4
"""Targets with a link to Explore below the table."""


def usual_reference(targets: Sequence[str]) -> str:
    """The raw encoder to compare with, if one is among the targets; else the last of them.

    >>> usual_reference(["/models/mine", "mini-mlm+centre", "mini-mlm"]), usual_reference(["run", "tfidf"])
    ('mini-mlm', 'tfidf')
    """
    return next((target for target in targets if target in BACKBONES), targets[-1])


def show_against(targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str) -> None:
    """A choice of the target that the others are compared with, and once all are scored their differences from it."""
    known = {target: question for target, question in zip(targets, questions, strict=True) if question.answer.over}
    if len(known) < len(targets) or len(targets) < 2:
        return
    scored = {target: question.there for target, question in known.items() if question.result is not None}
    if len(scored) < 2:
        return
    names = {target: target_name(target) for target in scored}
    start = follow_default("against", usual_reference(list(scored)))
    reference = choose("Difference from", list(scored), key="against", start=start, shown=names.__getitem__)
    cosines = {target: answer.cosines["cosine"].to_numpy() for target, answer in scored.items()}
    gold = scored[reference].cosines["gold"].to_numpy()

    def draw() -> None:
        show_differences(differences(cosines, gold, reference), names, reference, pairs)

    once(draw, cosines, gold, names, reference, pairs)
    download(lambda: differences(cosines, gold, reference), "differences.csv")
    others = [target for target in scored if target != reference][:MOST_LINKS]
    for target in others:
        st.page_link(
            "pages/explore.py",
            label=f"The cone of {names[target]} beside {names[reference]}",
            icon=":material/explore:",
            query_params={"view": "The cone", "target": target, "beside": reference, "pairs": pairs},
        )


@st.cache_data(show_spinner=False, max_entries=16)
def differences(cosines: "Mapping[str, numpy.ndarray]", gold: "numpy.ndarray", reference: str) -> "DataFrame":
    """One row per target except the reference: target, delta (its Spearman minus the reference's), low, high, p.

    The intervals are paired bootstraps over pairs; p is adjusted by Holm for the number of rows. A target whose cosines
    cannot rank the pairs is left out.
    """
    from pandas import DataFrame

    from workbench.core.errors import BadData
    from workbench.statistics.bootstrap import holm, paired_difference

    rows = []
    for target, own in cosines.items():
        if target == reference:
            continue
        try:
            found = paired_difference(cosines[reference], own, gold, resamples=1000)
        except BadData:  # no finite cosines
            continue
        rows.append((target, found.delta, found.low, found.high, found.p))
    adjusted = holm([row[-1] for row in rows])
    return DataFrame(
        [(*row[:-1], p) for row, p in zip(rows, adjusted, strict=True)],
        columns=["target", "delta", "low", "high", "p"],
    )


def verdict(delta: float, p: float) -> str:
    """What these pairs say about a difference.

    >>> verdict(0.08, 0.004), verdict(-0.08, 0.004), verdict(0.08, 0.2)
    ('better', 'worse', 'no difference that these pairs can show')
    """
    return "no difference that these pairs can show" if p > 0.05 else "better" if delta > 0 else "worse"


def show_differences(table: "DataFrame", names: Mapping[str, str], reference: str, pairs: str) -> None:
    """The verdicts in a sentence and the differences in a table."""
    rows = table.sort_values("delta", ascending=False).to_dict("records")
    if not rows:
        return
    only = rows[0]
    takeaway(
        f"Against {names[reference]}: {_counts(rows)}."
        if len(rows) > 1
        else f"Against {names[reference]}, {names[only['target']]}: {verdict(only['delta'], only['p'])} "
        f"({_signed(only['delta'])}, {interval(only['low'], only['high'])})."
    )
    lines = [
        f'<tr><td class="words">{html(names[row["target"]])}</td>'
        f"<td>{_signed(row['delta'])}<br><small>{interval(row['low'], row['high'])}</small></td>"
        f'<td class="words">{verdict(row["delta"], row["p"])}</td></tr>'
        for row in rows
    ]
    sheet("<th class='words'>Target</th><th>Difference<br>× 100</th><th class='words'>Verdict</th>", lines)
    several = ", adjusted by Holm for the number of rows" if len(rows) > 1 else ""
    footing(
        f"{pairs_name(pairs)}; Spearman minus that of {names[reference]} on the same pairs; 95 % paired bootstrap intervals; "
        f"better or worse: p of at most .05{several}."
    )


def _signed(value: float) -> str:
    shown = score(value)
    return shown if shown.startswith("−") else f"+{shown}"


def _counts(rows: Sequence[Mapping[str, float]]) -> str:
    kinds = [verdict(row["delta"], row["p"]) for row in rows]
    parts = [(kinds.count("better"), "better"), (kinds.count("worse"), "worse")]
    said = [f"{number} {word}" for number, word in parts if number]
    if same := len(kinds) - kinds.count("better") - kinds.count("worse"):
        said.append(f"{same} that these pairs cannot tell from it")
    return ", ".join(said)
