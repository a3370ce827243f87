"""People judge drawn pairs without knowing which augmentation made them."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.previews.judging import MOST_PAIRS, PAIRS
from workbench.statistics.verdicts import VERDICTS
from workbench.store import judgements, names
from workbench.ui.address import choose
from workbench.ui.asking import answered, ask
from workbench.ui.augmenting import protected_form
from workbench.ui.differences import edits_html, legend_html
from workbench.ui.figures import download, takeaway
from workbench.ui.notices import attempt, empty, guarded, quiet
from workbench.ui.repeat import python_call, repeat
from workbench.ui.scanning import expanded, pick_pipelines
from workbench.ui.targets import pick_target, target_name
from workbench.ui.uploads import pick_corpus
from workbench.ui.words import DASH, count, figure, html, missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

_BUTTONS = {"same": ("Same", "1"), "changed": ("Changed", "2"), "broken": ("Broken", "3")}
_MEANS = {
    "same": "the second says what the first says",
    "changed": "it says something else, or leaves out what matters",
    "broken": "it is nothing that anyone would write",
}


def judge_tab() -> None:
    """The blind tab of the Augment page."""
    quiet(
        "An encoder's similarity cannot tell whether a sentence still says the same. Here you do: pairs of several "
        "augmentations come mixed, without their names. Each judgement is on the disk before the next pair is shown."
    )
    asked: dict[str, Any] = {}
    typed = st.text_input(
        "Your name", key="judge.name", bind="query-params", max_chars=judgements.LONGEST_NAME, width=320
    )
    name = (typed or "").strip()
    with st.expander("What is judged", expanded=not name):
        left, middle, right = st.columns([3, 4, 3], gap="large")
        with left, guarded():
            asked["corpus"] = pick_corpus()
        with middle:
            chosen = pick_pipelines("judge.pipelines", presets.JUDGED)
            asked["protect"], asked["protect_pattern"] = protected_form()
        with right:
            asked["target"] = pick_target("Similarity under")
            many, of = st.columns(2)
            asked["count"] = many.number_input(
                "Pairs of each",
                1,
                MOST_PAIRS,
                PAIRS,
                key="judge.count",
                bind="query-params",
                help="Changed texts only.",
            )
            asked["seed"] = of.number_input(
                "Seed",
                0,
                2**31 - 1,
                0,
                key="judge.seed",
                bind="query-params",
                help="The same seed gives the same pairs.",
            )
    with guarded():
        _pairs(asked, expanded(chosen), name)
    repeat(python_call("judgements"))


def _pairs(asked: dict[str, Any], lines: list[str], name: str) -> None:
    if not asked.get("corpus"):
        empty("No corpus yet.", "Choose one above.")
    elif not lines:
        empty("No augmentation is chosen.", "Choose two or more above: blind judging compares.")
    elif not name:
        empty("Who judges?", "Type your name above. Judgements are kept under it, and taken up again under it.")
    else:
        found = ask("drawn_pairs", slot="judge", pipelines=lines, **asked)
        answered([found], lambda: _judging(found.result, name, str(asked["target"])), height=200)


@st.fragment
def _judging(pairs: "DataFrame", name: str, target: str) -> None:
    """One pair after the other; the results at the end, or when they are asked for."""
    if pairs.empty:
        empty("None of these augmentations changed a text of this corpus.", "Choose others above.")
        return
    mine = judgements.of_judge(names.runs_folder(), name)
    left = pairs[~pairs["pair"].isin(mine)]
    done = len(pairs) - len(left)
    st.progress(done / len(pairs), text=f"{count(done)} of {count(len(pairs))} pairs judged")
    if len(left):
        _pair(left.iloc[0].to_dict(), name, mine)
    else:
        takeaway("All pairs are judged.")
        st.button("Undo the last one", key="judge.undo", on_click=_say, args=(name, {}, "undo"))
    if not len(left) or st.toggle("Show the results so far", key="judge.reveal", help="They name the augmentations."):
        _results(pairs, name, target)


def _pair(pair: dict[str, Any], name: str, mine: dict[str, Any]) -> None:
    """The first pair that this judge has not judged, and the keys."""
    marked = bool(st.session_state.get("judge.marked"))
    second = edits_html(pair["before"], pair["text"]) if marked else html(pair["text"])
    st.html(
        '<div class="judged">'
        f'<div><p class="label">first: as it was</p><p class="text">{html(pair["before"])}</p></div>'
        f'<div><p class="label">second: made from it</p><p class="text edits">{second}</p></div></div>'
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
    st.toggle("Mark what differs", key="judge.marked", persist_state="session", help="Off, you read as a reader would.")
    if marked:
        st.html(legend_html())
    said = "; ".join(f"{_BUTTONS[verdict][0].lower()}: {means}" for verdict, means in _MEANS.items())
    st.html(f'<p class="footing">{html(said)}.</p>')


def _say(name: str, pair: dict[str, Any], verdict: str) -> None:
    attempt(lambda: api.judge(name, pair, verdict))


def _results(pairs: "DataFrame", name: str, target: str) -> None:
    """What was said of each augmentation, beside the similarity of the same pairs."""
    from workbench.statistics.verdicts import agreement, verdict_shares

    table = api.judgements()
    table = table[table["pair"].isin(pairs["pair"])].merge(pairs[["pair", "cosine"]], on="pair")
    own = " ".join(name.split())
    judges = sorted(set(table["judge"]), key=lambda judge: (judge.casefold() != own.casefold(), judge))
    if not judges:
        quiet("Nothing is judged yet.")
        return
    st.subheader("What people say, and what the encoder says")
    whose = judges[0]
    if len(judges) > 1:
        whose = choose("Judgements of", judges, key="judge.whose", start=judges[0])
    shares = verdict_shares(table[table["judge"] == whose]).sort_values("same", ignore_index=True, ascending=False)
    titles = dict(zip(pairs["pipeline"], pairs["title"], strict=True))
    takeaway(_point(shares, titles))
    _sheet(shares, titles)
    st.html(
        f'<p class="footing">{html(whose)}; shares with 95 % Wilson intervals; similarity: mean cosine of the same pairs under '
        f"{html(target_name(target))}, 95 % bootstrap interval.</p>"
    )
    if len(judges) > 1:
        _agreement(agreement(table))
    download(table, "judgements.csv")


def _point(shares: "DataFrame", titles: dict[str, str]) -> str:
    best, worst = shares.iloc[0], shares.iloc[-1]
    if len(shares) == 1:
        return f"“{titles[best['pipeline']]}” kept the meaning in {100 * best['same']:.0f} % of its pairs."
    if best["same"] == worst["same"]:
        return f"All {len(shares)} kept the meaning equally often, in {100 * best['same']:.0f} % of their pairs."
    said = f"“{titles[best['pipeline']]}” kept the meaning most often ({100 * best['same']:.0f} %), "
    said += f"“{titles[worst['pipeline']]}” least often ({100 * worst['same']:.0f} %)"
    said += "; their intervals still overlap." if best["same_low"] <= worst["same_high"] else "."
    known = shares.dropna(subset=["cosine"])
    if len(known) > 1 and known["cosine"].idxmax() != known["same"].idxmax():
        said += f" The encoder finds “{titles[known.loc[known['cosine'].idxmax(), 'pipeline']]}” the most similar."
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


def _span(row: dict[str, Any], name: str, scale: float, decimals: int) -> str:
    return f"{figure(scale * row[f'{name}_low'], decimals)} to {figure(scale * row[f'{name}_high'], decimals)}"


def _agreement(table: "DataFrame") -> None:
    """Cohen's kappa of each two judges."""
    if table.empty:
        quiet("No two people judged the same pair yet, so agreement cannot be told.")
        return
    lines: Sequence[str] = [
        f"{row.first} and {row.second} agree on {100 * row.agreed:.0f} % of {count(row.n)} pairs in common, Cohen's kappa "
        + (figure(row.kappa) if not missing(row.kappa) else "undefined (both used one word throughout)")
        for row in table.itertuples()
    ]
    for line in lines:
        quiet(f"{line}.")
