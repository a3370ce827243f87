"""Clusters in linked views: how many, and what they add, a column of sentences by which they are coloured and selected."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.canvas import Category
from workbench.ui.explore.additions import Additions
from workbench.ui.kit.address import bound_number, choose
from workbench.ui.kit.asking import Question, ask
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import figure
from workbench.ui.targets.names import target_name
from workbench.verbs import clusters as clusters_verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST = 8
"""Most clusters, because each has a colour."""
START = 6
APART = "in two clusters"
"""The pairs whose sentences are not in one cluster."""


def ask_clusters(targets: Sequence[str], texts: Sequence[str]) -> "tuple[str, Question[DataFrame]]":
    """The fields of their number and, of several encoders, of whose vectors they are; that encoder, and the question."""
    number, whose = st.columns([3, 6], gap="medium") if len(targets) > 1 else (st.container(), st.container())
    count = bound_number(
        number.number_input,
        "Clusters",
        2,
        MOST,
        START,
        key="clusters",
        help="Groups of sentences by k-means on whole vectors of an encoder, named by their words. Choose them as the colour, "
        "and click one in the legend to select it: its sentences, and the pairs that have both sentences in it.",
    )
    target = targets[0]
    if len(targets) > 1:
        with whose:
            target = choose("Clusters of", list(targets), key="clusters_of", start=target, shown=target_name)
    return target, ask(clusters_verb.VERB, slot="explore.linked.clusters", texts=texts, target=target, count=count)


def cluster_count() -> int:
    """What the field says."""
    return int(st.session_state.get("clusters", START))


def cluster_columns(question: "Question[DataFrame]", ends: "NDArray[np.int64]", of: str) -> Additions:
    """The columns and the colour; nothing until they are there. `of` says whose they are, where there are several encoders.

    A pair is in a cluster if both of its sentences are.
    """
    if question.result is None:
        return Additions()
    of_sentences = question.there["name"].tolist()
    of_pairs = [of_sentences[one] if of_sentences[one] == of_sentences[other] else APART for one, other in ends]
    order = tuple(question.there["name"].value_counts().index)
    return Additions(
        of_pairs=(Category("cluster", "Cluster", of_pairs, order=(*order, APART), quiet=APART, of=of),),
        of_sentences=(Category("cluster", "Cluster", of_sentences, order=(*order, APART), quiet=APART, of=of),),
        in_pairs=("cluster",),
        in_sentences=("cluster",),
        colours=(("cluster", f"cluster of {of}" if of else "cluster"),),
    )


def tell_clusters(question: "Question[DataFrame]", name: str) -> None:
    """Whether the clusters are worth the name, or why there are none."""
    if question.answer.state == "failed":
        quiet(f"Clusters could not be computed: {question.answer.error}")
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
