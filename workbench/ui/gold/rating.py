"""People rate pairs of texts from 0 to 5, from the keyboard, without knowing what any encoder thinks of them."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.previews.gold import MOST_PAIRS, PAIRS
from workbench.statistics.agreement import LEAST_PAIRS, with_the_others
from workbench.store import gold, judgements, names
from workbench.ui.corpora.choice import pick_corpus
from workbench.ui.kit.address import MOST_SEED, bound_number, choose, choose_several
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.notices import attempt, empty, footing, fragment, guarded, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import sheet
from workbench.ui.kit.words import DASH, count, html, interval, missing, score
from workbench.ui.targets.choice import known_targets, option_names, readable, say_older_runs
from workbench.verbs import gold_pairs as gold_pairs_verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.store.gold import GoldSet
    from workbench.store.shapes import GoldPair, Rating

MEANS = {
    5: "the same in meaning",
    4: "the same but for details that do not matter",
    3: "much the same, but something that matters differs or is missing",
    2: "not the same, but they share details",
    1: "not the same, but on one topic",
    0: "nothing in common",
}
"""The scale of the STS tasks, Agirre et al. 2012."""
_SHORT = ("Unrelated", "Topic", "Details", "Roughly", "Nearly", "Same")
"""What the buttons say, from 0; the key stands beside it."""
_LEAST_SCORED = 2
"""Pairs that a pair set needs."""
_UNUSABLE = 0.2
"""Agreement at which ratings cannot rank encoders."""
_NEW = ""
"""The choice that makes a new set."""


def rate_tab() -> None:
    """Choose or make a set, then rate its pairs one after another."""
    sets = {kept.name: kept for kept in api.gold_sets()}
    who, which = st.columns([1, 2], gap="medium")
    typed = who.text_input("Your name", key="gold.rater", bind="query-params", max_chars=judgements.LONGEST_NAME)
    rater = (typed or "").strip()
    # Every link to this page has the name in it, for those who reload it; whoever opens one of somebody else is told.
    linked = st.session_state.setdefault("gold.linked", rater)
    with which:
        chosen = choose(
            "Pairs to rate",
            [*sets, _NEW],
            key="gold.set",
            start=next(iter(sets), _NEW),
            always=True,  # a set that somebody adds must not change what a reload or a copied link shows
            shown=lambda name: name or "a new set …",
            why_missed="It is in another runs folder.",
        )
    with guarded():
        if chosen == _NEW:
            _new_set()
        elif not rater:
            empty("Who rates?", "Type your name above. Your ratings are saved under it, so you can continue later.")
        else:
            if rater == linked:
                quiet(f"You rate as {rater}, the name in the link. Somebody else? Type your own name above first.")
            _rating(sets[chosen], rater)
    repeat(python_call("ratings", chosen) if chosen else python_call("gold_sets"))


def _new_set() -> None:
    """The form of a new set: texts, encoders that spread the pairs, and how many."""
    asked: dict[str, Any] = {}
    left, middle, right = st.columns([3, 4, 3], gap="large")
    with left, guarded():
        asked["corpus"] = pick_corpus()
    with middle:
        targets = choose_several(
            "Encoders that spread the pairs",
            known_targets(),
            key="gold.targets",
            start=list(presets.GOLD_TARGETS),
            shown=option_names(),
            max_selections=4,
            help="Pairs are chosen evenly over their similarity, and where these disagree most. Raters see none of it.",
        )
        say_older_runs()
        asked["targets"] = readable(targets)
        asked["disputed"] = st.slider(
            "Share chosen where they disagree", 0.0, 1.0, 0.3, 0.1, key="gold.disputed", disabled=len(targets) < 2
        )
    with right:
        asked["count"] = bound_number(
            st.number_input, "Pairs", 4, MOST_PAIRS, PAIRS, key="gold.count", help="About 15 seconds each."
        )
        asked["seed"] = bound_number(st.number_input, "Seed", 0, MOST_SEED, 0, key="gold.seed")
    name = st.text_input(
        "Name of the set", key="gold.name", max_chars=gold.LONGEST_NAME, width=320, placeholder="tickets"
    )
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
    elif not asked["targets"]:
        empty("No encoder chosen.", "Choose at least one above: it spreads the pairs over its similarities.")
    elif not (name or "").strip():
        empty("No name yet.", "Name the set above, then the pairs are drawn.")
    else:
        gold.new_name(names.runs_folder(), str(name))  # what is wrong with it stands below its field
        drawn = ask(gold_pairs_verb.VERB, slot="gold", **asked)
        when_answered([drawn], lambda: _offer(drawn.there, str(name)), height=120)


def _offer(pairs: "DataFrame", name: str) -> None:
    """Say what was drawn, and keep it on a click. The pairs themselves are not shown, since who makes a set also rates it."""
    disputed = int((pairs["chosen"] == "disagreement").sum())
    quiet(
        f"{count(len(pairs))} pairs are drawn: {count(len(pairs) - disputed)} evenly over similarity, {count(disputed)} where "
        "the encoders disagree. They stay the same for everyone who rates."
    )
    for notice in pairs.attrs["notices"]:
        quiet(notice)
    st.button(f"Rate {count(len(pairs))} pairs", key="gold.keep", type="primary", on_click=_keep, args=(name, pairs))


def _keep(name: str, pairs: "DataFrame") -> None:
    if attempt(lambda: api.keep_gold(name, pairs)):
        st.session_state["gold.set"] = " ".join(name.split())
        st.session_state["gold.name"] = ""


@fragment()
def _rating(kept: "GoldSet", rater: str) -> None:
    """One pair after another; agreement and what to do with the ratings on request, and at the end."""
    pairs, mine = kept.pairs, gold.of_rater(kept, rater)
    left = [pair for pair in pairs if pair["pair"] not in mine]
    st.progress(1 - len(left) / len(pairs), text=f"{count(len(pairs) - len(left))} of {count(len(pairs))} pairs rated")
    if left:
        _pair(kept.name, left[0], rater, mine)
    else:
        takeaway("All pairs are rated.")
        st.button("Undo the last rating", key="gold.undo", on_click=_rate, args=(kept.name, rater, "", "undo"))
    if not left or st.toggle("Agreement, and what to do with the ratings", key="gold.reveal"):
        _results(kept)


def _pair(name: str, pair: "GoldPair", rater: str, mine: "dict[str, Rating]") -> None:
    """The pair, and a button for each score."""
    sides = ((label, pair[side]) for label, side in (("first", "sentence1"), ("second", "sentence2")))  # type: ignore[literal-required]
    shown = (
        f'<div><p class="label">{label}</p><p class="text">{passage(str(text))}</p></div>' for label, text in sides
    )
    st.html(f'<div class="judged">{"".join(shown)}</div>')
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for value, means in sorted(MEANS.items()):
            st.button(
                _SHORT[value],
                key=f"gold.{value}",
                on_click=_rate,
                args=(name, rater, pair["pair"], value),
                shortcut=str(value),
                help=f"{means.capitalize()}.",
            )
        st.button(
            "Undo",
            key="gold.undo",
            on_click=_rate,
            args=(name, rater, "", "undo"),
            shortcut="U",
            disabled=not mine,
            type="tertiary",
        )
    legend = "<br>".join(f"<b>{value}</b> {html(means)}" for value, means in MEANS.items())
    st.html(f'<p class="footing">How alike are they in meaning? Press the key.<br>{legend}</p>')


def _rate(name: str, rater: str, pair: str, value: int | str) -> None:
    attempt(lambda: api.rate(name, rater, pair, value))


def _results(kept: "GoldSet") -> None:
    """Agreement of the raters, which is the ceiling for encoders, and where to use the ratings."""
    table = api.ratings(kept.name)
    if table.empty:
        quiet("No ratings yet.")
        return
    rated = table["pair"].nunique()
    st.header("Agreement")
    raters = with_the_others(table)
    known = raters["rho"].dropna()
    if len(known) and known.mean() <= _UNUSABLE:
        takeaway(
            f"One person agrees with the others by Spearman {score(known.mean())}: these ratings cannot rank encoders yet."
        )
    elif len(known):
        takeaway(
            f"One person agrees with the others by Spearman {score(known.mean())}: a ceiling for what these ratings can ask of "
            "an encoder."
        )
    else:
        quiet(
            f"Agreement is unknown until two people have rated {LEAST_PAIRS} pairs in common, and so is the ceiling: how well an "
            "encoder could do at best."
        )
    lines = []
    for row in raters.to_dict("records"):
        spread = f"<br><small>{interval(row['low'], row['high'])}</small>"
        cells = [count(row["rated"]), count(row["n"]), DASH if missing(row["rho"]) else f"{score(row['rho'])}{spread}"]
        shown = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><td class="words">{html(row["rater"])}</td>{shown}</tr>')
    sheet(
        "<th class='words'>Rater</th><th>Pairs</th><th>Also rated<br>by others</th><th>Spearman<br>with the others</th>",
        lines,
    )
    footing("Spearman of each rater with the mean of all others, 95 % bootstrap intervals over pairs.")
    st.header("Use the ratings")
    if rated < _LEAST_SCORED:
        quiet("One pair is rated. From two on, pairs with their mean ratings are a pair set like any other.")
    else:
        quiet(
            f"{count(rated)} pairs with their mean ratings are a pair set like any other, {kept.table.name}: on Train to choose "
            "the best step, and wherever pairs are scored. Use one set to choose and another to report."
        )
        with st.container(horizontal=True):
            address = {"pairs": str(kept.table)}
            st.page_link(
                "pages/compare.py",
                label="Compare encoders on it",
                icon=":material/arrow_forward:",
                query_params=address,
            )
        st.code(str(kept.table), language=None, wrap_lines=True)
    download(table, f"{kept.name}-ratings.csv")
