"""Clusters in linked views: how many, and what they add, a column of sentences by which they are coloured and selected."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.canvas import Category
from workbench.ui.explore.additions import Additions
from workbench.ui.kit.address import bound_field
from workbench.ui.kit.asking import Question, ask
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import figure
from workbench.ui.targets.names import target_name
from workbench.verbs import clusters as clusters_verb

if TYPE_CHECKING:
    from pandas import DataFrame

MOST = 8
"""Most clusters, because each has a colour."""
START = 6


def ask_clusters(target: str, texts: Sequence[str]) -> "Question[DataFrame]":
    """The field of their number, and the question."""
    count = bound_field(
        st.number_input,
        "Clusters",
        key="clusters",
        start=START,
        min_value=2,
        max_value=MOST,
        help=f"Groups of sentences by k-means on whole vectors of {target_name(target)}, named by their words. Choose them as "
        "the colour, and click one in the legend to select it.",
    )
    return ask(clusters_verb.VERB, slot="explore.linked.clusters", texts=texts, target=target, count=count)


def cluster_count() -> int:
    """What the field says."""
    return int(st.session_state.get("clusters", START))


def cluster_column(question: "Question[DataFrame]", name: str) -> Additions:
    """The column and the colour; nothing until they are there. `name` is that of their encoder."""
    if question.result is None:
        return Additions()
    label = f"Cluster of {name}"
    return Additions(
        of_sentences=(Category("cluster", label, question.there["name"].tolist()),),
        in_sentences=("cluster",),
        colours=(("cluster", f"cluster of {name}"),),
    )


def tell_clusters(question: "Question[DataFrame]", name: str) -> None:
    """Whether the clusters are worth the name, or why there are none."""
    if question.answer.state == "failed":
        quiet(f"Clusters could not be looked for: {question.answer.error}")
    elif question.result is not None:
        attrs = question.there.attrs
        apart = attrs["silhouette"]
        words = "" if apart is None else f", silhouette {figure(apart)}: {_apart(apart)}"
        quiet(f"{attrs['count']} clusters of {name}, by k-means on whole vectors{words}.")


def _apart(silhouette: float) -> str:
    """What a mean silhouette says, by the bounds of Kaufman and Rousseeuw (1990).

    >>> _apart(0.8), _apart(0.3), _apart(0.05)
    ('clear groups', 'groups that overlap', 'no clear groups, k-means finds some in any set')
    """
    if silhouette > 0.5:
        return "clear groups"
    return "groups that overlap" if silhouette > 0.25 else "no clear groups, k-means finds some in any set"
