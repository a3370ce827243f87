"""The verdicts of a comparison against one of its methods."""

from typing import TYPE_CHECKING

from workbench.statistics.bootstrap import holm
from workbench.statistics.methods import verdict_of

if TYPE_CHECKING:
    from pandas import DataFrame


def against(differences: "DataFrame", baseline: str) -> "DataFrame":
    """The rows of `Compared.table` with one method, turned so that it is subtracted, and with verdicts adjusted by Holm for these
    rows alone: method, delta, low, high, p, verdict, detectable, where its uncertainty comes from, and the group if there is one.
    """
    from pandas import DataFrame

    rows = []
    for row in differences.to_dict("records"):
        if row["first"] == baseline:
            rows.append({**row, "method": row["second"]})
        elif row["second"] == baseline:
            turned = {"delta": -row["delta"], "low": -row["high"], "high": -row["low"]}
            rows.append({**row, **turned, "method": row["first"]})
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p"] = p
        row["verdict"] = verdict_of(row["delta"], p)
    return DataFrame(rows, columns=["method", *(name for name in differences if name != "method")])
