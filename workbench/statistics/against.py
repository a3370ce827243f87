"""The verdicts of a comparison against one of its methods."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


def against(differences: "DataFrame", baseline: str) -> "DataFrame":
    """The rows of `Compared.table` with one method, turned so that it is subtracted: method in place of first and second.

    p_holm and the verdicts stay adjusted for all rows of the table, so that one pair of methods has one verdict, whatever it is
    shown beside and whichever of them is the baseline.
    """
    from pandas import DataFrame

    rows = []
    for row in differences.to_dict("records"):
        if row["first"] == baseline:
            rows.append({**row, "method": row["second"]})
        elif row["second"] == baseline:
            turned = {
                "delta": -row["delta"],
                "low": -row["high"],
                "high": -row["low"],
                "verdict": _TURNED[row["verdict"]],
            }
            rows.append({**row, **turned, "method": row["first"]})
    return DataFrame(rows, columns=["method", *(name for name in differences if name not in ("first", "second"))])


_TURNED = {"better": "worse", "worse": "better", "tie": "tie"}
