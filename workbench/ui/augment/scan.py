"""Every augmentation over a sample of a corpus: which change a text a little, and which a lot."""

import json
from typing import Any

import streamlit as st

from workbench.previews import corpus_scan
from workbench.ui.augment.scan_results import left_out, show_scan
from workbench.ui.corpora.choice import pick_corpus
from workbench.ui.kit.address import MOST_SEED, bound_number
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import takeaway
from workbench.ui.kit.notices import empty, facts, guarded, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.words import count, estimated, size
from workbench.ui.pipelines.groups import INSIDE, RULES, chosen_pipelines, pick_pipelines
from workbench.ui.pipelines.protected import protected_form
from workbench.ui.targets.choice import pick_target
from workbench.verbs import cost as cost_verb
from workbench.verbs import scan as scan_verb
from workbench.verbs.cost import Costs
from workbench.verbs.scan import Scanned

ASK_SECONDS = 60.0
"""Longer scans start only on a click."""


def scan_tab() -> None:
    """The whole-corpus tab of the Augment page."""
    quiet(
        "Each augmentation, on texts or inside the encoder, is applied once to a sample of your corpus. You see how often it "
        "changes a text, how much of it, and how similar an encoder still finds the result. Similarity is not meaning: that "
        "is for people to judge."
    )
    asked: dict[str, Any] = {}
    left, middle, right = st.columns([3, 4, 3], gap="large")
    with left, guarded():
        asked["corpus"] = pick_corpus()
    with middle:
        chosen = pick_pipelines("scan.pipelines", [RULES, INSIDE], inside=True)
        asked["protect"], asked["protect_pattern"] = protected_form()
    with right:
        with guarded():
            asked["target"] = pick_target("Similarity under")
        asked["n"] = bound_number(
            st.number_input,
            "Texts in the sample",
            10,
            corpus_scan.MOST_TEXTS,
            corpus_scan.SAMPLE,
            key="scan.n",
            help="Stratified by length, and by genre if the corpus has one. A number beyond its size means all of it.",
        )
        asked["seed"] = bound_number(st.number_input, "Seed", 0, MOST_SEED, 0, key="scan.seed")
    if "target" not in asked:  # its field says why
        return
    with guarded():
        _scan(asked, chosen)
    repeat(
        python_call(
            "scan",
            asked.get("corpus") or "demo",
            **({} if chosen == [RULES, INSIDE] else {"pipelines": chosen_pipelines(chosen)}),
            **{name: asked[name] for name in ("target", "n", "seed")},
            **{name: asked[name] for name in ("protect", "protect_pattern") if asked[name]},
        )
    )


def _scan(asked: dict[str, Any], chosen: list[str]) -> None:
    """The estimate, then the scan itself: immediately if it is short, otherwise on a click."""
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
        return
    lines = chosen_pipelines(chosen)
    if not lines:
        empty("No augmentations chosen.", "Choose at least one above, or all rule-based ones.")
        return
    run = json.dumps([lines, asked], sort_keys=True)
    if st.session_state.get("scan.run") != run:
        estimate = ask(cost_verb.VERB, slot="scan.cost", pipelines=lines, **asked)
        if estimate.result is None:
            if st.button("Scan now, without an estimate", key="scan.at_once"):
                _start(run, None)
            when_answered([estimate], lambda: None, height=420)
            return
        about = estimate.result.about
        usable = estimate.result.table.query("absent == ''")
        long = about["seconds"] > ASK_SECONDS or bool(usable["model"].any())
        if long or st.session_state.get("scan.stopped") == run:
            _show_estimate(estimate.result)
            if st.button(f"Scan {count(about['n'])} texts", type="primary", key="scan.start"):
                _start(run, about["seconds"])
            return
        st.session_state["scan.run"], st.session_state["scan.seconds"] = run, about["seconds"]
    found = ask(scan_verb.VERB, slot="scan", pipelines=lines, **asked)
    if not found.answer.over:
        _running(found, run)
    when_answered([found], lambda: show_scan(found.there, str(asked["target"])), height=420)


def _start(run: str, seconds: float | None) -> None:
    """Scan from now on; `seconds` is the estimate, if there is one."""
    st.session_state["scan.run"], st.session_state["scan.seconds"] = run, seconds
    st.rerun()


def _running(scan: Question[Scanned], run: str) -> None:
    seconds = st.session_state.get("scan.seconds")
    said = "" if seconds is None else f"Estimated time: {estimated(seconds)}. "
    words, button = st.columns([5, 1], vertical_alignment="center")
    with words:
        quiet(f"{said}If you stop, partial results are kept.")
    if button.button("Stop", key="scan.stop", width="stretch"):
        scan.cancel()
        st.session_state["scan.run"], st.session_state["scan.stopped"] = "", run
        st.rerun()


def _show_estimate(estimate: Costs) -> None:
    about, table = estimate.about, estimate.table
    known = table[table["absent"] == ""]
    takeaway(
        f"About {estimated(about['seconds'])} for {count(about['n'])} of {count(about['texts'])} texts and "
        f"{len(known)} augmentation{'' if len(known) == 1 else 's'}."
    )
    facts(
        {
            "Whole corpus, one pass": estimated(about["full_seconds"]),
            "Augmented texts on disk": size(about["full_bytes"]),
            "Cost": "time only",
        },
        {
            "Whole corpus, one pass": f"{count(about['texts'])} texts",
            "Augmented texts on disk": "one draw per augmentation",
            "Cost": "nothing leaves this machine",
        },
    )
    slow = known.sort_values("seconds", ascending=False).head(3)
    longest = ", ".join(f"{row.title} {estimated(row.seconds)}" for row in slow.itertuples())
    fewer = f" ({about['tried_inside']} inside the encoder)" if about["tried_inside"] < about["tried"] else ""
    quiet(
        f"Estimated by trying {about['tried']} texts{fewer} here just now; a busy machine takes longer. Slowest: {longest}."
    )
    left_out(table)
