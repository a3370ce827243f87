"""Distributions in the linked views, cosines by gold score and positives against random pairs; below them, the spectrum."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench.plots import takeaway
from workbench.scoring.pair_scores import threshold as threshold_of
from workbench.ui.canvas import Buckets, Category, Histogram, Number, Panel, Sample
from workbench.ui.explore import figures
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.words import figure, html, missing
from workbench.ui.targets.names import target_name
from workbench.verbs import geometry, spread
from workbench.verbs.score import PairScores
from workbench.verbs.spread import SpreadOfVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_TEXTS = 20_000
"""Most sentences of which a spectrum is computed."""
MOST_MEASURED = 1000
"""Most sentences over which the measures are computed, evenly taken: some are quadratic."""


def ask_spreads(
    targets: Sequence[str], texts: list[str], marked: "NDArray[np.bool_] | None" = None
) -> "list[Question[SpreadOfVectors]]":
    """Spectrum and random pairs of each target, over all sentences or those marked; none where there are too few or too many."""
    part = [] if marked is None else [texts[row] for row in np.flatnonzero(marked)]
    few = marked is not None and not 3 <= len(part) < len(texts)  # of fewer there is no spectrum
    if few or not 3 <= len(texts) <= MOST_TEXTS:
        return []
    kind = "whole" if marked is None else "part"
    return [
        ask(spread.VERB, slot=f"explore.linked.spread.{kind}.{number}", texts=texts, target=target, part=part)
        for number, target in enumerate(targets)
    ]


def bucket_panels(results: Sequence[PairScores], owners: Sequence[str], lowest: float) -> tuple[Category, list[Panel]]:
    """The column of fifths of the gold scores, and a panel for each target with its cosines in each of them."""
    from workbench.analysis.gold_buckets import bucket_of

    low, high = results[0].scores["scale"]
    tables = [_buckets(result) for result in results]
    names = tuple(f"{row['low']:g} to {row['high']:g}" for row in tables[0].to_dict("records"))
    numbers = bucket_of(results[0].cosines["gold"].to_numpy(dtype=np.float64), low, high - low)
    column = Category("bucket", "Gold", [names[number] for number in numbers], order=names)
    return column, [
        Buckets(
            "pairs",
            f"cosine {number}",
            "bucket",
            "Cosines by gold score",
            x_label="Gold score",
            y_label="Cosine",
            limits=(lowest, 1.0),
            note=takeaway.gold_buckets(table),
            of=of,
        )
        for number, (of, table) in enumerate(zip(owners, tables, strict=True))
    ]


def overlap_panels(
    results: Sequence[PairScores], spreads: Sequence[SpreadOfVectors], owners: Sequence[str], lowest: float
) -> tuple[list[Number], list[Panel]]:
    """A column for each target with the cosines of positives, and its panel: they, and the random pairs as a line."""
    from workbench.analysis.cosine_overlap import cosine_overlap

    columns, panels = [], []
    lowest = min(lowest, *(float(one.random["cosine"].min()) for one in spreads))
    for number, (result, one, of) in enumerate(zip(results, spreads, owners, strict=True)):
        cosine, positive = _positives(result)
        random = one.random["cosine"].to_numpy()
        columns.append(Number(f"positive {number}", "Cosine of positives", np.where(positive, cosine, np.nan), of=of))
        low, high = result.scores["scale"]
        words = f"Positives are pairs with gold above {threshold_of((low, high)):g}."
        panels.append(
            Histogram(
                "pairs",
                f"positive {number}",
                "Positives, and random pairs as a line",
                x_label="Cosine",
                bins=40,
                limits=(lowest, 1.0),
                behind=Sample("random pairs, as many as positives", random),
                note=f"{takeaway.cosine_overlap(cosine_overlap(cosine[positive], random))} {words}",
                of=of,
                height=230,
            )
        )
    return columns, list(panels)


def distributions(
    targets: list[str],
    pairs: str,
    texts: list[str],
    results: Sequence[PairScores],
    whole: "Sequence[Question[SpreadOfVectors]]",
    marked_pairs: "NDArray[np.bool_] | None",
    marked_texts: "NDArray[np.bool_] | None",
) -> None:
    """How the selected pairs are distributed, in words, and the spectrum of all sentences and of those selected."""
    st.header("Distributions", anchor=False)
    if not whole:
        quiet(f"Distributions are drawn of 3 to {MOST_TEXTS:,} sentences; these are {len(texts):,}.")
        return
    selected = [] if marked_texts is None else ask_spreads(targets, texts, marked_texts)

    def draw() -> None:
        known = [question.there for question in selected if question.result is not None]
        parts = known if len(known) == len(targets) else []
        if marked_pairs is not None:
            for number, result in enumerate(results):
                words = _selected(result, marked_pairs, parts[number] if parts else None)
                st.html(f'<p class="of">{html(target_name(targets[number]))}</p>')
                quiet(words)
        chosen = 0 if marked_texts is None or not parts else int(marked_texts.sum())
        spectra, over = [question.there.spectrum for question in whole], [part.spectrum for part in parts]
        figures.spectrum_figure(targets, spectra, over, len(texts), chosen, pairs_name(pairs))
        _measures(targets, texts, pairs)

    when_answered(list(whole), draw, optional=[*whole, *selected] if selected else [], height=420)


def _buckets(result: PairScores, marked: "NDArray[np.bool_] | None" = None) -> "DataFrame":
    from workbench.analysis.gold_buckets import gold_buckets

    low, high = result.scores["scale"]
    cosine, gold = (result.cosines[name].to_numpy(dtype=np.float64) for name in ("cosine", "gold"))
    some = slice(None) if marked is None else marked
    return gold_buckets(cosine[some], gold[some], lowest=low, width=high - low)


def _positives(result: PairScores) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """The cosine of each pair, and which pairs are positives."""
    cosine, gold = (result.cosines[name].to_numpy(dtype=np.float64) for name in ("cosine", "gold"))
    low, high = result.scores["scale"]
    return cosine, gold > threshold_of((low, high))


def _selected(result: PairScores, marked: "NDArray[np.bool_]", part: SpreadOfVectors | None) -> str:
    """Of the selected pairs, in words: how many have high cosines, and how far gold scores and random pairs are told apart."""
    from workbench.analysis.cosine_overlap import cosine_overlap

    every, few = _buckets(result), _buckets(result, marked)
    shares = [f"{100 * table.attrs['share_above']:.0f} %" for table in (few, every)]
    auc = "" if missing(few.attrs["auc"]) else f", AUC {figure(few.attrs['auc'])}"
    n = int(marked.sum())
    words = (
        f"Of the {n:,} selected pair{'s' * (n != 1)} {shares[0]} {'is' if n == 1 else 'are'} above cosine "
        f"{every.attrs['high']:g} (of all {shares[1]}){auc}."
    )
    if part is None:
        return words
    cosine, positive = _positives(result)
    some = cosine_overlap(cosine[positive & marked], part.random["cosine"].to_numpy())
    if some.attrs["overlap"] is None:
        return f"{words} Too few positives are selected to compare them with random pairs."
    shared, over = figure(some.attrs["overlap"]), figure(some.attrs["auc"])
    return f"{words} Their positives share {shared} of their distribution with random pairs of selected sentences, AUC {over}."


def _measures(targets: list[str], texts: list[str], pairs: str) -> None:
    """Metrics of the space, asked for once somebody wants them."""
    inside = folded("Measures of the space", key="explore.linked.measures")
    if not inside:
        return
    step = -(-len(texts) // MOST_MEASURED)
    taken = texts[::step]
    with inside:
        questions = [
            ask(geometry.VERB, slot=f"explore.linked.geometry.{number}", texts=taken, target=target)
            for number, target in enumerate(targets)
        ]
        measured = partial(figures.measures, targets)
        when_answered(
            questions,
            lambda: measured([question.there for question in questions], len(taken), pairs_name(pairs)),
        )
