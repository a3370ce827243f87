"""What an encoder sees of the draws: aligned sub-word tokens, the embedding matrix, and the similarity of each draw."""

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from workbench.augmentations.pipeline import parse
from workbench.core.rows import unit_rows
from workbench.data.demo import sentences as demo_sentences
from workbench.previews.text_preview import sample
from workbench.ui.configs.cloning import drop_unusable
from workbench.ui.kit.address import bound_number
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import guarded, part, quiet
from workbench.ui.kit.passages import many
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, html, join_names
from workbench.ui.targets.choice import pick_target
from workbench.ui.targets.names import target_name
from workbench.verbs import dropout_views as dropout_views_verb
from workbench.verbs import encode as encode_verb
from workbench.verbs import states as states_verb
from workbench.verbs import tokens as tokens_verb
from workbench.verbs.states import StateChanges

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

VIEWS, RATE = 8, 0.1
ENOUGH_SENTENCES = 20
"""With fewer there are too few pairs for the band of other sentences, so demo sentences are used."""
_MOST_TOKENS = 300
"""More of a sentence scroll in a box."""
_STAND_INS = 100


class Marked(NamedTuple):
    """A token with its CSS classes and its identity for the encoder: tokens with the same id are equal to it."""

    text: str
    css: str
    identity: str | int


def encoder_form() -> tuple[str, int]:
    """The encoder to show, empty for none, and the longest input in tokens."""
    wanted = st.toggle(
        "Show an encoder",
        key="encoder",
        bind="query-params",
        help="Sub-word tokens, the embedding matrix, and the similarity of each draw.",
    )
    if not wanted:
        return "", 0
    usable = list[str]()
    with guarded():
        usable = drop_unusable([pick_target()])
    longest = bound_number(
        st.number_input,
        "Longest input in tokens",
        4,
        512,
        32,
        key="max_length",
        help="Longer inputs are truncated, special tokens included. SimCSE uses 32.",
    )
    return (usable[0] if usable else ""), longest


def show_encoder_view(target: str, line: str, table: "DataFrame", *, seed: int, max_length: int) -> None:
    """Everything that an encoder shows about some draws."""
    originals = table[table["draw"] == 0].sort_values("sentence")["before"].tolist()
    drawn = [
        text for _, own in table.groupby("draw", sort=True) for text in own.sort_values("sentence")["text"].tolist()
    ]
    texts = list(dict.fromkeys([*originals, *drawn]))
    few = len(set(originals)) < ENOUGH_SENTENCES
    reference = _stand_ins() if few else list(dict.fromkeys(originals))
    deep = bool(parse(line).at("positions", "states", "vectors"))

    vectors = ask(encode_verb.VERB, slot="augment.encode", texts=texts, target=target)
    others = ask(encode_verb.VERB, slot="augment.others", texts=reference, target=target)
    views = ask(
        dropout_views_verb.VERB,
        slot="augment.views",
        texts=originals,
        target=target,
        views=VIEWS,
        dropout=RATE,
        seed=seed,
    )
    tokens = ask(tokens_verb.VERB, slot="augment.tokens", texts=texts, target=target, max_length=max_length)

    part("What the encoder sees")
    figure = st.container()
    sentence, draw = _pick(originals, int(table["draw"].max()) + 1, choose_draw=deep)
    asked: dict[str, Any] = {
        "texts": [*originals, *drawn],
        "pipeline": line,
        "sentences": len(originals),
        "target": target,
    }
    asked |= {"seed": seed, "max_length": max_length, "sentence": sentence, "draw": draw}
    states = [ask(states_verb.VERB, slot="augment.states", **asked)] if deep else []

    def close() -> None:
        known = closeness(table, vectors.there, texts)
        if states:
            own = states[0].there.cosines.rename(columns={"cosine": "after"})
            merged = known.merge(own, on=["sentence", "draw"])
            known = merged.assign(cosine=merged["after"], changed=merged["changed"] | (merged["after"] < 1 - 1e-6))
        _closeness_figure(known, dropout_band(views.there), pair_band(others.there), target, len(reference), few)

    own = table[table["sentence"] == sentence]
    with figure:
        when_answered([vectors, views, others, *states], close)
    st.subheader("Sub-words")
    when_answered([tokens], lambda: show_aligned(tokens.there, own, texts, max_length), height=120)
    if states:
        when_answered(states, lambda: _matrix_figure(states[0].there, target))


def _pick(originals: list[str], draws: int, *, choose_draw: bool) -> tuple[int, int]:
    """The sentence and the draw to show in detail."""
    wide, narrow = st.columns([4, 1])
    sentence, draw = 0, 0
    if len(originals) > 1:
        # Under one key the box would go on showing a sentence that is no longer there.
        sentence = wide.selectbox(
            "Sentence in detail",
            range(len(originals)),
            index=min(int(st.session_state.get("closely", 0)), len(originals) - 1),
            format_func=lambda row: f"{row + 1}. {originals[row]}",
            key=f"closely.{hash(tuple(originals))}",
        )
        st.session_state["closely"] = sentence
    if choose_draw and draws > 1:
        draw = narrow.selectbox("Draw", range(draws), key="closely.draw")
    return min(int(sentence or 0), len(originals) - 1), min(int(draw or 0), draws - 1)


def _stand_ins() -> list[str]:
    return [str(text) for text in sample([text for _, text in demo_sentences()], _STAND_INS, 0)["text"]]


def show_aligned(tokens: "DataFrame", draws: "DataFrame", texts: list[str], max_length: int) -> None:
    """One sentence's tokens above those of each of its draws, equal tokens aligned.

    Special tokens are grey and dotted; tokens beyond the length limit are struck through after a bar.
    """
    place = {text: row for row, text in enumerate(texts)}
    by_text = {int(row): own.sort_values("position") for row, own in tokens.groupby("text")}
    before = draws["before"].iloc[0]
    first = by_text.get(place[before])
    blocks = []
    for text, own in draws.groupby("text", sort=False):
        second = by_text.get(place[text])
        names = f"draw{'s'[: len(own) > 1]} {join_names([str(number) for number in own['draw']], 20)}"
        lengths = f"{_length(first)} → {_length(second)} tokens"
        blocks.append(f'<p class="footing">{names}: {lengths}</p>{_aligned(_marked(first), _marked(second))}')
    st.html("".join(blocks))
    quiet(
        "Original above, draw below; shaded: tokens that differ for the encoder. Grey: special tokens. "
        + (
            "Wavy: unknown to this encoder, which treats them all the same. "
            if (tokens["kind"] == "unknown").any()
            else ""
        )
        + f"Struck through after the bar: truncated at {max_length} tokens."
    )


def _length(tokens: "DataFrame | None") -> str:
    if tokens is None:
        return "0"
    cut = int((~tokens["kept"]).sum())
    return f"{len(tokens)}" + (f" ({cut} truncated)" if cut else "")


def _marked(tokens: "DataFrame | None") -> list["Marked"]:
    """Each token with its CSS classes."""
    if tokens is None:
        return []
    marked = []
    within = True
    for row in tokens.itertuples():
        css = row.kind if row.kind in ("special", "cut", "unknown") else ""
        if within and not row.kept:
            css += " limit"
        within = row.kept
        marked.append(Marked(str(row.token), css, str(row.token) if row.kind == "special" else int(row.id)))
    return marked


def _aligned(above: list["Marked"], below: list["Marked"]) -> str:
    from rapidfuzz.distance import Levenshtein

    columns: list[tuple[Marked | None, Marked | None]] = []
    for step in Levenshtein.opcodes([token.identity for token in above], [token.identity for token in below]):
        top, bottom = list(above[step.src_start : step.src_end]), list(below[step.dest_start : step.dest_end])
        width = max(len(top), len(bottom))
        columns += zip([*top, *[None] * (width - len(top))], [*bottom, *[None] * (width - len(bottom))], strict=True)
    cells = []
    for first, second in columns:
        alike = first is not None and second is not None and first.identity == second.identity
        cells.append(f"<div>{_cell(first, alike)}{_cell(second, alike)}</div>")
    shown = f'<div class="tokens aligned">{"".join(cells)}</div>'
    return many(shown, len(cells), _MOST_TOKENS, f"{count(len(cells))} tokens")


def _cell(token: "Marked | None", alike: bool) -> str:
    if token is None:
        return '<span class="none">&nbsp;</span>'
    css = " ".join(part for part in (token.css, "" if alike else "other") if part)
    return f'<span class="{css}">{html(token.text)}</span>'


def closeness(table: "DataFrame", vectors: "numpy.ndarray", texts: list[str]) -> "DataFrame":
    """The draws with the cosine of each to its original."""
    place = {text: number for number, text in enumerate(texts)}
    unit = unit_rows(vectors)
    before = unit[table["before"].map(place).to_numpy()]
    after = unit[table["text"].map(place).to_numpy()]
    return table.assign(cosine=(before * after).sum(axis=1))


def dropout_band(views: "numpy.ndarray") -> tuple[float, float]:
    """The range that holds 90 % of the cosines between dropout views of the same text. Shape (texts, views, dim)."""
    import numpy

    unit = unit_rows(views)
    cosines = numpy.einsum("tvd,twd->tvw", unit, unit)
    rows, columns = numpy.triu_indices(views.shape[1], 1)
    low, high = numpy.quantile(cosines[:, rows, columns], [0.05, 0.95])
    return float(low), float(high)


def pair_band(vectors: "numpy.ndarray") -> tuple[float, float] | None:
    """The range that holds 90 % of the cosines between different texts; None for fewer than two texts.

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
    whose = (
        f"{reference} demo sentences, since fewer than {ENOUGH_SENTENCES} are shown" if few else "the sentences shown"
    )
    caption = (
        f"{target_name(target)}, fp32. Bands hold 90 % of the cosines: between two dropout views of a sentence "
        f"({VIEWS} views, rate {RATE:g}), and between different sentences ({whose}; "
        f"n = {count(reference * (reference - 1) // 2)} pairs)"
    )
    show(drawn, key="closeness", caption=caption, data=table, height=max(260, 44 * table["sentence"].nunique() + 150))


def _matrix_figure(states: StateChanges, target: str) -> None:
    from workbench.plots.embedding_matrix import embedding_matrix

    about = states.about
    if about["gradient"]:
        quiet(
            "The noise follows the gradient of the unsupervised SimCSE loss over the sentences shown (dropout "
            f"{RATE:g}, temperature 0.05); in a run, the gradient of its own loss."
        )
    if states.tokens is None:
        return
    st.subheader("The embedding matrix")
    drawn = embedding_matrix(states.tokens, states.values, dark=dark())
    caption = (
        f"{target_name(target)}: the output of its embedding module, dropout off; {about['dims']} of {about['dim']} dimensions, "
        "evenly spaced. Colour: red-brown negative, blue positive. Right panel: pale is changed, ink is zero. "
        "A token with two numbers moved from the first position to the second; one in brackets is masked out"
    )
    show(drawn, key="matrix", caption=caption, data=states.values)
