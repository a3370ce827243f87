"""The verdicts of a comparison against one of its methods."""

from typing import TYPE_CHECKING

from workbench.statistics.bootstrap import holm

if TYPE_CHECKING:
    from pandas import DataFrame

ALPHA = 0.05
"""The level of a test, and of all against one baseline together."""


def against(differences: "DataFrame", baseline: str) -> "DataFrame":
    """The rows of `Compared.table` with one method, turned so that it is subtracted, and with verdicts adjusted by Holm for these
    rows alone: method, delta, low, high, p, verdict, detectable, and where its uncertainty comes from.
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
        row["verdict"] = "tie" if p > ALPHA else "better" if row["delta"] > 0 else "worse"
    return DataFrame(rows, columns=["method", *(name for name in differences if name != "method")])
