"""Distributions below the linked views: cosines by gold score, positives against random pairs, and the spectrum."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench.scoring.pair_scores import threshold as threshold_of
from workbench.ui.explore import figures
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import figure, html
from workbench.ui.targets.names import target_name
from workbench.ui.targets.styles import colour_of
from workbench.verbs import geometry, spread
from workbench.verbs.score import PairScores
from workbench.verbs.spread import SpreadOfVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TEXTS = 20_000
"""Most sentences of which a spectrum is computed."""
MOST_MEASURED = 1000
"""Most sentences over which the measures are computed, evenly taken: some are quadratic."""


def distributions(
    targets: list[str],
    pairs: str,
    texts: list[str],
    results: Sequence[PairScores],
    marked_pairs: "NDArray[np.bool_] | None",
    marked_texts: "NDArray[np.bool_] | None",
) -> None:
    """For each target, of all pairs and drawn over them those selected."""
    st.subheader("Distributions", anchor=False)
    if not 3 <= len(texts) <= MOST_TEXTS:
        quiet(f"Distributions are drawn of 3 to {MOST_TEXTS:,} sentences; these are {len(texts):,}.")
        return
    part = [] if marked_texts is None else [texts[row] for row in np.flatnonzero(marked_texts)]
    if not 3 <= len(part) < len(texts):  # of fewer there is no spectrum
        part = []
    whole = _asked(targets, texts, [], "whole")
    selected = _asked(targets, texts, part, "part") if part else []

    def draw() -> None:
        known = [question.there for question in selected if question.result is not None]
        lowest_of_pairs = min(float(result.cosines["cosine"].min()) for result in results)
        lowest = min(lowest_of_pairs, *(float(question.there.random["cosine"].min()) for question in whole))
        for column, number in zip(st.columns(len(targets), gap="large"), range(len(targets)), strict=True):
            with column:
                st.html(f'<p class="of">{html(target_name(targets[number]))}</p>')
                _buckets(targets[number], results[number], marked_pairs, lowest_of_pairs)
                _overlap(
                    targets[number],
                    pairs,
                    results[number],
                    whole[number].there,
                    known[number] if len(known) == len(targets) else None,
                    marked_pairs,
                    lowest,
                )
        spectra = [question.there.spectrum for question in whole]
        over = [result.spectrum for result in known] if len(known) == len(targets) else []
        figures.spectrum_figure(targets, spectra, over, len(texts), len(part), pairs_name(pairs))
        _measures(targets, texts, pairs)

    when_answered(whole, draw, optional=[*whole, *selected] if selected else [], height=420)


def _asked(targets: Sequence[str], texts: list[str], part: list[str], kind: str) -> "list[Question[SpreadOfVectors]]":
    return [
        ask(spread.VERB, slot=f"explore.linked.spread.{kind}.{number}", texts=texts, target=target, part=part)
        for number, target in enumerate(targets)
    ]


def _buckets(target: str, result: PairScores, marked: "NDArray[np.bool_] | None", lowest: float) -> None:
    """Cosines in each fifth of the gold scores."""
    from workbench.analysis.gold_buckets import bucket_of, gold_buckets
    from workbench.plots.gold_buckets import gold_buckets as drawn

    low, high = result.scores["scale"]
    cosine, gold = (result.cosines[name].to_numpy(dtype=np.float64) for name in ("cosine", "gold"))
    measure = partial(gold_buckets, lowest=low, width=high - low)
    pairs = result.cosines[["gold", "cosine"]].assign(bucket=bucket_of(gold, low, high - low))
    table = measure(cosine, gold)
    some = None if marked is None else pairs[marked]
    caption = f"{100 * table.attrs['share_above']:.0f} % of {len(pairs):,} pairs are above {table.attrs['high']:g}"
    if marked is not None:
        few = measure(cosine[marked], gold[marked])
        share = f"{100 * few.attrs['share_above']:.0f} %"
        caption += f"; of the {int(marked.sum()):,} selected {share}, AUC {figure(few.attrs['auc'])}"
    show(
        drawn(pairs, table, selected=some, lowest=lowest, colour=colour_of(target), dark=dark()),
        key=f"buckets.{target}",
        caption=caption,
        data=table,
        height=380,
    )


def _overlap(
    target: str,
    pairs: str,
    result: PairScores,
    whole: SpreadOfVectors,
    part: SpreadOfVectors | None,
    marked: "NDArray[np.bool_] | None",
    lowest: float,
) -> None:
    """Cosines of positives and of random pairs."""
    from workbench.analysis.cosine_overlap import cosine_overlap
    from workbench.plots.cosine_overlap import cosine_overlap as drawn

    low, high = result.scores["scale"]
    threshold = threshold_of((low, high))
    cosine, gold = (result.cosines[name].to_numpy(dtype=np.float64) for name in ("cosine", "gold"))
    positive = gold > threshold
    random = whole.random["cosine"].to_numpy()
    table = cosine_overlap(cosine[positive], random)
    caption = f"{pairs_name(pairs)}: positives are pairs with gold above {threshold:g}; curves are kernel densities"
    some = None
    if part is not None and marked is not None:
        some = cosine_overlap(cosine[positive & marked], part.random["cosine"].to_numpy())
        caption += (
            f"; of the selected the curves share {figure(some.attrs['overlap'])}, AUC {figure(some.attrs['auc'])}"
            if some.attrs["overlap"] is not None
            else "; too few positives are selected for a curve of theirs"
        )
    show(
        drawn(cosine[positive], random, table, selected=some, lowest=lowest, dark=dark()),
        key=f"overlap.{target}",
        caption=caption,
        data=table,
        height=340,
    )


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
        when_answered(
            questions,
            lambda: figures.measures(
                targets, [question.there for question in questions], len(taken), pairs_name(pairs)
            ),
        )
