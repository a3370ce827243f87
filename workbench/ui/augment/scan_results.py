"""The results of a scan: planes of change against similarity, the table, and the most extreme examples."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import streamlit as st

from workbench.previews.scan_lines import follows_gradient
from workbench.ui.kit.address import choose
from workbench.ui.kit.differences import edits_html, legend_html
from workbench.ui.kit.figures import CONFIG, FONT, download, save_menu, takeaway
from workbench.ui.kit.notices import empty, footing, part, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import DASH, count, figure, html, missing
from workbench.ui.targets.names import target_name
from workbench.verbs.scan import Scanned

if TYPE_CHECKING:
    from pandas import DataFrame
    from streamlit.elements.lib.column_types import ColumnConfig


def show_scan(result: Scanned, target: str) -> None:
    """Plane, table and extremes."""
    table, about = result.table, result.about
    measured = table[table["absent"] == ""].sort_values("cosine", ignore_index=True, na_position="last")
    if measured.empty:
        empty("None of these augmentations is available on this machine.", "Choose others above.")
        left_out(table)
        return
    titles = dict(zip(measured["pipeline"], measured["title"], strict=True))
    key = "scan.shown"
    if st.session_state.get(key) not in titles:
        st.session_state[key] = measured["pipeline"].iloc[0]
    _planes(measured, about)
    _table(measured, key)
    left_out(table)
    footing(_protocol(about, target, set(measured["pipeline"])))
    download(table, "scan.csv")
    part("Examples")
    chosen = choose("Augmentation", list(titles), key=key, start=measured["pipeline"].iloc[0], shown=titles.__getitem__)
    _extremes(result.extremes, chosen)


def _planes(measured: "DataFrame", about: Mapping[str, Any]) -> None:
    """One plane for steps on texts and one for steps inside the encoder, whose rates are different quantities."""
    on_texts = measured["acts_on"] == "texts"
    if on_texts.any():
        _plane(measured, about, inside=False)
    if not on_texts.all():
        _plane(measured, about, inside=True)
    unchanged = int((measured["n_changed"] == 0).sum())
    rest = f" {unchanged} changed no text and {'is' if unchanged == 1 else 'are'} not shown." if unchanged else ""
    quiet(
        "The axes are stretched towards small changes and high similarity, where most augmentations lie. Stripes: 90 % of "
        f"the pairs. Colour and shape give the effect on meaning as a label, not a measurement: AugCSE's for its own "
        f"augmentations, ours for the others.{rest}"
    )


def _plane(measured: "DataFrame", about: Mapping[str, Any], *, inside: bool) -> None:
    from workbench.plots.scan_plane import scan_plane
    from workbench.plots.template import alt_text, takeaway_of

    marked = str(st.session_state.get("scan.shown", ""))
    drawn = scan_plane(measured, about["references"], inside=inside, dark=dark(), marked=marked)
    part("Inside the encoder" if inside else "Texts")
    takeaway(takeaway_of(drawn))
    drawn.update_layout(font={"family": FONT}, hoverlabel={"font": {"family": FONT}})
    key = "scan.chart.inside" if inside else "scan.chart"
    with st.container(key="scan-plane-inside" if inside else "scan-plane"):
        st.plotly_chart(
            drawn,
            theme=None,
            key=key,
            alt=alt_text(drawn),
            width="content",
            height="content",
            config=CONFIG,
        )
    save_menu(lambda: drawn, key, measured[(measured["acts_on"] != "texts") == inside])


_NUMBER = {
    "cosine": (
        "similarity kept",
        "Mean cosine of the original and the changed text (95 % interval next to it).",
        "%.3f",
    ),
    "changed": ("changed, %", "Share of texts that were changed (95 % interval next to it).", "%.1f"),
    "perturbation": (
        "perturbed, %",
        "Mean share that was changed in a changed text; the next column says of what.",
        "%.1f",
    ),
    "length": (
        "length, %",
        "Change in the number of words of a changed text; inside the encoder, of tokens attended to.",
        "%+.1f",
    ),
    "size": (
        "size, %",
        "Norm of the change relative to the norm of what was changed: the matrix of token states (positions, token "
        "states) or the vector (vectors, dropout).",
        "%.1f",
    ),
    "cosine_all": ("over all texts", "Similarity with unchanged texts counted as 1.", "%.3f"),
    "duplicates": ("duplicates, %", "Became identical to another text of the corpus.", "%.1f"),
    "acted": ("protected, %", "Texts in which a protected term would have been lost.", "%.1f"),
    "texts_per_second": ("texts / s", "Augmentation alone, without encoding.", "%d"),
}
_PERCENT = ("changed", "perturbation", "size", "length", "duplicates", "acted")


def _table(measured: "DataFrame", key: str) -> None:
    """A sortable table; selecting a row shows its examples below."""
    import pandas

    shown_table = pandas.DataFrame({"augmentation": measured["title"], "acts on": measured["acts_on"].map(_ACTS_ON)})
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
        if name == "cosine_all":
            shown_table["meaning"], shown_table["role"] = measured["class"].map(_MEANING), measured["role"]
            shown_table["n"] = measured["n"]
    if not (measured["acted"] > 0).any():
        shown_table = shown_table.drop(columns=_NUMBER["acted"][0], errors="ignore")
    config: dict[str, ColumnConfig] = {
        title: st.column_config.NumberColumn(title, help=text, format=form) for title, text, form in _NUMBER.values()
    }
    config["augmentation"] = st.column_config.TextColumn("augmentation", pinned=True, width="medium")
    config["of"] = st.column_config.TextColumn(
        "of",
        help="Words of the text; positions of its tokens; entries of the matrix of its token states; the norm of its vector; "
        "entries of every layer in each of two passes. These rates cannot be compared with each other.",
    )
    config["95 % "] = st.column_config.TextColumn("95 %", help="Bootstrap over texts.")
    config["95 %"] = st.column_config.TextColumn("95 %", help="Wilson interval.")

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
        alt="Each augmentation with its effect on the sample, lowest similarity first",
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


def _protocol(about: Mapping[str, Any], target: str, lines: set[str]) -> str:
    dropout, random = about["references"]["dropout"], about["references"]["random"]
    said = [f"{count(about['n'])} of {count(about['texts'])} texts, stratified by length"]
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
    if any(map(follows_gradient, lines)):
        said.append("adversarial noise follows the gradient of the unsupervised SimCSE loss over batches of 64 texts")
    said.append("click a column to sort, a row to see its examples")
    return "; ".join(said) + "."


def _extremes(extremes: "DataFrame", pipeline: str) -> None:
    own = extremes[extremes["pipeline"] == pipeline]
    if own.empty:
        quiet("It changed no text in this sample.")
        return
    columns = st.columns(2, gap="large")
    for column, (end, title) in zip(columns, (("least", "Least similar"), ("most", "Most similar")), strict=True):
        rows = own[own["end"] == end].sort_values("rank")
        parts = [
            f'<div class="draw"><span class="label">cosine<br>{figure(row.cosine, 3)}</span>'
            f"<div>{_example(row)}</div></div>"
            for row in rows.itertuples()
        ]
        with column:
            st.html(f'<h3 class="of">{title}</h3><div class="edits">{"".join(parts)}</div>')
            if not parts:
                quiet("All of the few changed texts are on the other side.")
    if not own["note"].str.len().any():
        st.html(legend_html())


class _Example(Protocol):
    """A row of the table of extremes."""

    before: str
    text: str
    note: str


def _example(row: "_Example") -> str:
    """The change of a text, or a note about the change inside the encoder."""
    if not row.note:
        return passage(row.text, edits_html(row.before, row.text))
    return f'<span class="whole">{passage(row.before)}</span><span class="note">{html(row.note)}</span>'


def left_out(table: "DataFrame") -> None:
    """Augmentations that are not available here, each with what it needs."""
    for row in table[table["absent"] != ""].itertuples():
        quiet(f"{row.title} was skipped. {row.absent}")
