"""The lens of word frequency: where the word embeddings of frequent and of rare tokens lie, before any sentence is encoded."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import presets
from workbench.core.calls import write_call
from workbench.data.paper_figures import paper_figures
from workbench.plots.template import GREY, Style
from workbench.targets.target import WITHOUT, is_baseline, split
from workbench.ui.explore import takeaways
from workbench.ui.explore.slices import Part, ask_part_texts, pick_part, too_few
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, missing
from workbench.ui.targets.names import target_name
from workbench.ui.targets.styles import labelled, styles_of
from workbench.ui.targets.variants import unvaried
from workbench.verbs import frequency as frequency_verb
from workbench.verbs import score as score_verb
from workbench.verbs.score import PairScores

if TYPE_CHECKING:
    from pandas import DataFrame

NEAREST = (3, 5, 7)
"""The numbers of neighbours in Li et al. 2020, table 1."""
LEAST_TEXTS = 20
"""Fewest sentences of a selection that tokens are ranked in."""
LEFT_OUT = (0, 1, 2, 5, 10, 20, 50, 100, 200)
"""How many tokens are left out of the mean, one score each."""


def frequency_lens(targets: list[str], pairs: str) -> None:
    """Length of word embeddings and nearness to others, by bins of ranks, one line for each encoder."""
    encoders = list(dict.fromkeys(unvaried(target) for target in targets if not is_baseline(split(target).name)))
    if not encoders:
        empty("No encoder is chosen.", "Word counts have no word embeddings: choose a backbone or a run above.")
        return
    part = pick_part(pairs)
    where, near = st.columns([2, 1], gap="medium")
    with where:
        corpus = st.text_input(
            "Corpus that tokens are counted in",
            "demo",
            key="frequency.corpus",
            bind="query-params",
            help="demo, a text file, or a pair set; tokens are ranked by how often they occur in it.",
        )
    with near:
        nearest = st.segmented_control(
            "Nearest embeddings", NEAREST, default=5, required=True, key="frequency.nearest", bind="query-params"
        )
    corpus = str(corpus or "").strip() or "demo"
    texts: list[str] = []
    if part is not None:
        known = ask_part_texts(pairs, part, frequency_verb.MOST_TEXTS)
        when_answered([known], lambda: None, height=60)
        if known.result is None or too_few(part, len(known.there.texts), LEAST_TEXTS, "sentences"):
            return
        texts = known.there.texts
        quiet(f"Tokens are counted in {part.name} instead of the corpus.")
    questions = [
        ask(frequency_verb.VERB, slot=f"explore.frequency.{number}", target=target, corpus=corpus, texts=texts)
        for number, target in enumerate(encoders)
    ]
    when_answered(questions, partial(_draw, encoders, questions, int(str(nearest))), height=620)
    quiet(
        "In BERT the 100 most frequent words have a mean length of 0.95, those of ranks 5,000 to 10,000 one of 1.45 (Li et al. "
        "2020, table 1): there the place of a word tells how often it occurs."
    )
    left_out = folded("What if the most frequent tokens are left out of the mean?", key="frequency.without")
    if left_out is not None:
        with left_out:
            _without(encoders, pairs, part)
    repeat(
        *(
            python_call("frequency", target, **({"texts": texts} if texts else {"corpus": corpus}))
            for target in encoders
        )
    )


def _without(encoders: list[str], pairs: str, part: Part | None) -> None:
    """Spearman by the number of tokens left out, as in figure 4 of Yan et al. 2021."""
    asked = [(target, number) for target in encoders for number in LEFT_OUT]
    questions = [
        ask(score_verb.VERB, slot=f"explore.without.{place}", target=_mean(target, number), pairs=pairs)
        for place, (target, number) in enumerate(asked)
    ]
    when_answered(
        questions, lambda: _draw_without(asked, [question.there for question in questions], pairs, part), height=340
    )
    repeat(python_call("compare", [_mean(encoders[0], number) for number in LEFT_OUT], pairs=pairs))


def _mean(target: str, number: int) -> str:
    """The target with the mean over all tokens but the `number` most frequent ones."""
    return str(replace(split(target), pooling=write_call(presets.POOLING, {WITHOUT: number} if number else {})))


def _draw_without(asked: list[tuple[str, int]], results: list[PairScores], pairs: str, part: Part | None) -> None:
    import pandas

    from workbench.plots.overlay import overlay

    rows = [
        {
            "target": target,
            "measure": "spearman",
            "x": LEFT_OUT.index(number),
            "left_out": number,
            **_ranking(result, part),
        }
        for (target, number), result in zip(asked, results, strict=True)
    ]
    table = labelled(pandas.DataFrame(rows))
    encoders = list(dict.fromkeys(target for target, _ in asked))
    figure = overlay(
        table,
        axis="most frequent tokens left out",
        dark=dark(),
        styles=styles_of(encoders),
        words={"spearman": "Spearman × 100"},
    )
    figure.update_xaxes(tickvals=list(range(len(LEFT_OUT))), ticktext=list(map(count, LEFT_OUT)))
    scores = {target: table.loc[table["target"] == target, "value"].tolist() for target in encoders}
    point = " ".join(
        takeaways.left_out(target_name(target), LEFT_OUT, values)
        for target, values in scores.items()
        if not any(map(missing, values))
    )
    show(
        figure,
        key="frequency.left_out",
        point=point,
        data=table,
        caption=f"{pairs_name(pairs)}, n = {len(part.rows) if part else results[0].scores['n']:,}"
        f"{f', {part.name}' if part else ''}; tokens counted in its own sentences, special ones among them; "
        f"{'' if part else 'the band is a 95 % interval over pairs; '}attention still sees the tokens",
    )
    quiet("In Yan et al. 2021 (ConSERT, figure 4) BERT rises as they are left out, and the tuned model gains only 0.3.")


def _ranking(result: PairScores, part: Part | None) -> dict[str, float]:
    """Spearman with its interval on all pairs, or by itself on a part of them."""
    from workbench.statistics.correlation import spearman

    if part is None:
        return {"value": result.scores["spearman"], "low": result.scores["low"], "high": result.scores["high"]}
    rows = result.cosines[result.cosines["row"].isin(part.rows)]
    return {"value": spearman(rows["cosine"], rows["gold"]), "low": float("nan"), "high": float("nan")}


_PRINTED = "published"


def _published(measures: list[str], most: int) -> "DataFrame":
    """Table 1 of Li et al. 2020, as far as the bins reach: drawn first, so that it lies beneath."""
    import pandas

    curve = next(entry.curve for entry in paper_figures() if entry.id == "frequency_table")
    assert curve is not None
    return pandas.DataFrame(
        [
            {
                "target": _PRINTED,
                "label": curve.label,
                "untrained": True,
                "measure": measure,
                "x": place,
                "value": value,
            }
            for measure in measures
            for place, value in enumerate(curve.values[measure][:most])
        ]
    ).assign(low=float("nan"), high=float("nan"))


def _draw(encoders: list[str], questions: "list[Question[DataFrame]]", nearest: int) -> None:
    import pandas

    from workbench.plots.overlay import overlay

    tables = [question.there for question in questions]
    words = {
        "norm": "Mean length of the embeddings",
        f"distance_{nearest}": f"Mean distance to the {nearest} nearest embeddings",
        f"product_{nearest}": f"Mean of the {nearest} largest dot products with others",
    }
    drawn = pandas.concat(
        [
            pandas.DataFrame(
                {
                    "target": target,
                    "measure": name,
                    "x": range(len(table)),
                    "value": table[name].astype(float),
                    "low": float("nan"),
                    "high": float("nan"),
                }
            )
            for name in words
            for target, table in zip(encoders, tables, strict=True)
        ],
        ignore_index=True,
    )
    printed = _published(list(words), max(map(len, tables)))
    figure = overlay(
        pandas.concat([printed, labelled(drawn)], ignore_index=True),
        axis="rank of the token by frequency",
        dark=dark(),
        styles={**styles_of(encoders), _PRINTED: Style(GREY, "diamond-open", "dash")},
        words=words,
    )
    first = [int(rank) + 1 for rank in max(tables, key=len)["first"]]
    ranges = [f"{count(start)} to {count(end - 1)}" for start, end in pairwise(first)] + [f"from {count(first[-1])}"]
    figure.update_xaxes(tickvals=list(range(len(ranges))), ticktext=ranges)
    point = takeaways.frequency(
        [
            (target_name(target), list(table["norm"]), list(table[f"distance_{nearest}"]))
            for target, table in zip(encoders, tables, strict=True)
            if len(table) > 1
        ]
    )
    about = tables[0].attrs
    texts = count(about["texts"])
    counted = f"{texts} texts" if about["counted"] == about["texts"] else f"{count(about['counted'])} of {texts} texts"
    tokens = " and ".join(dict.fromkeys(count(int(table["tokens"].sum())) for table in tables))
    show(
        figure,
        key="frequency",
        point=point or "All tokens of these texts are in one bin: a larger corpus has more.",
        data=pandas.concat([table.assign(target=target) for target, table in zip(encoders, tables, strict=True)]),
        caption=f"{tokens} different tokens in {counted} of {about['corpus']}, without special ones; neighbours among the "
        "whole vocabulary; no sentence is encoded",
    )
