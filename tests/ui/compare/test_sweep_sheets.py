"""The table of a grid."""

import math

from pandas import DataFrame

from workbench.sweeps.results import summarised
from workbench.ui.compare import sweep_sheets


def test_of_very_many_settings_the_best_are_listed_and_how_many_there_are(monkeypatch):
    rows = [
        {"temperature": number, "seed": seed, "value": number + seed / 10} for number in range(9) for seed in range(2)
    ]
    table = DataFrame([*rows, {"temperature": 9, "seed": 0, "value": math.nan}])
    table.attrs = {"measure": "spearman"}
    known = summarised(table, ["temperature"])
    whole = sweep_sheets.grid_sheet(known, ["temperature"], "spearman")
    assert whole.count("<tr") == 11 and "data below" not in whole
    monkeypatch.setattr(sweep_sheets, "MOST_ROWS", 3)
    short = sweep_sheets.grid_sheet(known, ["temperature"], "spearman")
    assert short.count("<tr") == 5 and "The best 3 of 10 settings; the data below have all." in short
    assert '<td class="words">8</td>' in short and '<td class="words">5</td>' not in short
