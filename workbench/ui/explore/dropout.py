"""The lens of dropout views: the same sentences encoded several times, by up to four encoders, with one seed or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.targets.target import is_baseline, split
from workbench.ui.corpora.sentences import sentences_input
from workbench.ui.explore import takeaways
from workbench.ui.explore.planes import METHODS, trust_words
from workbench.ui.explore.slices import ask_part_texts, pick_part
from workbench.ui.kit.address import MOST_SEED, bound_field, bound_number
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import show
from workbench.ui.kit.notices import empty, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import fitted_words, sheet
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import figure, html, join_names, plain
from workbench.ui.targets.choice import pick_further
from workbench.ui.targets.names import target_name
from workbench.verbs import project

if TYPE_CHECKING:
    from pandas import DataFrame

ENTAILING = (
    "He was born in Nazareth-Palestine, but immigrated to Lebanon with his parents and then to Jordan "
    "where he completed his primary education.\n"
    "He was born in Nazareth-Palestine, but immigrated to Lebanon with his parents.\n"
    "He was born in Nazareth-Palestine, but immigrated to Lebanon."
)
"""Each entails the next (Zhang et al. 2022, ArcCSE): are their dropout views separate?"""
MOST_TARGETS = 4
MOST_TEXTS = 12
"""Sentences in one figure."""
MOST_SELECTED = 100_000
"""Sentences of a selection that are read; the first are drawn."""
SLOW = "umap"
"""PCA is shown until this is ready."""


@dataclass(frozen=True)
class Panel:
    """The views of the sentences by one target with one seed."""

    target: str
    seed: int
    at_once: "Question[DataFrame]"
    later: "Question[DataFrame] | None"

    @property
    def table(self) -> "DataFrame":
        """The projection that was asked for, or PCA until it is ready."""
        return self.at_once.there if self.later is None or self.later.result is None else self.later.there


def views_lens(targets: list[str], pairs: str) -> None:
    """Dropout views of a few sentences, by PCA immediately and by UMAP when ready."""
    part = pick_part(pairs)
    if part is None:
        texts = sentences_input("Sentences, one per line", ENTAILING, key="texts", most=MOST_TEXTS)
        if texts == ENTAILING.splitlines():
            st.caption("Sentences from Zhang et al. 2022, ArcCSE")
    else:
        question = ask_part_texts(pairs, part, MOST_SELECTED)
        when_answered([question], lambda: None, height=60)
        if question.result is None:
            return
        texts = question.there.texts[:MOST_TEXTS]
        st.caption(plain(" · ".join(texts)))
        if len(question.there.texts) > len(texts):
            quiet(f"The first {len(texts)} sentences, {part.name}.")
    targets = _with_further(targets)
    knobs = st.columns([3, 3, 2, 2], gap="medium")
    views = knobs[0].slider(
        "Views per sentence",
        5,
        100,
        40,
        key="views",
        bind="query-params",
        help="Encodings of the same sentence with dropout on.",
    )
    rate = knobs[1].slider("Dropout rate", 0.0, 0.5, 0.1, 0.05, key="rate", bind="query-params")
    seed = bound_number(knobs[2].number_input, "Seed", 0, MOST_SEED - 1, 0, key="views.seed")
    with knobs[3]:
        method = st.segmented_control(
            "Projection",
            ["pca", SLOW],
            default=SLOW,
            required=True,
            key="projection",
            format_func=METHODS.__getitem__,
            bind="query-params",
        )
    second = bound_field(
        st.toggle,
        "A second seed",
        key="views.second",
        start=False,
        help="Draws the same with other dropout masks, and another seed of UMAP: what differs between the two is chance.",
    )
    if not texts:
        empty("No sentences yet.", "Type some in the box, one per line.")
        return
    seeds = [seed, seed + 1] if second else [seed]
    panels = [
        _asked(number, target, seed, str(method), {"texts": texts, "views": views, "dropout": rate})
        for number, (target, seed) in enumerate((target, seed) for target in targets for seed in seeds)
    ]
    later = [panel.later for panel in panels if panel.later is not None]
    when_answered([panel.at_once for panel in panels], lambda: _draw(panels, texts, rate), optional=later, height=420)
    quiet("Separation is computed in the full space, not in the plot: distances in a UMAP plot mean little.")
    settings = {"method": str(method), "views": views, "dropout": rate}
    repeat(
        f"texts = {texts!r}",
        *(
            python_call("project", texts="TEXTS", target=target, **settings, seed=seed).replace(
                "texts='TEXTS'", "texts"
            )
            for target in targets
            for seed in seeds
        ),
    )


def _with_further(targets: list[str]) -> list[str]:
    """Those chosen above, and as many more as one figure has room for; what has no dropout is left out."""
    further = pick_further(targets, most=MOST_TARGETS)
    baselines = [name for name in further if is_baseline(split(name).name)]
    if baselines:
        quiet(f"Without dropout, and so not in this figure: {join_names([target_name(name) for name in baselines])}.")
    return [*targets, *(name for name in further if name not in baselines)]


def _asked(number: int, target: str, seed: int, method: str, arguments: dict[str, Any]) -> Panel:
    def question(way: str) -> "Question[DataFrame]":
        return ask(project.VERB, slot=f"explore.{way}.{number}", target=target, seed=seed, method=way, **arguments)

    return Panel(target, seed, question("pca"), question(method) if method == SLOW else None)


def _draw(panels: Sequence[Panel], texts: list[str], rate: float) -> None:
    """One figure of all panels, and their numbers."""
    import pandas

    from workbench.plots.projection import dropout_views
    from workbench.plots.view_panels import view_panels

    tables = [panel.table for panel in panels]
    seeds = list(dict.fromkeys(panel.seed for panel in panels))
    names = [target_name(panel.target) + (f", seed {panel.seed}" if len(seeds) > 1 else "") for panel in panels]
    labels = [f"sentence {number}" for number in range(1, len(texts) + 1)]
    alone = len(panels) == 1
    drawn = (
        dropout_views(tables[0], dark=dark(), labels=labels)
        if alone
        else view_panels(tables, names, labels=labels, dark=dark())
    )
    shown = METHODS[str(tables[0].attrs["method"])]
    waiting = any(panel.later is not None and not panel.later.answer.over for panel in panels)
    caption = f"{shown}; {len(texts)} sentence{'s' * (len(texts) != 1)}, dropout {rate:g}" + (
        "; UMAP will replace it when ready" if waiting else ""
    )
    data = pandas.concat(
        [table.assign(target=panel.target, seed=panel.seed) for panel, table in zip(panels, tables, strict=True)],
        ignore_index=True,
    )
    point = takeaways.two_seeds(*_by_seed(panels, tables)) if len(seeds) > 1 else ""
    show(drawn, key="views.figure", point=point, caption=caption, data=data, height=470 if alone else 0)
    _numbers(names, tables)
    failed = next(
        (panel.later for panel in panels if panel.later is not None and panel.later.answer.state == "failed"), None
    )
    if failed is not None:
        quiet(f"UMAP could not be computed: {failed.answer.error}")


def _by_seed(panels: Sequence[Panel], tables: "Sequence[DataFrame]") -> tuple[list[str], list[list[float | None]]]:
    """The names of the targets, and the separation of each with each seed."""
    found: dict[str, list[float | None]] = {}
    for panel, table in zip(panels, tables, strict=True):
        found.setdefault(target_name(panel.target), []).append(table.attrs["separation"])
    return list(found), list(found.values())


def _numbers(names: Sequence[str], tables: "Sequence[DataFrame]") -> None:
    lines = []
    for name, table in zip(names, tables, strict=True):
        attrs = table.attrs
        cells = [figure(attrs[measure]) for measure in ("separation", "silhouette", "within_cosine", "between_cosine")]
        plane = f"{trust_words(table)}{fitted_words(attrs.get('fitted_on'))}"
        lines.append(
            f'<tr><td class="words">{html(name)}<br><small>{html(plane)}</small></td>'
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    sheet(
        "<th class='words'>Encoder</th><th>Separa-<br>tion ↑</th><th>Silhou-<br>ette ↑</th><th>Cosine,<br>same</th>"
        "<th>Cosine,<br>different</th>",
        lines,
    )
    quiet(
        "Separation: the mean distance between views of two sentences, divided by that between views of one. Cosines are means "
        "over views of the same sentence, and of different ones."
    )
