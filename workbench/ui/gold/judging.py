"""People judge augmented pairs without knowing which augmentation made them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.core.records import Row
from workbench.previews.judging import MOST_PAIRS, PAIRS
from workbench.statistics.verdicts import VERDICTS
from workbench.store import judgements, names
from workbench.ui.corpora.choice import pick_corpus
from workbench.ui.kit.address import MOST_SEED, bound_number, choose
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.differences import edits_html, legend_html
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.notices import attempt, empty, footing, fragment, guarded, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.words import DASH, count, figure, html, missing
from workbench.ui.pipelines.groups import chosen_pipelines, pick_pipelines
from workbench.ui.pipelines.protected import protected_form
from workbench.ui.targets.choice import pick_target
from workbench.ui.targets.names import target_name
from workbench.verbs import drawn_pairs as drawn_pairs_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

_BUTTONS = {"same": ("Same", "1"), "changed": ("Changed", "2"), "broken": ("Broken", "3")}
_MEANS = {
    "same": "the second means the same as the first",
    "changed": "it means something else, or omits what matters",
    "broken": "nobody would write it",
}


def judge_tab() -> None:
    """The tab of the page Gold where augmentations are judged."""
    quiet(
        "An encoder's similarity cannot tell whether a sentence still means the same, but you can: pairs from several "
        "augmentations are shuffled and shown without names. Each judgement is saved before the next pair is shown."
    )
    asked: dict[str, Any] = {}
    typed = st.text_input(
        "Your name", key="judge.name", bind="query-params", max_chars=judgements.LONGEST_NAME, width=320
    )
    name = (typed or "").strip()
    with st.expander("What to judge", expanded=not name):
        left, middle, right = st.columns([3, 4, 3], gap="large")
        with left, guarded():
            asked["corpus"] = pick_corpus()
        with middle:
            chosen = pick_pipelines("judge.pipelines", presets.JUDGED)
            asked["protect"], asked["protect_pattern"] = protected_form()
        with right:
            with guarded():
                asked["target"] = pick_target("Similarity under")
            many, of = st.columns(2)
            asked["count"] = bound_number(
                many.number_input,
                "Pairs per augmentation",
                1,
                MOST_PAIRS,
                PAIRS,
                key="judge.count",
                help="Only texts that changed.",
            )
            asked["seed"] = bound_number(
                of.number_input, "Seed", 0, MOST_SEED, 0, key="judge.seed", help="The same seed gives the same pairs."
            )
    if "target" not in asked:  # its field says why
        return
    with guarded():
        _pairs(asked, chosen_pipelines(chosen), name)
    repeat(python_call("judgements"))


def _pairs(asked: dict[str, Any], lines: list[str], name: str) -> None:
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
    elif not lines:
        empty("No augmentations chosen.", "Choose at least two above to compare.")
    elif not name:
        empty("Who judges?", "Type your name above. Your judgements are saved under it, so you can continue later.")
    else:
        found = ask(drawn_pairs_verb.VERB, slot="judge", pipelines=lines, **asked)
        when_answered([found], lambda: _judging(found.there, name, str(asked["target"])), height=200)


@fragment()
def _judging(pairs: "DataFrame", name: str, target: str) -> None:
    """One pair after another; the results at the end or on request."""
    if pairs.empty:
        empty("None of these augmentations changed any text of this corpus.", "Choose others above.")
        return
    mine = judgements.of_judge(names.runs_folder(), name)
    left = pairs[~pairs["pair"].isin(mine)]
    done = len(pairs) - len(left)
    st.progress(done / len(pairs), text=f"{count(done)} of {count(len(pairs))} pairs judged")
    if len(left):
        _pair(left.iloc[0].to_dict(), name, mine)
    else:
        takeaway("All pairs are judged.")
        st.button("Undo the last judgement", key="judge.undo", on_click=_say, args=(name, {}, "undo"))
    if not len(left) or st.toggle("Show the results so far", key="judge.reveal", help="They reveal the augmentations."):
        _results(pairs, name, target)


def _pair(pair: Row, name: str, mine: Mapping[str, object]) -> None:
    """The first pair that this judge has not judged, and the buttons."""
    marked = bool(st.session_state.get("judge.marked"))
    second = edits_html(pair["before"], pair["text"]) if marked else ""
    st.html(
        '<div class="judged">'
        f'<div><p class="label">first: original</p><p class="text">{passage(pair["before"])}</p></div>'
        f'<div><p class="label">second: augmented</p><p class="text edits">{passage(pair["text"], second)}</p></div></div>'
    )

    with st.container(horizontal=True, vertical_alignment="center"):
        for verdict, (label, key) in _BUTTONS.items():
            st.button(
                label,
                key=f"judge.{verdict}",
                on_click=_say,
                args=(name, pair, verdict),
                shortcut=key,
                help=f"{_MEANS[verdict].capitalize()}.",
            )
        st.button(
            "Undo",
            key="judge.undo",
            on_click=_say,
            args=(name, pair, "undo"),
            shortcut="U",
            disabled=not mine,
            type="tertiary",
        )
    st.toggle(
        "Highlight differences",
        key="judge.marked",
        persist_state="session",
        help="When off, you read it as any reader would.",
    )
    if marked:
        st.html(legend_html())
    legend = "; ".join(f"{_BUTTONS[verdict][0].lower()}: {means}" for verdict, means in _MEANS.items())
    st.html(f'<p class="footing">{html(legend)}.</p>')


def _say(name: str, pair: Row, verdict: str) -> None:
    attempt(lambda: api.judge(name, dict(pair), verdict))


def _results(pairs: "DataFrame", name: str, target: str) -> None:
    """The verdicts on each augmentation, next to the similarity of the same pairs."""
    from workbench.statistics.verdicts import agreement, verdict_shares

    table = api.judgements()
    table = table[table["pair"].isin(pairs["pair"])].merge(pairs[["pair", "cosine"]], on="pair")
    own = " ".join(name.split())
    judges = sorted(set(table["judge"]), key=lambda judge: (judge.casefold() != own.casefold(), judge))
    if not judges:
        quiet("No judgements yet.")
        return
    st.header("People's judgements and the encoder's similarity")
    whose = judges[0]
    if len(judges) > 1:
        whose = choose("Judgements of", judges, key="judge.whose", start=judges[0])
    shares = verdict_shares(table[table["judge"] == whose]).sort_values("same", ignore_index=True, ascending=False)
    titles = dict(zip(pairs["pipeline"], pairs["title"], strict=True))
    takeaway(_point(shares, titles))
    _sheet(shares, titles)
    footing(
        f"{whose}; shares with 95 % Wilson intervals; similarity: mean cosine of the same pairs under {target_name(target)}, "
        "95 % bootstrap interval."
    )
    if len(judges) > 1:
        _agreement(agreement(table))
    download(table, "judgements.csv")


def _point(shares: "DataFrame", titles: dict[str, str]) -> str:
    best, worst = shares.iloc[0], shares.iloc[-1]
    if len(shares) == 1:
        return f"“{titles[best['pipeline']]}” preserved the meaning in {100 * best['same']:.0f} % of its pairs."
    if best["same"] == worst["same"]:
        return f"All {len(shares)} preserved the meaning equally often, in {100 * best['same']:.0f} % of their pairs."
    said = f"“{titles[best['pipeline']]}” preserved the meaning most often ({100 * best['same']:.0f} %), "
    said += f"“{titles[worst['pipeline']]}” least often ({100 * worst['same']:.0f} %)"
    said += "; their intervals still overlap." if best["same_low"] <= worst["same_high"] else "."
    known = shares.dropna(subset=["cosine"])
    if len(known) > 1 and known["cosine"].idxmax() != known["same"].idxmax():
        said += f" The encoder rates “{titles[known.loc[known['cosine'].idxmax(), 'pipeline']]}” as most similar."
    return said


def _sheet(shares: "DataFrame", titles: dict[str, str]) -> None:
    head = "<th class='words'>Augmentation</th><th>Pairs</th>"
    head += "".join(f"<th>{_BUTTONS[verdict][0]}</th>" for verdict in VERDICTS) + "<th>Similarity</th>"
    rows = []
    for row in shares.to_dict("records"):
        cells = [f"{100 * row[verdict]:.0f} %<br><small>{_span(row, verdict, 100, 0)}</small>" for verdict in VERDICTS]
        cosine = (
            DASH
            if missing(row["cosine"])
            else f"{figure(row['cosine'])}<br><small>{_span(row, 'cosine', 1, 2)}</small>"
        )
        shown = "".join(f"<td>{cell}</td>" for cell in [count(row["n"]), *cells, cosine])
        rows.append(f'<tr><td class="words">{html(titles[row["pipeline"]])}</td>{shown}</tr>')
    st.html(f'<div class="sheet"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')


def _span(row: Row, name: str, scale: float, decimals: int) -> str:
    return f"{figure(scale * row[f'{name}_low'], decimals)} to {figure(scale * row[f'{name}_high'], decimals)}"


def _agreement(table: "DataFrame") -> None:
    """Cohen's kappa of every two judges."""
    if table.empty:
        quiet("No two people have judged the same pair yet, so agreement is unknown.")
        return
    lines: Sequence[str] = [
        f"{row.first} and {row.second} agree on {100 * row.agreed:.0f} % of {count(row.n)} pairs in common, Cohen's kappa "
        + (figure(row.kappa) if not missing(row.kappa) else "undefined (both always gave the same verdict)")
        for row in table.itertuples()
    ]
    for line in lines:
        quiet(f"{line}.")
