"""Judges' verdicts on each augmentation, as shares with intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.statistics.agreement import kappa
from workbench.statistics.means import mean_interval
from workbench.statistics.wilson import wilson

if TYPE_CHECKING:
    from pandas import DataFrame

VERDICTS = ("same", "changed", "broken")
"""The meaning is the same; the meaning is another; not a sentence that anybody would write."""


def verdict_shares(judgements: "DataFrame") -> "DataFrame":
    """One row per pipeline, from rows of pipeline, verdict and, where known, cosine.

    Columns: pipeline, n, then for each verdict its share (`same`), `same_low` and `same_high` (Wilson, 95 %), and cosine,
    cosine_low, cosine_high over the same pairs (bootstrap, 95 %).
    """
    from pandas import DataFrame

    rows = []
    for pipeline, group in judgements.groupby("pipeline", sort=False):
        row: dict[str, object] = {"pipeline": pipeline, "n": len(group)}
        for verdict in VERDICTS:
            count = int((group["verdict"] == verdict).sum())
            row[verdict] = count / len(group)
            row[f"{verdict}_low"], row[f"{verdict}_high"] = wilson(count, len(group))
        known = group["cosine"].dropna() if "cosine" in group else group["verdict"].head(0)
        row["cosine"] = float(known.mean()) if len(known) else None
        row["cosine_low"], row["cosine_high"] = mean_interval(known.to_numpy()) if len(known) else (None, None)
        rows.append(row)
    return DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    "pipeline",
    "n",
    *(f"{verdict}{end}" for verdict in VERDICTS for end in ("", "_low", "_high")),
    "cosine",
    "cosine_low",
    "cosine_high",
]


def agreement(judgements: "DataFrame") -> "DataFrame":
    """One row per two judges with pairs in common: first, second, n (common pairs), agreed (share), kappa.

    Columns of the input: judge, pair, verdict; one row per judge and pair.
    """
    from pandas import DataFrame

    wide = judgements.pivot(index="pair", columns="judge", values="verdict")
    judges: Sequence[str] = list(wide.columns)
    rows = []
    for number, judge in enumerate(judges):
        for other in judges[number + 1 :]:
            both = wide[[judge, other]].dropna()
            if len(both):
                first, second = list(both[judge]), list(both[other])
                agreed = sum(a == b for a, b in zip(first, second, strict=True)) / len(both)
                rows.append((judge, other, len(both), agreed, kappa(first, second)))
    return DataFrame(rows, columns=["first", "second", "n", "agreed", "kappa"])
