"""Which pairs the second encoder of linked views mended or broke, compared with the first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from workbench.ui.canvas import Category, Number, full_name
from workbench.ui.explore.additions import Additions
from workbench.ui.kit.figures import takeaway
from workbench.ui.kit.notices import quiet

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame
    from streamlit.delta_generator import DeltaGenerator

    from workbench.verbs.score import PairScores

LEAST = 0.1
"""The threshold at first: a tenth of the ranks."""
CHANGE, EFFECT = "Change of residual", "Effect"


def changes_head() -> "tuple[float, DeltaGenerator]":
    """By how much a residual must change to count, and room beside that for what it then says."""
    told, chosen = st.columns([5, 3], gap="large")
    return (
        chosen.slider(
            "A pair changed if its residual did by more than",
            0.01,
            0.5,
            LEAST,
            0.01,
            key="changed",
            bind="query-params",
            help="The residual is the rank of a pair's cosine minus the rank of its gold score, both from 0 to 1. A pair is "
            "mended if the size of its residual fell by more than this, and broken if it rose by more.",
        ),
        told,
    )


def threshold_set() -> dict[str, float]:
    """The threshold as an argument, if it is another than at first."""
    threshold = float(st.session_state.get("changed", LEAST))
    return {} if threshold == LEAST else {"threshold": threshold}


def changes_of(results: "Sequence[PairScores]", threshold: float) -> "list[DataFrame]":
    """What each further encoder did to each pair, compared with the first."""
    from workbench.analysis.changed_pairs import changed_pairs

    first, *others = (result.cosines["cosine"] for result in results)
    gold = results[0].cosines["gold"]
    return [changed_pairs(first, other, gold, threshold=threshold) for other in others]


def tell_changes(names: Sequence[str], tables: "Sequence[DataFrame]", marked: "NDArray[np.bool_] | None") -> None:
    """A sentence for each further encoder: how many pairs it mended and broke, of all and of those selected."""
    for name, table in zip(names[1:], tables, strict=True):
        takeaway(changed(name, names[0], table))
        if marked is not None:
            quiet(f"Of the {int(marked.sum()):,} selected: {_counts(table[marked])}.")


def changed(name: str, reference: str, table: "DataFrame") -> str:
    """How many pairs an encoder mended and broke.

    >>> import pandas
    >>> changed("SimCSE", "raw", pandas.DataFrame({"verdict": ["mended", "mended", "broken", "as before"]}))
    'SimCSE mended 2 pairs and broke 1, compared with raw; 1 of 4 stayed about as they were.'
    """
    from workbench.analysis.changed_pairs import BROKEN, MENDED

    counts = table["verdict"].value_counts()
    mended, broken = int(counts.get(MENDED, 0)), int(counts.get(BROKEN, 0))
    return (
        f"{name} mended {mended:,} pair{'s' * (mended != 1)} and broke {broken:,}, compared with {reference}; "
        f"{len(table) - mended - broken:,} of {len(table):,} stayed about as they were."
    )


def _counts(table: "DataFrame") -> str:
    from workbench.analysis.changed_pairs import VERDICTS

    counts = table["verdict"].value_counts()
    return ", ".join(f"{int(counts.get(verdict, 0)):,} {verdict}" for verdict in VERDICTS)


def changes_table(results: "Sequence[PairScores]", tables: "Sequence[DataFrame]", names: Sequence[str]) -> "DataFrame":
    """All changes with their sentences, those of one encoder below those of the other."""
    import pandas

    known = results[0].cosines[["row", "subset", "sentence1", "sentence2"]]
    return pandas.concat(
        [table.assign(target=name).merge(known, on="row") for name, table in zip(names[1:], tables, strict=True)],
        ignore_index=True,
    )


def change_columns(
    tables: "Sequence[DataFrame]", ends: "NDArray[np.integer]", n: int, owners: Sequence[str]
) -> Additions:
    """The change of each pair and its verdict; a sentence has those of its pair that changed most."""
    from workbench.analysis.changed_pairs import UNCHANGED, VERDICTS

    of_pairs: list[Number | Category] = []
    of_sentences: list[Number | Category] = []
    names: list[str] = []
    colours: list[tuple[str, str]] = []
    for number, (table, of) in enumerate(zip(tables, owners[1:], strict=True), 1):
        change, verdict = table["change"].to_numpy(), table["verdict"].to_numpy()
        most = _most_changed(change, ends, n)
        verdicts = np.where(most < 0, UNCHANGED, verdict[most])
        change_name, verdict_name = f"change {number}", f"effect {number}"
        of_pairs += [
            Number(change_name, CHANGE, change, diverging=True, of=of),
            Category(verdict_name, EFFECT, verdict.tolist(), order=VERDICTS, quiet=UNCHANGED, of=of),
        ]
        of_sentences += [
            Number(change_name, CHANGE, np.where(most < 0, np.nan, change[most]), diverging=True, of=of),
            Category(verdict_name, EFFECT, verdicts.tolist(), order=VERDICTS, quiet=UNCHANGED, of=of),
        ]
        names += [change_name, verdict_name]
        colours += [
            (verdict_name, full_name("mended or broken", of)),
            (change_name, full_name("change of residual", of)),
        ]
    return Additions(tuple(of_pairs), tuple(of_sentences), tuple(names), (), tuple(colours))


def _most_changed(change: "NDArray[np.floating]", ends: "NDArray[np.integer]", n: int) -> "NDArray[np.int64]":
    """For each of n sentences the pair it is in that changed most; -1 for one in no pair.

    >>> _most_changed(np.array([0.1, -0.5]), np.array([[0, 1], [1, 2]]), 4).tolist()
    [0, 1, 1, -1]
    """
    most = np.full(n, -1)
    order = np.argsort(np.abs(change), kind="stable")
    for side in range(ends.shape[1]):
        most_here = np.full(n, -1)
        most_here[ends[order, side]] = order  # the last one assigned stays, which changed most
        better = (most_here >= 0) & ((most < 0) | (np.abs(change)[most_here] > np.abs(change)[most]))
        most = np.where(better, most_here, most)
    return most
