"""The tabs of the page Explore: each asks, and draws what comes back beside its twin."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.data.references import file_stamps
from workbench.ui import figures
from workbench.ui.asking import Question, answered, ask
from workbench.ui.notices import empty, facts, quiet
from workbench.ui.repeat import python_call, repeat
from workbench.ui.sentences import sentences_input
from workbench.ui.tables import fitted_words, pairs_name, seen_words
from workbench.ui.targets import target_name
from workbench.ui.words import figure, html, interval, score

MOST_POINTS = 1000
"""Texts drawn at once; more hide each other."""

ENTAILING = (
    "He was born in Nazareth-Palestine, but immigrated to Lebanon with his parents and then to Jordan "
    "where he completed his primary education.\n"
    "He was born in Nazareth-Palestine, but immigrated to Lebanon with his parents.\n"
    "He was born in Nazareth-Palestine, but immigrated to Lebanon."
)
"""Each entails the next (Zhang et al. 2022, ArcCSE): do their dropout views stay apart?"""


def pair_texts(pairs: str) -> tuple[list[str], int]:
    """The distinct sentences of a pair set, evenly thinned to what can be drawn, and every how manieth that is."""
    place = str(Path(pairs.rpartition("@")[2].partition("#")[0]).expanduser())
    return _pair_texts(pairs, file_stamps(place))


@st.cache_data(show_spinner=False, max_entries=16, scope="session")
def _pair_texts(pairs: str, files: list[Any]) -> tuple[list[str], int]:
    """`files` are those it is read from, with size and time: another of the same name is read anew."""
    from workbench.data.pairs import load_pairs

    texts = list(dict.fromkeys(load_pairs(pairs).texts()))
    step = max(1, -(-len(texts) // MOST_POINTS))
    return texts[::step], step


def side_by_side(
    targets: Sequence[str], questions: Sequence[Question], draw: Callable[[str, Any], None], *, height: int = 420
) -> None:
    """One column a target; each appears when its own answer is there."""
    columns = st.columns(len(targets), gap="large")
    for column, target, question in zip(columns, targets, questions, strict=True):
        with column:
            st.html(f'<p class="of">{html(target_name(target))}</p>')
            answered([question], lambda target=target, question=question: draw(target, question.result), height=height)  # type: ignore[misc]


def gold_lens(targets: list[str], pairs: str) -> None:
    """Similarity against gold, raw or as ranks."""
    scale = st.segmented_control(
        "Scale", ["raw", "ranks"], default="raw", required=True, key="scale", bind="query-params"
    )
    questions = [
        ask("evaluate", slot=f"explore.gold.{place}", target=target, pairs=pairs)
        for place, target in enumerate(targets)
    ]

    def draw(target: str, result: Any) -> None:
        scores, cosines = result["scores"], result["cosines"]
        there = [question.result for question in questions]
        lowest = min(float(one["cosines"]["cosine"].min()) for one in there if one)
        figures.gold_figure(
            target, cosines, scores, ranks=scale == "ranks", lowest=lowest, caption=_protocol(pairs, scores)
        )
        facts(
            {"Spearman × 100": score(scores["spearman"])},
            {"Spearman × 100": f"{interval(scores['low'], scores['high'])}, n = {scores['n']:,}"},
        )

    side_by_side(targets, questions, draw)
    quiet(
        "Spearman sees ranks only: an encoder whose cosines all lie between .6 and .9 can rank "
        "perfectly. What is wrong shows in the ranks, how the space is used in the raw picture."
    )
    repeat(python_call("compare", targets, pairs=pairs))


def cone_lens(targets: list[str], pairs: str) -> None:
    """The uncentred projection, with origin and mean direction."""
    texts, _ = pair_texts(pairs)
    questions = [
        ask("project", slot=f"explore.cone.{place}", texts=texts, target=target, method="cone")
        for place, target in enumerate(targets)
    ]

    def draw(target: str, table: Any) -> None:
        figures.cone_figure(
            target,
            table,
            f"{len(table):,} sentences of {pairs_name(pairs)}; unit vectors, mean not subtracted; cross: "
            f"origin, arrow: mean direction{fitted_words(table.attrs.get('fitted_on'))}",
        )
        facts(
            {
                "Mean cosine of the vectors": figure(table.attrs["mean_cosine"]),
                "Of the points as drawn": figure(table.attrs["drawn_mean_cosine"]),
            },
            {
                "Mean cosine of the vectors": f"centred {figure(table.attrs['mean_cosine_centred'])}",
                "Of the points as drawn": f"centred {figure(table.attrs['drawn_mean_cosine_centred'])}",
            },
        )

    side_by_side(targets, questions, draw)
    quiet(
        "PCA and UMAP hide this: PCA subtracts the mean before it looks, and UMAP keeps only who is near "
        "whom. Either would show these points spread "
        "around the middle, however narrow the cone is. That is why the origin is drawn here, and why "
        "both mean cosines stand above."
    )
    repeat(*_texts_lines(pairs), *(_on_texts("project", backbone=target, method="cone") for target in targets))


def _texts_lines(pairs: str) -> list[str]:
    """Lines of Python that make `texts` what is drawn here."""
    _, step = pair_texts(pairs)
    thinned = f"[::{step}]" if step > 1 else ""
    distinct = f"list(dict.fromkeys(load_pairs({pairs!r}).texts()))"
    return ["from workbench.data.pairs import load_pairs", f"texts = {distinct}{thinned}"]


def _on_texts(verb: str, *first: str, **said: Any) -> str:
    return python_call(verb, *first, texts="TEXTS", **said).replace("texts='TEXTS'", "texts=texts")


def views_lens(targets: list[str]) -> None:
    """Dropout views of a few sentences, by PCA at once and by UMAP when it is ready."""
    texts = sentences_input("Sentences, one a line", ENTAILING, key="texts", most=12)
    if texts == ENTAILING.splitlines():
        st.caption("Sentences of Zhang et al. 2022, ArcCSE")
    knobs = st.columns(4, gap="medium")
    views = knobs[0].slider(
        "Views of each",
        5,
        100,
        40,
        key="views",
        bind="query-params",
        help="Encodings of the same sentence, dropout on.",
    )
    rate = knobs[1].slider("Dropout rate", 0.0, 0.5, 0.1, 0.05, key="rate", bind="query-params")
    seed = knobs[2].number_input("Seed", 0, 2**31 - 1, 0, key="views.seed", bind="query-params")
    with knobs[3]:
        method = st.segmented_control(
            "Projection",
            ["pca", "umap"],
            default="umap",
            required=True,
            key="projection",
            format_func=str.upper,
            bind="query-params",
        )
    if not texts:
        empty("No sentence yet.", "Type one in the box; each line is a sentence.")
        return
    columns = st.columns(len(targets), gap="large")
    for place, (column, target) in enumerate(zip(columns, targets, strict=True)):
        said: dict[str, Any] = {"texts": texts, "target": target, "views": views, "dropout": rate, "seed": seed}
        at_once = ask("project", slot=f"explore.pca.{place}", method="pca", **said)
        later = [ask("project", slot=f"explore.umap.{place}", method="umap", **said)] if method == "umap" else []
        with column:
            st.html(f'<p class="of">{html(target_name(target))}</p>')
            answered([at_once], partial(_views, target, at_once, later, texts, rate), wished=later, height=420)
    quiet("The score is computed in the full space, not in the picture: distances in a UMAP mean little.")
    repeat(
        *(
            python_call("project", texts, backbone=target, method=str(method), views=views, dropout=rate, seed=seed)
            for target in targets
        )
    )


def _views(target: str, at_once: Question, later: Sequence[Question], texts: list[str], rate: float) -> None:
    wanted = later[0] if later else at_once
    table = wanted.result if wanted.result is not None else at_once.result
    shown = table.attrs["method"].upper()
    waiting = bool(later) and not later[0].answer.over
    note = f"{shown}; {len(texts)} sentences, dropout {rate:g}" + (
        "; UMAP is on its way and takes this place" if waiting else ""
    )
    note += fitted_words(table.attrs.get("fitted_on"))
    figures.views_figure(target, table, texts, note)
    attrs = table.attrs
    facts(
        {
            "Separation": figure(attrs["separation"]),
            "Two views of one sentence": figure(attrs["within_cosine"]),
            "Of two sentences": figure(attrs["between_cosine"]),
        },
        {
            "Separation": "distance of sentences over distance of views",
            "Two views of one sentence": "mean cosine",
            "Of two sentences": "mean cosine",
        },
    )
    if later and later[0].answer.state == "failed":
        quiet(f"UMAP could not be computed: {later[0].answer.error}")


def worst_lens(targets: list[str], pairs: str) -> None:
    """Pairs whose rank by cosine is farthest from their rank by gold."""
    count = st.slider("Pairs", 5, 50, 15, key="count", bind="query-params")
    questions = [
        ask("evaluate", slot=f"explore.worst.{place}", target=target, pairs=pairs)
        for place, target in enumerate(targets)
    ]

    def draw(target: str, result: Any) -> None:
        said = pairs_name(pairs) + seen_words(result["scores"])
        figures.worst_table(target, result["cosines"], count, said)

    side_by_side(targets, questions, draw)
    repeat(
        *(f"{python_call('submit', 'evaluate', target=target, pairs=pairs)}.wait()['cosines']" for target in targets)
    )


def spectrum_lens(targets: list[str], pairs: str) -> None:
    """How many directions carry the space."""
    texts, _ = pair_texts(pairs)
    questions = [
        ask("geometry", slot=f"explore.spectrum.{place}", texts=texts, target=target)
        for place, target in enumerate(targets)
    ]
    answered(
        questions,
        lambda: figures.spectrum_figure(
            targets, [question.result for question in questions], len(texts), pairs_name(pairs)
        ),
    )
    repeat(*_texts_lines(pairs), *(f"{_on_texts('submit', 'geometry', target=target)}.wait()" for target in targets))


def _protocol(pairs: str, scores: dict[str, Any]) -> str:
    return f"{pairs_name(pairs)}, n = {scores['n']:,} pairs{seen_words(scores)}"
