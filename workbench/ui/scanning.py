"""Every augmentation over a sample of a corpus: which move a text little, and which much."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.augmentations.catalogue import LEVELS, find_augmentation
from workbench.core.errors import WorkbenchError
from workbench.previews import corpus_scan, scan_lines
from workbench.previews.perturbation import DROPOUT
from workbench.ui.address import choose_several
from workbench.ui.asking import Question, answered, ask
from workbench.ui.augmenting import protected_form
from workbench.ui.figures import takeaway
from workbench.ui.notices import empty, facts, guarded, quiet
from workbench.ui.repeat import python_call, repeat
from workbench.ui.scanned import left_out, show_scan
from workbench.ui.targets import pick_target
from workbench.ui.uploads import pick_corpus
from workbench.ui.words import count, duration, size

RULES, INSIDE = "rules", "inside"
"""Stand for every rule-based augmentation that can be used here, and for dropout and all that leave the texts alone."""
ASK_SECONDS = 60.0
"""Longer scans begin with a click."""


def scan_tab() -> None:
    """The whole-corpus tab of the Augment page."""
    quiet(
        "Each augmentation goes once over a sample of your corpus, those of texts as well as those inside the encoder. You see "
        "how often it changes a text, how much of it, and what similarity an encoder still finds. Similarity is not meaning: "
        "that is for people to judge, in the blind mode."
    )
    asked: dict[str, Any] = {}
    left, middle, right = st.columns([3, 4, 3], gap="large")
    with left, guarded():
        asked["corpus"] = pick_corpus()
    with middle:
        chosen = pick_pipelines("scan.pipelines", [RULES, INSIDE], inside=True)
        asked["protect"], asked["protect_pattern"] = protected_form()
    with right:
        asked["target"] = pick_target("Similarity under")
        asked["n"] = st.number_input(
            "Texts in the sample",
            10,
            corpus_scan.MOST_TEXTS,
            corpus_scan.SAMPLE,
            key="scan.n",
            bind="query-params",
            help="Drawn by length, and by genre where the corpus names one. More than it holds means all of it.",
        )
        asked["seed"] = st.number_input("Seed", 0, 2**31 - 1, 0, key="scan.seed", bind="query-params")
    with guarded():
        _scan(asked, chosen)
    repeat(
        python_call(
            "scan",
            asked.get("corpus") or "demo",
            **({} if chosen == [RULES, INSIDE] else {"pipelines": expanded(chosen)}),
            **{name: asked[name] for name in ("target", "n", "seed")},
            **{name: asked[name] for name in ("protect", "protect_pattern") if asked[name]},
        )
    )


def pick_pipelines(key: str, start: Sequence[str], *, inside: bool = False) -> list[str]:
    """Augmentations of texts, those that run a model named as such; `inside` offers those inside the encoder as well.

    A whole pipeline can be typed in.
    """
    names = [RULES, *(name for level in ("text", "models") for name in LEVELS[level])]
    said = "All rule-based ones to begin with. A pipeline can be typed in: `eda_swap(rate=0.2) + typo_noise@0.5`."
    if inside:
        names = [RULES, INSIDE, *names[1:], *scan_lines.inside_lines()]
        said = (
            "All to begin with that need no further model. " + said.split(". ", 1)[1][:-1] + ", or `dropout(rate=0.3)`."
        )
    return choose_several("Augmentations", names, key=key, start=start, shown=shown, help=said)


def shown(name: str) -> str:
    """A choice as it is read."""
    if name in (RULES, INSIDE):
        return {RULES: "All rule-based", INSIDE: "All inside the encoder"}[name]
    if name == DROPOUT.id:
        return DROPOUT.title
    try:
        method = find_augmentation(name)
    except WorkbenchError:  # a pipeline that was typed in
        return name
    return method.title + next((f" ({said})" for level, said in _LEVELS.items() if name in LEVELS[level]), "")


_LEVELS = {"models": "model", "positions": "positions", "states": "token states", "vectors": "vectors"}


def expanded(chosen: Sequence[str]) -> list[str]:
    """The pipelines that were chosen, each once."""
    groups = {RULES: scan_lines.default_pipelines, INSIDE: scan_lines.inside_lines}
    found = [name for one in chosen for name in (groups[one]() if one in groups else [one])]
    return list(dict.fromkeys(found))


def _scan(asked: dict[str, Any], chosen: list[str]) -> None:
    """Estimate, then the scan itself: at once if it is short, else when somebody says so."""
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
        return
    lines = expanded(chosen)
    if not lines:
        empty("No augmentation is chosen.", "Choose one or more above, or all rule-based ones.")
        return
    estimate = ask("cost", slot="scan.cost", pipelines=lines, **asked)
    if estimate.result is None:
        answered([estimate], lambda: None, height=420)
        return
    run = json.dumps([lines, asked], sort_keys=True)
    about = estimate.result["about"]
    usable = estimate.result["table"].query("absent == ''")
    long = about["seconds"] > ASK_SECONDS or bool(usable["model"].any())
    wanted = st.session_state.get("scan.run") == run or (not long and st.session_state.get("scan.stopped") != run)
    if not wanted:
        _show_estimate(estimate.result)
        if st.button(f"Scan {count(about['n'])} texts", type="primary", key="scan.start"):
            st.session_state["scan.run"] = run
            st.rerun()
        return
    found = ask("scan", slot="scan", pipelines=lines, **asked)
    if not found.answer.over:
        _running(found, estimate.result, run)
    answered([found], lambda: show_scan(found.result, str(asked["target"])), height=420)


def _running(found: Question, estimate: dict[str, Any], run: str) -> None:
    seconds = duration(estimate["about"]["seconds"])
    words, button = st.columns([5, 1], vertical_alignment="center")
    with words:
        quiet(f"The estimate is {seconds}. What is done so far is kept if you stop.")
    if button.button("Stop", key="scan.stop", width="stretch"):
        found.take_back()
        st.session_state["scan.run"], st.session_state["scan.stopped"] = "", run
        st.rerun()


def _show_estimate(estimate: dict[str, Any]) -> None:
    about, table = estimate["about"], estimate["table"]
    known = table[table["absent"] == ""]
    takeaway(
        f"About {duration(about['seconds'])} for {count(about['n'])} of {count(about['texts'])} texts and "
        f"{len(known)} augmentation{'' if len(known) == 1 else 's'}."
    )
    facts(
        {
            "The whole corpus once": duration(about["full_seconds"]),
            "Its augmented lines on disk": size(about["full_bytes"]),
            "Cost": "time only",
        },
        {
            "The whole corpus once": f"{count(about['texts'])} texts",
            "Its augmented lines on disk": "one draw with each",
            "Cost": "nothing leaves this machine",
        },
    )
    slow = known.sort_values("seconds", ascending=False).head(3)
    said = ", ".join(f"{row.title} {duration(row.seconds)}" for row in slow.itertuples())
    quiet(f"Judged from {about['tried']} texts on this machine as busy as it is now. The longest: {said}.")
    left_out(table)
