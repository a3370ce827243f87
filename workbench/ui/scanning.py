"""Every augmentation over a sample of a corpus: which move a text little, and which much."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.augmentations.catalogue import LEVELS, find_augmentation
from workbench.core.errors import WorkbenchError
from workbench.jobs import scan_lines, scanning
from workbench.jobs.perturbed import DROPOUT
from workbench.ui.address import choose, choose_several
from workbench.ui.asking import Question, answered, ask
from workbench.ui.augmenting import protected_form
from workbench.ui.differences import edits_html, legend_html
from workbench.ui.figures import FONT, download, takeaway
from workbench.ui.notices import empty, facts, guarded, quiet
from workbench.ui.repeat import python_call, repeat
from workbench.ui.targets import pick_target, target_name
from workbench.ui.theme import dark
from workbench.ui.uploads import pick_corpus
from workbench.ui.words import DASH, count, duration, figure, html, missing, share, size

if TYPE_CHECKING:
    from pandas import DataFrame

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
            scanning.MOST_TEXTS,
            scanning.SAMPLE,
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
    _absent(table)


def _absent(table: "DataFrame") -> None:
    for row in table[table["absent"] != ""].itertuples():
        quiet(f"{row.title} is left out. {row.absent}")


def show_scan(result: dict[str, Any], target: str) -> None:
    """Plane, table and extremes."""
    table, about = result["table"], result["about"]
    measured = table[table["absent"] == ""].sort_values("cosine", ignore_index=True, na_position="last")
    if measured.empty:
        empty("None of these augmentations can be used on this machine.", "Choose others above.")
        _absent(table)
        return
    titles = dict(zip(measured["pipeline"], measured["title"], strict=True))
    key = "scan.shown"
    if st.session_state.get(key) not in titles:
        st.session_state[key] = measured["pipeline"].iloc[0]
    _planes(measured, about)
    _table(measured, key)
    _absent(table)
    st.html(f'<p class="footing">{html(_protocol(about, target, set(measured["pipeline"])))}</p>')
    download(table, "scan.csv")
    chosen = choose("Examples of", list(titles), key=key, start=measured["pipeline"].iloc[0], shown=titles.__getitem__)
    _extremes(result["extremes"], chosen)


def _planes(measured: "DataFrame", about: dict[str, Any]) -> None:
    """One plane for what changes texts and one for what leaves them alone: their rates are different quantities."""
    on_texts = measured["acts_on"] == "texts"
    if on_texts.any():
        _plane(measured, about, inside=False)
    if not on_texts.all():
        _plane(measured, about, inside=True)
    unchanged = int((measured["n_changed"] == 0).sum())
    rest = f" {unchanged} changed no text and {'has' if unchanged == 1 else 'have'} no point." if unchanged else ""
    quiet(
        "Axes are stretched towards small changes and high similarity, where most augmentations crowd. Stripes: 90 % of "
        f"the pairs. Colour and shape are what the authors say of the meaning, not a measurement.{rest}"
    )


def _plane(measured: "DataFrame", about: dict[str, Any], *, inside: bool) -> None:
    from workbench.plots.scan_plane import scan_plane
    from workbench.plots.template import alt_text, takeaway_of

    marked = str(st.session_state.get("scan.shown", ""))
    drawn = scan_plane(measured, about["references"], inside=inside, dark=dark(), marked=marked)
    st.html(f'<p class="of">{"Inside the encoder" if inside else "Texts"}</p>')
    takeaway(takeaway_of(drawn))
    drawn.update_layout(font={"family": FONT}, hoverlabel={"font": {"family": FONT}})
    with st.container(key="scan-plane-inside" if inside else "scan-plane"):
        st.plotly_chart(
            drawn,
            theme=None,
            key="scan.plane.inside" if inside else "scan.plane",
            alt=alt_text(drawn),
            width="content",
            height="content",
            config={"displaylogo": False, "displayModeBar": False, "scrollZoom": False},
        )


_NUMBER = {
    "changed": ("changed, %", "Share of texts that came out different (95 % interval beside it).", "%.1f"),
    "perturbation": (
        "perturbed, %",
        "Mean share that was changed in a changed text. Of what, the next column says: rates of different things are "
        "different quantities.",
        "%.1f",
    ),
    "size": (
        "size, %",
        "Length of the change in the length of what was changed: the matrix of token states (positions, token states), "
        "or the vector (vectors, dropout).",
        "%.1f",
    ),
    "length": ("length, %", "Words more or fewer in a changed text; tokens that are still attended to.", "%+.1f"),
    "cosine": ("similarity kept", "Mean cosine with and without, over changed texts.", "%.3f"),
    "cosine_all": ("over all texts", "The same, unchanged texts counted as 1.", "%.3f"),
    "duplicates": ("duplicates, %", "Came out as another text of the corpus.", "%.1f"),
    "acted": ("protected, %", "Texts where a protected term would have been lost.", "%.1f"),
    "texts_per_second": ("texts / s", "Drawing alone, without encoding.", "%d"),
}
_PERCENT = ("changed", "perturbation", "size", "length", "duplicates", "acted")


def _table(measured: "DataFrame", key: str) -> None:
    """Sortable; choosing a row shows its examples below."""
    import pandas

    shown_table = pandas.DataFrame({"augmentation": measured["title"], "acts on": measured["acts_on"].map(_ACTS_ON)})
    shown_table["meaning"], shown_table["role"] = measured["class"].map(_MEANING), measured["role"]
    shown_table["n"] = measured["n"]
    for name, (title, _, _) in _NUMBER.items():
        if measured[name].isna().all():
            continue
        shown_table[title] = measured[name] * (100 if name in _PERCENT else 1)
        if name in ("changed", "cosine"):
            scale = 100 if name == "changed" else 1
            ends = zip(measured[f"{name}_low"], measured[f"{name}_high"], strict=True)
            shown_table[f"95 %{'' if name == 'changed' else ' '}"] = [_span(*pair, scale) for pair in ends]
        if name == "perturbation":
            shown_table["of"] = measured["perturbed"]
    if not (measured["acted"] > 0).any():
        shown_table = shown_table.drop(columns=_NUMBER["acted"][0], errors="ignore")
    config: dict[str, Any] = {
        title: st.column_config.NumberColumn(title, help=said, format=form) for title, said, form in _NUMBER.values()
    }
    config["augmentation"] = st.column_config.TextColumn("augmentation", pinned=True, width="medium")
    config["95 % "] = st.column_config.TextColumn("95 %", help="Bootstrap over texts.")
    config["95 %"] = st.column_config.TextColumn("95 %", help="Wilson's interval.")

    def picked() -> None:
        rows = st.session_state["scan.table"]["selection"]["rows"]
        if rows:
            st.session_state[key] = measured["pipeline"].iloc[rows[0]]

    st.dataframe(
        shown_table,
        hide_index=True,
        column_config=config,
        key="scan.table",
        on_select=picked,
        selection_mode="single-row",
        height="auto" if len(shown_table) <= 9 else 460,
        placeholder=DASH,
        alt="Each augmentation with what it does to the sample, least similarity first",
    )


_ACTS_ON = {
    "texts": "texts",
    "positions": "positions",
    "states": "token states",
    "vectors": "vectors",
    "dropout": "every layer",
}
_MEANING = {"meaning_alteration": "alters", "possible": "may alter", "preserving": "preserves"}


def _span(low: float | None, high: float | None, scale: float) -> str:
    if missing(low) or missing(high):
        return ""
    decimals = 1 if scale == 100 else 3
    return f"{figure(scale * float(low or 0), decimals)} to {figure(scale * float(high or 0), decimals)}"


def _protocol(about: dict[str, Any], target: str, lines: set[str]) -> str:
    dropout, random = about["references"]["dropout"], about["references"]["random"]
    said = [f"{count(about['n'])} of {count(about['texts'])} texts, drawn by length"]
    said[0] += f" and {about['strata']}" if about["strata"] else ""
    said[0] += f" with seed {about['seed']}"
    said.append(
        f"cosine under {target_name(target)}, precision {about['precision']}, at most {about['max_length']} tokens"
    )
    if dropout["n"]:
        said.append(
            f"dropout pairs: {count(dropout['n'])} texts, rate {dropout['rate']:g}, mean {figure(dropout['mean'], 3)}"
        )
    if random["n"]:
        said.append(f"random pairs: {count(random['n'])}, mean {figure(random['mean'], 3)}")
    if any(line.startswith(("fgv", "fgsm")) for line in lines):
        said.append("adversarial noise follows the gradient of the unsupervised SimCSE loss over batches of 64 texts")
    said.append("a click on a column sorts, a click on a row shows its examples")
    return "; ".join(said) + "."


def _extremes(extremes: "DataFrame", pipeline: str) -> None:
    own = extremes[extremes["pipeline"] == pipeline]
    if own.empty:
        quiet("It changed no text of this sample.")
        return
    columns = st.columns(2, gap="large")
    for column, (end, title) in zip(columns, (("least", "Least similar"), ("most", "Most similar")), strict=True):
        rows = own[own["end"] == end].sort_values("rank")
        parts = [
            f'<div class="draw"><span class="label">cosine<br>{figure(row.cosine, 3)}</span>'
            f"<span>{_example(row)}</span></div>"
            for row in rows.itertuples()
        ]
        with column:
            st.html(f'<p class="of">{title}</p><div class="edits">{"".join(parts)}</div>')
            if not parts:
                quiet(f"All {share(1.0)} of the changed texts stand on the other side: there are so few.")
    if not own["note"].str.len().any():
        st.html(legend_html())


def _example(row: Any) -> str:
    """What became of a text, and where it is not the text that changed, what did."""
    return (
        f'{html(row.before)}<span class="note">{html(row.note)}</span>'
        if row.note
        else edits_html(row.before, row.text)
    )
