"""What an encoder makes of the draws: sub-word tokens side by side, the embedding matrix, and how close each stays."""

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from workbench.augmentations.pipeline import parse
from workbench.core.rows import unit_rows
from workbench.data.demo import sentences as demo_sentences
from workbench.previews.text_preview import sample
from workbench.ui.asking import answered, ask
from workbench.ui.figures import show
from workbench.ui.notices import quiet
from workbench.ui.targets import pick_target, target_name
from workbench.ui.theme import dark
from workbench.ui.words import count, html, listed

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

VIEWS, RATE = 8, 0.1
ENOUGH_SENTENCES = 20
"""Fewer give too few pairs for a band of other sentences: then demo sentences stand in."""
_STAND_INS = 100


class Marked(NamedTuple):
    """A token, how it is to look, and what the encoder sees of it: its id. Letters it does not tell apart are one."""

    text: str
    look: str
    seen: str | int


def encoder_form() -> tuple[str, int]:
    """The encoder that is asked, empty for none, and the longest input in tokens."""
    wanted = st.toggle(
        "Ask an encoder",
        key="encoder",
        bind="query-params",
        help="Sub-word tokens, the embedding matrix, and how close each draw stays.",
    )
    if not wanted:
        return "", 0
    target = pick_target()
    longest = st.number_input(
        "Longest input in tokens",
        4,
        512,
        32,
        key="max_length",
        bind="query-params",
        help="What a run cuts off; specials included. 32 is SimCSE's.",
    )
    return target, int(longest)


def seen_by(target: str, line: str, table: "DataFrame", *, seed: int, max_length: int) -> None:
    """Everything an encoder says of some draws."""
    originals = table[table["draw"] == 0].sort_values("sentence")["before"].tolist()
    drawn = [
        text for _, own in table.groupby("draw", sort=True) for text in own.sort_values("sentence")["text"].tolist()
    ]
    texts = list(dict.fromkeys([*originals, *drawn]))
    few = len(set(originals)) < ENOUGH_SENTENCES
    reference = _stand_ins() if few else list(dict.fromkeys(originals))
    deep = bool(parse(line).at("positions", "states", "vectors"))

    vectors = ask("encode", slot="augment.encode", texts=texts, target=target)
    others = ask("encode", slot="augment.others", texts=reference, target=target)
    views = ask(
        "dropout_views", slot="augment.views", texts=originals, target=target, views=VIEWS, dropout=RATE, seed=seed
    )
    tokens = ask("tokens", slot="augment.tokens", texts=texts, target=target, max_length=max_length)

    st.header("What the encoder sees")
    figure = st.container()
    sentence, draw = _pick(originals, int(table["draw"].max()) + 1, choose_draw=deep)
    asked: dict[str, Any] = {
        "texts": [*originals, *drawn],
        "pipeline": line,
        "sentences": len(originals),
        "target": target,
    }
    asked |= {"seed": seed, "max_length": max_length, "sentence": sentence, "draw": draw}
    states = [ask("states", slot="augment.states", **asked)] if deep else []

    def close() -> None:
        known = closeness(table, vectors.result, texts)
        if states:
            own = states[0].result["cosines"].rename(columns={"cosine": "after"})
            merged = known.merge(own, on=["sentence", "draw"])
            known = merged.assign(cosine=merged["after"], changed=merged["changed"] | (merged["after"] < 1 - 1e-6))
        _closeness_figure(known, dropout_band(views.result), pair_band(others.result), target, len(reference), few)

    own = table[table["sentence"] == sentence]
    with figure:
        answered([vectors, views, others, *states], close)
    st.subheader("Sub-words")
    answered([tokens], lambda: show_aligned(tokens.result, own, texts, max_length), height=120)
    if states:
        answered(states, lambda: _matrix_figure(states[0].result, target))


def _pick(originals: list[str], draws: int, *, choose_draw: bool) -> tuple[int, int]:
    """The sentence, and the draw, that are looked at closely."""
    wide, narrow = st.columns([4, 1])
    sentence, draw = 0, 0
    if len(originals) > 1:
        sentence = wide.selectbox(
            "Sentence looked at closely",
            range(len(originals)),
            format_func=lambda row: f"{row + 1}. {originals[row]}",
            key="closely",
        )
    if choose_draw and draws > 1:
        draw = narrow.selectbox("Draw", range(draws), key="closely.draw")
    return min(int(sentence or 0), len(originals) - 1), min(int(draw or 0), draws - 1)


def _stand_ins() -> list[str]:
    return [str(text) for text in sample([text for _, text in demo_sentences()], _STAND_INS, 0)["text"]]


def show_aligned(tokens: "DataFrame", draws: "DataFrame", texts: list[str], max_length: int) -> None:
    """One sentence's tokens above those of each of its draws, equal ones under each other.

    Special tokens are grey and dotted; behind the bar stands, struck through, what the length limit cuts off.
    """
    place = {text: row for row, text in enumerate(texts)}
    by_text = {int(row): own.sort_values("position") for row, own in tokens.groupby("text")}
    before = draws["before"].iloc[0]
    first = by_text.get(place[before])
    blocks = []
    for text, own in draws.groupby("text", sort=False):
        second = by_text.get(place[text])
        names = f"draw{'s'[: len(own) > 1]} {listed([str(number) for number in own['draw']], 20)}"
        lengths = f"{_length(first)} → {_length(second)} tokens"
        blocks.append(f'<p class="footing">{names}: {lengths}</p>{_aligned(_marked(first), _marked(second))}')
    st.html("".join(blocks))
    quiet(
        "Above the original, below the draw; shaded: what the encoder sees differently. Grey: special tokens. "
        + (
            "Wavy: unknown to this encoder, which sees all of them alike. "
            if (tokens["kind"] == "unknown").any()
            else ""
        )
        + f"Struck through, behind the bar: beyond {max_length} tokens, never seen."
    )


def _length(own: "DataFrame | None") -> str:
    if own is None:
        return "0"
    cut = int((~own["kept"]).sum())
    return f"{len(own)}" + (f" ({cut} cut)" if cut else "")


def _marked(own: "DataFrame | None") -> list["Marked"]:
    """Each token with how it is to look."""
    if own is None:
        return []
    looks = []
    kept = True
    for row in own.itertuples():
        look = row.kind if row.kind in ("special", "cut", "unknown") else ""
        if kept and not row.kept:
            look += " limit"
        kept = row.kept
        looks.append(Marked(str(row.token), look, str(row.token) if row.kind == "special" else int(row.id)))
    return looks


def _aligned(above: list["Marked"], below: list["Marked"]) -> str:
    from rapidfuzz.distance import Levenshtein

    columns: list[tuple[Marked | None, Marked | None]] = []
    for step in Levenshtein.opcodes([one.seen for one in above], [one.seen for one in below]):
        top, bottom = list(above[step.src_start : step.src_end]), list(below[step.dest_start : step.dest_end])
        width = max(len(top), len(bottom))
        columns += zip([*top, *[None] * (width - len(top))], [*bottom, *[None] * (width - len(bottom))], strict=True)
    cells = []
    for first, second in columns:
        alike = first is not None and second is not None and first.seen == second.seen
        cells.append(f"<div>{_cell(first, alike)}{_cell(second, alike)}</div>")
    return f'<div class="tokens aligned">{"".join(cells)}</div>'


def _cell(token: "Marked | None", alike: bool) -> str:
    if token is None:
        return '<span class="none">&nbsp;</span>'
    looks = " ".join(part for part in (token.look, "" if alike else "other") if part)
    return f'<span class="{looks}">{html(token.text)}</span>'


def closeness(table: "DataFrame", vectors: "numpy.ndarray", texts: list[str]) -> "DataFrame":
    """The drawn texts with the cosine of each to its original."""
    place = {text: number for number, text in enumerate(texts)}
    unit = unit_rows(vectors)
    before = unit[table["before"].map(place).to_numpy()]
    after = unit[table["text"].map(place).to_numpy()]
    return table.assign(cosine=(before * after).sum(axis=1))


def dropout_band(views: "numpy.ndarray") -> tuple[float, float]:
    """Between which cosines 90 % of the pairs of dropout views of one text lie. Shape (texts, views, dim)."""
    import numpy

    unit = unit_rows(views)
    cosines = numpy.einsum("tvd,twd->tvw", unit, unit)
    rows, columns = numpy.triu_indices(views.shape[1], 1)
    low, high = numpy.quantile(cosines[:, rows, columns], [0.05, 0.95])
    return float(low), float(high)


def pair_band(vectors: "numpy.ndarray") -> tuple[float, float] | None:
    """Between which cosines 90 % of the pairs of different texts lie; None for fewer than two texts.

    >>> import numpy
    >>> pair_band(numpy.array([[1.0, 0.0], [0.0, 1.0]]))
    (0.0, 0.0)
    """
    import numpy

    if len(vectors) < 2:
        return None
    unit = unit_rows(vectors)
    low, high = numpy.quantile((unit @ unit.T)[numpy.triu_indices(len(unit), 1)], [0.05, 0.95])
    return float(low), float(high)


def _closeness_figure(
    table: "DataFrame",
    band: tuple[float, float],
    others: tuple[float, float] | None,
    target: str,
    reference: int,
    few: bool,
) -> None:
    from workbench.plots.closeness import closeness as figure

    drawn = figure(table, band=band, others=others, dark=dark())
    whose = f"{reference} demo sentences, as fewer than {ENOUGH_SENTENCES} are shown" if few else "the sentences shown"
    caption = (
        f"{target_name(target)}, fp32. Bands hold 90 % of the cosines: of two dropout views of one sentence shown "
        f"({VIEWS} views, rate {RATE:g}), and of pairs of different sentences ({whose}; "
        f"n = {count(reference * (reference - 1) // 2)} pairs)"
    )
    show(drawn, key="closeness", caption=caption, data=table, height=max(260, 44 * table["sentence"].nunique() + 150))


def _matrix_figure(found: dict[str, Any], target: str) -> None:
    from workbench.plots.embedding_matrix import embedding_matrix

    about = found["about"]
    if about["gradient"]:
        quiet(
            "The noise follows the gradient of the unsupervised SimCSE loss over the sentences shown (dropout "
            f"{RATE:g}, temperature 0.05); in a run it is that of the run's own loss."
        )
    if "tokens" not in found:
        return
    st.subheader("The embedding matrix")
    drawn = embedding_matrix(found["tokens"], found["values"], dark=dark())
    caption = (
        f"{target_name(target)}: what its embedding module gives, dropout off; {about['dims']} of {about['dim']} dimensions, "
        "evenly spaced. Colour: red-brown negative, blue positive. Right panel: pale is changed, ink is zero. "
        "A token with two numbers moved from the first place to the second; one in brackets is masked out"
    )
    show(drawn, key="matrix", caption=caption, data=found["values"])
