"""Each target against one of them: the difference on the same pairs, its interval, and whether these pairs can show it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core.errors import BadData, WorkbenchError
from workbench.targets.target import split
from workbench.ui.kit.address import choose, follow_default
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.folders import target_inside
from workbench.ui.kit.notices import footing, quiet, trouble
from workbench.ui.kit.once import once
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import html, interval, score
from workbench.ui.targets.names import BACKBONES, is_untrained, target_name
from workbench.ui.targets.raw import backbone_of, model_folder, raw_encoder
from workbench.verbs import score as score_verb
from workbench.verbs.score import PairScores

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

MOST_LINKS = 4
"""Targets with a link to Explore below the table."""


def usual_reference(targets: Sequence[str]) -> str:
    """The raw encoder to compare with: what the first model made elsewhere was fine-tuned from, if that is on this machine;
    else the backbone of the first run; else the first shipped encoder among the targets; else the last of them.

    >>> usual_reference(["/models/mine", "mini-mlm+centre", "mini-mlm"]), usual_reference(["minilm-l6+centre", "tfidf"])
    ('mini-mlm', 'tfidf')
    """
    raws = [raw.target for raw in map(raw_encoder, targets) if raw and raw.here]
    started = [backbone for backbone in map(backbone_of, targets) if backbone]
    shipped = [target for target in targets if target in BACKBONES]
    return next(iter([*raws, *started, *shipped]), targets[-1])


def reference_question(targets: Sequence[str], pairs: str) -> tuple[str, Question[PairScores] | None]:
    """The chosen reference, and the question for its scores if it is none of the targets."""
    raws = dict.fromkeys(raw.target for raw in map(raw_encoder, targets) if raw)
    options = list(dict.fromkeys([*targets, *raws, *BACKBONES]))
    reference = choose(
        "Difference from",
        options,
        key="against",
        start=follow_default("against", usual_reference(targets)),
        shown=target_name,
        typed=True,
        help="A raw encoder shows what fine-tuning did. One of the targets above, or any other encoder; a Hugging Face id or a "
        "folder can be typed in.",
    )
    for note in _notes(targets):
        quiet(note)
    if reference in targets:
        return reference, None
    return reference, ask(score_verb.VERB, slot="compare.reference", target=target_inside(reference), pairs=pairs)


def _notes(targets: Sequence[str]) -> list[str]:
    """Which encoder each model made elsewhere comes from, and how that is known."""
    notes = []
    found = {name: raw_encoder(name) for name in dict.fromkeys(split(target).name for target in targets)}
    bases = {raw.name for raw in found.values() if raw}
    for name, raw in found.items():
        mine = target_name(name)
        if name in bases:
            continue
        if raw is None:
            if model_folder(name) and not is_untrained(name):
                notes.append(f"{mine}: its files do not say which encoder it was fine-tuned from. Choose it above.")
        elif not raw.here:
            notes.append(
                f"{mine}: fine-tuned from `{raw.name}`, as its files say, which is not on this machine: choose it above to "
                "download it."
            )
        elif raw.stated:
            notes.append(f"{mine}: fine-tuned from `{raw.name}`, as its files say.")
        else:
            notes.append(
                f"{mine}: its files do not say which encoder it was fine-tuned from; `{raw.name}` has the same layers, width and "
                "vocabulary."
            )
    return notes


def show_against(targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str) -> None:
    """A choice of the reference, and once all are scored the differences of the targets from it."""
    if all(question.answer.over and question.result is None for question in questions):
        return
    try:
        reference, asked = reference_question(targets, pairs)
    except WorkbenchError as error:  # a typed reference that cannot be used
        trouble(error)
        return
    known = dict(zip(targets, questions, strict=True)) | ({reference: asked} if asked else {})
    if any(not question.answer.over for target, question in known.items() if target != reference or not asked):
        return  # the figures above say how far they are
    others = [target for target in targets if target != reference and known[target].result is not None]
    if others:
        when_answered([known[reference]], lambda: _differences(reference, others, known, pairs), height=120)


def _differences(
    reference: str, others: Sequence[str], known: "Mapping[str, Question[PairScores]]", pairs: str
) -> None:
    """The differences of `others` from the reference, and links to what both look like."""
    names = {target: target_name(target) for target in (reference, *others)}
    cosines = {target: known[target].there.cosines["cosine"].to_numpy() for target in names}
    gold = known[reference].there.cosines["gold"].to_numpy()

    def draw() -> None:
        show_differences(differences(cosines, gold, reference), names, reference, pairs)

    once(draw, cosines, gold, names, reference, pairs)
    download(lambda: differences(cosines, gold, reference), "differences.csv")
    made_elsewhere = [target for target in others if model_folder(split(target).name)]
    for target in list(dict.fromkeys([*made_elsewhere, *others]))[:MOST_LINKS]:
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
    """The verdicts in a sentence, which names the only fine-tuned target if there is just one, and the differences in a table."""
    rows = table.sort_values("delta", ascending=False).to_dict("records")
    if not rows:
        return
    raw = split(reference).name
    tuned = [row for row in rows if split(row["target"]).name != raw and not is_untrained(row["target"])]
    only = (tuned or rows)[0]
    takeaway(
        f"Against {names[reference]}: {_counts(rows)}."
        if len(tuned or rows) > 1
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
