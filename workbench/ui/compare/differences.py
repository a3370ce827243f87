"""Differences from a baseline, as rows and in words."""

from typing import TYPE_CHECKING

from workbench.ui.kit.words import score

if TYPE_CHECKING:
    from pandas import DataFrame


def against(differences: "DataFrame", reference: str) -> "DataFrame":
    """The rows of the differences with one method, turned so that it is subtracted, and with verdicts adjusted by Holm for these
    rows alone: method, delta, low, high, p, verdict, detectable, where its uncertainty comes from, and the group if there is one.
    """
    from pandas import DataFrame

    from workbench.statistics.bootstrap import holm
    from workbench.statistics.methods import verdict_of

    rows = []
    for row in differences.to_dict("records"):
        if row["first"] == reference:
            rows.append({**row, "method": row["second"]})
        elif row["second"] == reference:
            turned = {"delta": -row["delta"], "low": -row["high"], "high": -row["low"]}
            rows.append({**row, **turned, "method": row["first"]})
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p"] = p
        row["verdict"] = verdict_of(row["delta"], p)
    return DataFrame(rows)


def signed(value: float) -> str:
    """A difference of correlations times 100, with its sign."""
    shown = score(value)
    return shown if shown.startswith("−") else f"+{shown}"
