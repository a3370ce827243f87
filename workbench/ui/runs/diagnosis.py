"""Why a run changed what it changed: one click, and everything that is known about it in one place."""

from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from workbench import api
from workbench.core.records import Row
from workbench.store.outcomes import GOOD
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import download
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import DASH, count, figure, html, interval, missing, score, share
from workbench.ui.runs import takeaways
from workbench.verbs import diagnose

if TYPE_CHECKING:
    from workbench.verbs.diagnose import Diagnosis

_SHOWN = 8
"""Rows of a table on the page; the download has all of them."""
_CHECKPOINTS = {"step0": "before training", "best": "chosen", "last": "last"}


_ASKS = {
    "helped": "Why did it get better?",
    "worse": "Why did it get worse?",
    "no_difference": "Why did it not help?",
    "kept_step0": "Why did it not help?",
}


def show_diagnosis(run: api.Run) -> None:
    """A button that asks why, and the answer. Nothing for what has no verdict."""
    outcome = run.outcome
    if outcome is None or run.config.pretrains or not outcome["sets"]:
        return
    asked, words = f"diagnosis.{run.id}", _ASKS[outcome["verdict"]]
    if not st.session_state.get(asked):
        kind: Literal["primary", "secondary"] = "secondary" if outcome["verdict"] in GOOD else "primary"
        if not st.button(words, type=kind, key=f"{asked}.ask"):
            return
        st.session_state[asked] = True
    with st.expander(words, expanded=True):
        question = ask(diagnose.VERB, slot="runs.diagnosis", target=run.id)
        when_answered([question], lambda: _show(run, question.there), height=420)
        repeat(python_call("diagnose", target=run.id))


def _show(run: api.Run, answer: "Diagnosis") -> None:
    about = answer.about
    good = about["kind"] in GOOD
    st.html(f'<p class="takeaway">{html(takeaways.apart(answer.bands) if good else about["why"])}</p>')
    if good:
        quiet(about["why"])
    if not about["return_to"].endswith(f"@{about['kept']}"):
        quiet(f"Return to: `{about['return_to']}`")
    shown = run.outcome["reasons"] if run.outcome else []  # at the top of the run's panel
    if further := [reason for reason in answer.reasons if reason not in shown]:
        st.html(f"<ul>{''.join(f'<li>{html(reason)}</li>' for reason in further)}</ul>")
    left, right = st.columns(2, gap="large")
    with left:
        _bands(answer)
        _words(answer, str(about["pairs"]))
    with right:
        _space(answer)
        _rates(answer)
    left, right = st.columns(2, gap="large")
    if good:
        with left:
            _gained(answer, run.id)
    with right if good else left:
        _shared(answer)
        _fell(answer, run.id)
    with left if good else right:
        _batches(answer)


def _bands(answer: "Diagnosis") -> None:
    """How far apart training moved pairs of different golds."""
    rows = [
        f"<tr><td class='words'>{html(row['gold'])}<small> n = {count(row['n'])}</small></td>"
        f"<td>{figure(row['before'])}<br><small>± {figure(row['spread_before'])}</small></td>"
        f"<td>{figure(row['after'])}<br><small>± {figure(row['spread_after'])}</small></td></tr>"
        for row in answer.bands.to_dict("records")
    ]
    sheet("<th class='words'>Gold score</th><th>Cosine<br>before</th><th>Cosine<br>after</th>", rows)


def _space(answer: "Diagnosis") -> None:
    """How far the cone opened, and what that did to the ranking."""
    records = answer.space.to_dict("records")
    kept = next((row["step"] for row in records if row["checkpoint"] == answer.about["kept"]), None)
    others = [row["step"] for row in records if row["checkpoint"] != "best"]
    rows = [
        f'<tr><td class="words">{_CHECKPOINTS[row["checkpoint"]]}<small> step {count(row["step"])}'
        f"{', kept' * (row['step'] == kept)}</small></td>"
        f"<td>{score(row['spearman'])}</td><td>{figure(row['alignment'])}</td><td>{figure(row['uniformity'])}</td>"
        f"<td>{figure(row['mean_cosine'])}</td></tr>"
        for row in records
        if row["checkpoint"] != "best" or row["step"] not in others
    ]
    head = "<th class='words'>The space</th><th>Spearman<br>× 100 ↑</th><th>Align-<br>ment ↓</th>"
    sheet(f"{head}<th>Unifor-<br>mity ↓</th><th>Mean<br>cosine</th>", rows)


def _rates(answer: "Diagnosis") -> None:
    """The learning rate against those of the card, the paper and other runs."""
    rows = [
        f'<tr><td class="words">{html(row["of"])}<small> {html(_end(row))}</small></td>'
        f"<td>{row['learning_rate']:g}</td><td>{DASH if missing(row['spearman']) else score(row['spearman'])}</td></tr>"
        for row in answer.rates.to_dict("records")
    ]
    sheet("<th class='words'>Learning rate</th><th>Rate</th><th>Spearman<br>× 100 ↑</th>", rows)


def _end(row: Row) -> str:
    """The end of the id of another run."""
    return str(row["run"])[-4:] if row["of"] == "another run" else ""


def _words(answer: "Diagnosis", pairs: str) -> None:
    """What the corpus has in common with the pairs."""
    words: dict[str, Any] = answer.words
    if "missing" in words:
        quiet(f"What the corpus has in common with the pairs is unknown: {words['missing']}")
        return
    quiet(
        f"Corpus and {pairs_name(pairs)} share {share(words['corpus'])} of their words, by frequency; two halves of the pairs "
        f"{share(words['halves'])}. From {count(words['texts'])} texts of the corpus."
    )


def _batches(answer: "Diagnosis") -> None:
    """Likely false negatives."""
    batches = answer.batches
    if "missing" in batches:
        quiet(f"False negatives were not searched for: {batches['missing']}")
        return
    steps = ", ".join(count(step) for step in batches["steps"])
    looked = (
        f"Of {count(batches['negatives'])} negatives in the batches of steps {steps}, {count(batches['equal'])} are equal texts, "
        f"{count(batches['nearly_equal'])} nearly equal"
    )
    judge = f"step {count(batches['judge_step'])}" if batches["judge_step"] else "the encoder before training"
    if batches["closer"] is None:
        narrow = f"the narrow cone of {judge} (mean cosine {figure(batches['mean_cosine'])})"
        quiet(
            f"{looked}. Whether one is closer than its positive is not counted: in {narrow} all texts are close.",
            explain=["cone"],
        )
    else:
        quiet(f"{looked}, {count(batches['closer'])} closer than the positive by {judge}.")
    rows = [
        f'<tr><td class="words">{passage(row["text"])}<small>{html(row["kind"])}</small></td>'
        f'<td class="words">{passage(row["negative"])}</td><td>{figure(row["cosine"])}</td></tr>'
        for row in answer.false_negatives.head(_SHOWN).to_dict("records")
    ]
    if rows:
        sheet("<th class='words'>Text</th><th class='words'>Likely false negative</th><th>Cosine</th>", rows)


def _shared(answer: "Diagnosis") -> None:
    """What the fallen pairs have in common."""
    more = answer.shared[answer.shared["more"].astype(bool)]
    if not answer.fell["fell"].any():
        quiet("No pair is ranked worse than before.")
        return
    if more.empty:
        quiet("The pairs that fell most are no special group by gold score, genre, length or shared words.")
        return
    rows = [
        f'<tr><td class="words">{html(row["feature"])}: {html(row["value"])}</td>'
        f"<td>{count(row['fell'])} of {count(row['n'])}</td>"
        f"<td>{share(row['share'])}<br><small>{interval(row['low'], row['high'])}</small></td></tr>"
        for row in more.to_dict("records")
    ]
    sheet("<th class='words'>Pairs that fell more often than the rest</th><th>Fell</th><th>Share</th>", rows)


def _gained(answer: "Diagnosis", run: str) -> None:
    """The pairs that gained most."""
    rows = [
        f'<tr><td class="words">{passage(row["sentence1"])}{passage(row["sentence2"])}</td><td>{figure(row["gold"], 1)}</td>'
        f"<td>{figure(row['before'])}</td><td>{figure(row['after'])}</td></tr>"
        for row in answer.gained.head(_SHOWN).to_dict("records")
    ]
    if rows:
        head = "<th class='words'>Pairs whose rank got better most</th><th>Gold</th><th>Cosine<br>before</th>"
        sheet(f"{head}<th>Cosine<br>after</th>", rows)
        download(answer.gained, f"gained.{run}.csv")


def _fell(answer: "Diagnosis", run: str) -> None:
    """The pairs that fell most."""
    fallen = answer.fell[answer.fell["fell"].astype(bool)]
    rows = [
        f'<tr><td class="words">{passage(row["sentence1"])}{passage(row["sentence2"])}</td><td>{figure(row["gold"], 1)}</td>'
        f"<td>{figure(row['before'])}</td><td>{figure(row['after'])}</td><td>{html(row['ranked'])}</td></tr>"
        for row in fallen.head(_SHOWN).to_dict("records")
    ]
    if rows:
        head = "<th class='words'>Pairs whose rank got worse most</th><th>Gold</th><th>Cosine<br>before</th>"
        sheet(f"{head}<th>Cosine<br>after</th><th>Now<br>ranked</th>", rows)
    download(answer.fell, f"fell.{run}.csv")
