"""The lens of layers: ranking and geometry from the embeddings up to the last layer, where the cone begins."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import presets
from workbench.metrics import METHODS as METRICS
from workbench.targets.target import is_baseline, split
from workbench.ui.explore import takeaways
from workbench.ui.explore.slices import Part, pick_part, too_few
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import join_names
from workbench.ui.targets.names import target_name
from workbench.ui.targets.styles import labelled, styles_of
from workbench.ui.targets.variants import unvaried
from workbench.verbs import layers as layers_verb

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES = {"spearman": "Spearman × 100"} | {
    name: f"{method.title}, {method.tags['direction']}"
    for name, method in METRICS.items()
    if "direction" in method.tags
}
"""What can be drawn, with its title."""
LEAST_PAIRS = 10
"""Fewest pairs of a selection that a ranking is drawn of."""
FIRST = ("spearman", "mean_cosine", "uniformity", "effective_rank")


def layers_lens(targets: list[str], pairs: str) -> None:
    """Curves over the layers, one panel for each measure and one line for each encoder."""
    encoders = list(dict.fromkeys(unvaried(target) for target in targets if not is_baseline(split(target).name)))
    if not encoders:
        empty(
            "No encoder is chosen.", "Word counts and stored vectors have no layers: choose a backbone or a run above."
        )
        return
    pooling = st.segmented_control(
        "Pooling of each layer",
        list(layers_verb.POOLINGS),
        default=presets.POOLING,
        required=True,
        key="layers.pooling",
        bind="query-params",
    )
    measures = st.multiselect(
        "Measures",
        list(MEASURES),
        default=list(FIRST),
        key="layers.measures",
        format_func=lambda name: MEASURES[name].split(",")[0],
        wrap=True,
    )
    if not measures:
        empty("No measure is chosen.", "Choose one above.")
        return
    part = pick_part(pairs)
    if part is not None and too_few(part, len(part.rows), LEAST_PAIRS, "pairs"):
        return
    rows = list(part.rows) if part else []
    questions = [
        ask(layers_verb.VERB, slot=f"explore.layers.{number}", target=target, pairs=pairs, rows=rows)
        for number, target in enumerate(encoders)
    ]
    chosen = [name for name in MEASURES if name in measures]
    when_answered(questions, partial(_draw, encoders, questions, str(pooling), chosen, pairs, part), height=700)
    repeat(*(python_call("layers", target, pairs=pairs, **({"rows": rows} if rows else {})) for target in encoders))


def _draw(
    encoders: list[str],
    questions: "list[Question[DataFrame]]",
    pooling: str,
    measures: list[str],
    pairs: str,
    part: Part | None,
) -> None:
    import pandas

    from workbench.plots.overlay import overlay

    tables = [question.there for question in questions]
    own = [table[table["pooling"] == pooling] for table in tables]
    drawn = pandas.concat(
        [
            pandas.DataFrame(
                {
                    "target": target,
                    "measure": name,
                    "x": table["layer"],
                    "value": table[name].astype(float),
                    "low": table["low"] if name == "spearman" else float("nan"),
                    "high": table["high"] if name == "spearman" else float("nan"),
                }
            )
            for name in measures
            for target, table in zip(encoders, own, strict=True)
        ],
        ignore_index=True,
    ).dropna(subset="value")
    drawn = labelled(drawn)
    point = " ".join(
        takeaways.layers(target_name(target), list(table["mean_cosine"]))
        for target, table in zip(encoders, own, strict=True)
    )
    figure = overlay(
        drawn, axis="layer, 0 the output of the embeddings", dark=dark(), styles=styles_of(encoders), words=MEASURES
    )
    figure.update_xaxes(dtick=1)
    shown = f"{pairs_name(pairs)}, {part.name}" if part else pairs_name(pairs)
    n, sentences = int(own[0]["n"].iloc[0]), int(own[0]["sentences"].iloc[0])
    show(
        figure,
        key="layers",
        point=point,
        data=pandas.concat([table.assign(target=target) for target, table in zip(encoders, tables, strict=True)]),
        caption=f"{shown}, {n:,} pairs of {sentences:,} sentences; each layer pooled "
        f"by {pooling}; the band is a 95 % interval over pairs",
    )
    if why := _unranked(pandas.concat(own)):
        quiet(why)


def _unranked(layers: "DataFrame") -> str:
    """Why layers have no Spearman; empty if all have. Columns layer, spearman."""
    without = layers[layers["spearman"].isna()]
    if without.empty:
        return ""
    if len(without) == len(layers):
        return "There is no Spearman: for that, at least two pairs with different gold scores are needed."
    if set(without["layer"]) == {0}:
        return (
            "Before the first layer all cosines are equal, as those of a first token are: nothing can be ranked by it."
        )
    said = join_names([str(layer) for layer in sorted(set(without["layer"]))])
    return f"There is no Spearman where all cosines are equal (layer {said})."
