"""The lens of linked views: projection, similarity against gold, histograms and pairs share one selection."""

import shlex
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench.data.demo import subset_word
from workbench.ui.canvas import (
    Category,
    Chosen,
    Ends,
    EndText,
    Histogram,
    Number,
    Panel,
    Rows,
    Scatter,
    Scene,
    Table,
    Text,
    full_name,
    linked,
    rows_table,
)
from workbench.ui.explore import takeaways
from workbench.ui.explore.additions import Additions, ends_of
from workbench.ui.explore.changes import (
    change_columns,
    changes_head,
    changes_of,
    changes_table,
    tell_changes,
    threshold_set,
)
from workbench.ui.explore.distributions import ask_spreads, bucket_panels, distributions, overlap_panels
from workbench.ui.explore.groups import ask_clusters, cluster_columns, cluster_count, tell_clusters
from workbench.ui.explore.neighbours import ask_neighbours, near_count, nearest_lists, overlap_columns, pick_count
from workbench.ui.explore.planes import METHODS, MOST_SLOW, SLOW, offered, plane_columns_and_panels, plane_height
from workbench.ui.explore.slices import keep_form, marked_by, pick_slice, remember, slice_scores
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.asking import Question, ask, when_answered
from workbench.ui.kit.figures import data_menu, download, takeaway
from workbench.ui.kit.glossary import MEASURES
from workbench.ui.kit.notices import empty, facts, fragment, quiet, trouble
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name, seen_words
from workbench.ui.kit.words import figure, html, interval, plain, score
from workbench.ui.targets.choice import pick_further
from workbench.ui.targets.names import BETWEEN, target_name
from workbench.verbs import pair_texts as pair_texts_verb
from workbench.verbs import project as project_verb
from workbench.verbs import score as score_verb
from workbench.verbs import search as search_verb
from workbench.verbs.pair_texts import Sentences
from workbench.verbs.score import PairScores
from workbench.verbs.spread import SpreadOfVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_SENTENCES = 200_000
"""Most different sentences of a set that is shown: every pair has both of its sentences."""
MOST_POINTS = 5_000
"""Most pairs that are drawn as points; more would hide each other, so that hexagons count them."""
MOST_TARGETS = 4
NEAREST = 20
"""Sentences selected by meaning."""


def linked_lens(targets: list[str], pairs: str) -> None:
    """All views of the pairs at once, of up to four encoders; what is selected in one is marked in all."""
    targets = [*targets, *pick_further(targets, most=MOST_TARGETS)]
    texts = ask(pair_texts_verb.VERB, slot="explore.linked.texts", pairs=pairs, most=MOST_SENTENCES)
    when_answered([texts], lambda: _lens(targets, pairs, texts.there))


@fragment()
def _lens(targets: list[str], pairs: str, sentences: Sentences) -> None:
    texts = sentences.texts
    if sentences.step > 1:
        empty(
            f"{pairs_name(pairs)} has more than {MOST_SENTENCES:,} different sentences.",
            "The linked views show sets of up to that many: choose another set, a split or a file with fewer of its pairs. "
            "Compare scores all of it.",
        )
        return
    if len(targets) > 1:  # a line of its own for what has long names
        first, second, third = st.columns([5, 3, 9], gap="medium")
        fourth, fifth = st.columns([8, 9], gap="medium")
    else:
        first, second, third, fourth, fifth = st.columns([5, 3, 3, 4, 4], gap="medium")
    with first:
        method = choose_button("Projection", offered(len(texts)), key="plane", start="pca", shown=METHODS.__getitem__)
        if len(texts) > MOST_SLOW:
            quiet(f"UMAP and t-SNE are for up to {MOST_SLOW:,} sentences; these are {len(texts):,}.")
    with second:
        scale = choose_button("Similarity against gold", ["raw", "ranks"], key="scale", start="raw")
    # Asked first, as they are what is drawn first; the others find the vectors.
    scores = [
        ask(score_verb.VERB, slot=f"explore.linked.score.{number}", target=target, pairs=pairs)
        for number, target in enumerate(targets)
    ]

    def projected(way: str) -> "list[Question[DataFrame]]":
        return [
            ask(project_verb.VERB, slot=f"explore.linked.{way}.{number}", texts=texts, target=target, method=way)
            for number, target in enumerate(targets)
        ]

    at_once = projected("pca" if method in SLOW else method)
    later = projected(method) if method in SLOW else []
    with third:
        clustered, groups = ask_clusters(targets, texts)
    with fourth:
        kept = pick_slice(pairs)
    with fifth:
        query = st.text_input(
            "Select by meaning",
            key="meaning",
            max_chars=500,
            placeholder="A sentence …",
            help=f"Selects the {NEAREST} sentences that {plain(target_name(targets[0]))} finds nearest.",
        ).strip()

    near = (
        [
            ask(
                search_verb.VERB,
                slot="explore.linked.near",
                texts=texts,
                query=query,
                target=targets[0],
                count=min(NEAREST, len(texts)),
            )
        ]
        if query
        else []
    )

    neighbours = ask_neighbours(targets, texts)
    spreads = ask_spreads(targets, texts)

    def draw() -> None:
        done = bool(later) and all(question.result is not None for question in later)
        planes = [question.there for question in (later if done else at_once)]
        results = [question.there for question in scores]
        ends = ends_of(texts, results[0].cosines)
        threshold, summary = changes_head() if len(targets) > 1 else (0.0, st.empty())
        changes = changes_of(results, threshold)
        names = _short_names(targets)
        additions = [
            change_columns(changes, ends, len(texts), owners_of(targets)),
            cluster_columns(groups, ends, owners_of(targets)[targets.index(clustered)]),
        ]
        views = st.container()  # what stands below them has a say in their columns
        count = pick_count(len(texts)) if neighbours else 0
        if len(targets) > 1 and neighbours and all(question.result is not None for question in neighbours):
            additions.append(overlap_columns([question.there for question in neighbours], count, owners_of(targets)))
        known = [question.there for question in spreads if question.result is not None]
        scene = scene_of(
            targets,
            pairs,
            texts,
            results,
            planes,
            ends,
            additions,
            ranks=scale == "ranks",
            spreads=known if len(known) == len(targets) else [],
        )
        given = marked_by(kept, len(results[0].cosines)) if kept else None
        stamp = f"{kept.name} {kept.made}" if kept else ""
        if near and near[0].answer.state == "failed":
            trouble(str(near[0].answer.error))
        if near and near[0].result is not None:
            mask = np.zeros(len(texts), dtype=bool)
            mask[near[0].there["row"]] = True
            given, stamp = Chosen("sentences", mask), f"{targets[0]} {query}"
        with views:
            chosen = linked(scene, key="linked", selected=given, stamp=stamp)
            if later and not done:
                failed = next((question.answer.error for question in later if question.answer.state == "failed"), None)
                name = METHODS[method]
                quiet(
                    f"{name} could not be computed: {failed}"
                    if failed
                    else f"{name} will replace PCA when it is ready."
                )
            tell_clusters(groups, names[targets.index(clustered)])
            data_menu(
                "Data of these views",
                {kind.name.capitalize(): partial(rows_table, scene, kind.name, chosen) for kind in scene.rows},
                "linked",
            )
        remember(pairs, chosen, scene, texts)
        marked = None if chosen is None else chosen.of(scene, "pairs")
        with summary:
            tell_changes(names, changes, marked)
            if changes:
                download(partial(changes_table, results, changes, targets), "mended_and_broken.csv")
        marked_texts = None if chosen is None else chosen.of(scene, "sentences")
        nearest_lists(targets, texts, neighbours, marked_texts, count)
        distributions(targets, pairs, texts, results, spreads, marked, marked_texts)
        _figures(targets, pairs, results, marked)
        keep_form(pairs, marked)

    improving = [*later, *near, *neighbours, *spreads, groups]
    when_answered([*scores, *at_once], draw, optional=[*scores, *at_once, *improving], height=700)
    if kept:
        slice_scores(kept, targets)
    repeat(
        python_call("compare", targets, pairs=pairs),
        *(python_call("changed_pairs", targets[0], target, pairs=pairs, **threshold_set()) for target in targets[1:]),
        f"texts = {python_call('pair_texts', pairs, most=MOST_SENTENCES)}.texts",
        *(
            python_call("project", texts="TEXTS", target=target, method=method).replace("texts='TEXTS'", "texts")
            for target in targets
        ),
        python_call("clusters", texts="TEXTS", target=clustered, count=cluster_count()).replace(
            "texts='TEXTS'", "texts"
        ),
        *(
            python_call("neighbours", texts="TEXTS", target=target, count=near_count(len(texts))).replace(
                "texts='TEXTS'", "texts"
            )
            for target in targets
            if neighbours
        ),
        *(python_call("spread", texts="TEXTS", target=target).replace("texts='TEXTS'", "texts") for target in targets),
        command="\n".join(_for_print(targets, pairs, method)),
    )


def _for_print(targets: Sequence[str], pairs: str, method: str) -> list[str]:
    """The command that draws each panel as PDF; SVG and PNG by the ending of the file."""
    several = " ".join(map(shlex.quote, targets))
    first = shlex.quote(targets[0])
    figures = [(name, first) for name in (method, "gold_scatter", "gold_buckets", "cosine_overlap", "gold_scores")]
    figures += [("residuals", several), ("spectrum", several)]
    if len(targets) > 1:
        figures.append(("neighbours", several))
    on = shlex.quote(pairs)
    return [f"python -m workbench figure {name} {of} --pairs {on} --out {name}.pdf" for name, of in figures]


def _figures(targets: list[str], pairs: str, results: list[PairScores], marked: "NDArray[np.bool_] | None") -> None:
    """The scores of each target on all pairs, and how the selected ones are ranked."""
    for column, target, result in zip(st.columns(len(targets), gap="large"), targets, results, strict=True):
        with column:
            _figures_of(target, result, marked, explain=MEASURES if target == targets[0] else ())
    quiet(
        f"{pairs_name(pairs)}{seen_words(results[0].scores)}. The residual is the rank of a pair's cosine minus the rank of its "
        "gold score, both from 0 to 1: above 0 the encoder finds the sentences too similar, below 0 too different. Spearman uses "
        "ranks only: an encoder whose cosines all lie between .6 and .9 can rank perfectly. Ranks show its errors, the raw scale "
        "how it uses the space."
    )


def _figures_of(target: str, result: PairScores, marked: "NDArray[np.bool_] | None", explain: Collection[str]) -> None:
    scores = result.scores
    named = {"Spearman × 100": score(scores["spearman"]), "Mean cosine": figure(scores["mean_cosine"])}
    notes = {"Spearman × 100": f"{interval(scores['low'], scores['high'])}, n = {scores['n']:,}"}
    if marked is not None:
        residual = _residuals(result)[marked]
        named["Selected pairs"] = f"{int(marked.sum()):,}"
        named["Their mean residual"] = figure(float(residual.mean()))
        notes["Their mean residual"] = f"mean size {figure(float(np.abs(residual).mean()))}"
    st.html(f'<p class="of">{html(target_name(target))}</p>')
    takeaway(takeaways.gold_scatter(result.cosines, scores["spearman"]))
    facts(named, notes, explain)
    download(partial(_worst, result), f"pairs.{target}.csv")


def _worst(result: PairScores) -> "DataFrame":
    """All pairs with their ranks, residuals and verdicts, the worst ranked first."""
    from workbench.analysis.worst_pairs import worst_pairs

    cosines = result.cosines
    table = worst_pairs(cosines["cosine"], cosines["gold"], count=len(cosines))
    return table.merge(cosines[["row", "subset", "sentence1", "sentence2"]], on="row", how="left")


def _residuals(result: PairScores) -> "NDArray[np.float64]":
    """Rank by cosine minus rank by gold of each pair, in the order of the set."""
    return _worst(result).sort_values("row")["residual"].to_numpy()


def scene_of(
    targets: Sequence[str],
    pairs: str,
    texts: Sequence[str],
    results: Sequence[PairScores],
    planes: "Sequence[DataFrame]",
    ends: "NDArray[np.int64]",
    additions: Sequence[Additions] = (),
    *,
    ranks: bool,
    spreads: Sequence[SpreadOfVectors] = (),
) -> Scene:
    """Sentences and pairs with their columns, and the panels of each target, in columns of the page."""
    from workbench.statistics.correlation import average_ranks

    cosines = results[0].cosines
    gold = cosines["gold"].to_numpy(dtype=np.float64)
    names = _short_names(targets)
    owners = owners_of(targets)

    def share(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Average ranks, from 0 to 1."""
        return np.asarray((average_ranks(values) - 1) / max(1, len(values) - 1))

    of_pairs: list[Number | Category] = [Number("gold", "Gold", gold)]
    of_sentences: list[Number | Category] = [Number("gold", "Gold", _mean_of_pairs(gold, ends, len(texts)))]
    if ranks:
        of_pairs.append(Number("gold rank", "Rank of gold", share(gold)))
    subsets = [str(subset) for subset in cosines["subset"]]
    several, word = len(set(subsets)) > 1, subset_word(pairs)
    if several:
        of_pairs.append(Category("subset", word, subsets))
        subset_of = dict(zip(ends[::-1].ravel(), np.repeat(subsets[::-1], 2), strict=True))
        of_sentences.append(Category("subset", word, [str(subset_of.get(row, "")) for row in range(len(texts))]))
    coordinates, scatters = plane_columns_and_panels(names, owners, planes)
    of_sentences += coordinates
    height = plane_height(len(targets))
    agreements: list[Panel] = []
    lowest = min(float(result.cosines["cosine"].min()) for result in results)
    for number, (of, result) in enumerate(zip(owners, results, strict=True)):
        cosine = result.cosines["cosine"].to_numpy(dtype=np.float64)
        ranked = _worst(result).sort_values("row")
        residual = ranked["residual"].to_numpy()
        of_pairs += [
            Number(f"cosine {number}", "Cosine", cosine, of=of),
            Number(f"residual {number}", "Residual", residual, diverging=True, of=of),
            Category(f"verdict {number}", "Verdict", ranked["verdict"].tolist(), of=of),
        ]
        if ranks:
            of_pairs.append(Number(f"cosine rank {number}", "Rank of cosine", share(cosine), of=of))
        mean_residual = _mean_of_pairs(residual, ends, len(texts))
        of_sentences.append(Number(f"residual {number}", "Mean residual", mean_residual, diverging=True, of=of))
        agreements.append(
            Scatter(
                "pairs",
                "gold rank" if ranks else "gold",
                f"cosine rank {number}" if ranks else f"cosine {number}",
                "Pairs, similarity against gold",
                x_label="Rank of gold score" if ranks else "Gold score",
                y_label="Rank of cosine" if ranks else "Cosine",
                group="gold",
                within=None if ranks else ((float(gold.min()), float(gold.max())), (lowest, 1.0)),
                hexagons=MOST_POINTS,
                marginals=True,
                note=f"Spearman × 100: {score(result.scores['spearman'])}",
                of=of,
                height=height,
            )
        )
    residuals = [
        Histogram("pairs", f"residual {number}", "Residuals", x_label="Rank of cosine minus rank of gold", of=of)
        for number, of in enumerate(owners)
    ]
    bucket, buckets = bucket_panels(results, owners, lowest)
    of_pairs.append(bucket)
    positives, overlaps = overlap_panels(results, spreads, owners, lowest) if spreads else ([], [])
    of_pairs += positives
    columns = ("gold", *(f"{name} {number}" for number in range(len(targets)) for name in ("cosine", "residual")))
    columns += tuple(name for addition in additions for name in addition.in_pairs)
    of_pairs += [column for addition in additions for column in addition.of_pairs]
    columns = _by_owner(columns, of_pairs, owners)
    of_sentences += [column for addition in additions for column in addition.of_sentences]
    about_sentences = ("residual 0", *(name for addition in additions for name in addition.in_sentences))
    about_sentences = _by_owner(about_sentences, of_sentences, owners)
    across = max(2, len(targets))
    side_by_side: list[Panel] = [*scatters, *agreements, *buckets, *overlaps, *residuals]
    panels = [
        *side_by_side,
        # With one encoder it takes the place beside the residuals, which would stay empty.
        Histogram("pairs", "gold", "Gold scores", x_label="Gold score", wide=len(side_by_side) % across == 0),
        Table("pairs", ("first", "second", *columns), "Pairs, the worst ranked first", sort="residual 0"),
        Table("sentences", ("text", *about_sentences), "Sentences", sort="residual 0", height=260),
    ]
    sentence_rows = Rows(
        "sentences", "sentence", "sentences", (*of_sentences, Text("text", "Sentence", texts)), ("text",)
    )
    pair_rows = Rows("pairs", "pair", "pairs", tuple(of_pairs), ("first", "second", *columns))
    colours = [("subset", word.lower())] if several else []
    colours += [
        ("gold", "gold score"),
        *((f"{name} {n}", full_name(name, of)) for n, of in enumerate(owners) for name in ("residual", "verdict")),
    ]
    colours += [colour for addition in additions for colour in addition.colours]
    return Scene(
        identity=f"{pairs} {len(texts)} {len(gold)}",
        rows=(pair_rows, sentence_rows),
        panels=tuple(panels),
        ends=Ends(
            "pairs",
            "sentences",
            ends,
            (EndText("first", "First sentence", 0, "text"), EndText("second", "Second sentence", 1, "text")),
        ),
        colours=tuple(colours),
        searched=("sentences", "text"),
        across=across,
    )


def _by_owner(names: Sequence[str], columns: "Sequence[Number | Category]", owners: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, those of each encoder side by side, and first those of none."""
    of = {column.name: column.of for column in columns}
    return tuple(sorted(names, key=lambda name: owners.index(of[name]) + 1 if of[name] in owners else 0))


def owners_of(targets: Sequence[str]) -> list[str]:
    """What tells the columns and panels of several targets apart: their short names; nothing for a single one."""
    return _short_names(targets) if len(targets) > 1 else [""]


def _short_names(targets: Sequence[str]) -> list[str]:
    """The first part of each display name, or the whole names where that does not tell them apart.

    >>> _short_names(["minilm-l3", "tfidf"]), _short_names(["minilm-l3+centre", "minilm-l3"])
    (['minilm-l3', 'TF-IDF'], ['minilm-l3 · mean subtracted', 'minilm-l3 · before fine-tuning'])
    """
    names = [target_name(target) for target in targets]
    short = [name.partition(BETWEEN)[0] for name in names]
    return short if len(set(short)) == len(short) else names


def _mean_of_pairs(values: "NDArray[np.float64]", ends: "NDArray[np.integer]", n: int) -> "NDArray[np.float64]":
    """For each of n sentences the mean of a column over the pairs that it is in."""
    total, count = np.zeros(n), np.zeros(n)
    for side in range(ends.shape[1]):
        np.add.at(total, ends[:, side], values)
        np.add.at(count, ends[:, side], 1)
    return total / np.maximum(count, 1)
