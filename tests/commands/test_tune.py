"""`python -m workbench tune` on a search that was made before."""

import json
from types import SimpleNamespace

import pandas

from workbench import api
from workbench.__main__ import main


def test_values_are_times_100_in_tables_alone(monkeypatch, capsys):
    trials = pandas.DataFrame({"trial": [0, 1], "value": [0.4, 0.5], "learning_rate": [3e-5, 1e-4]})
    importance = pandas.DataFrame({"setting": ["learning_rate"], "share": [1.0]})
    found = SimpleNamespace(id="tune-x", trials=trials, importance=importance, settings=["learning_rate"])
    monkeypatch.setattr(api, "tuning", lambda *_, **__: found)
    assert main(["tune", "tune-x"]) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1", "50.00", "0.0001"] in printed and ["0", "40.00", "3e-05"] in printed
    assert "importance is the share" in " ".join(printed[-1])
    found.importance = importance.iloc[:0]
    assert main(["tune", "tune-x"]) == 0
    printed = capsys.readouterr().out
    assert "Nothing yet" not in printed and printed.endswith("\ntune-x: Spearman × 100 of the probe\n")
    assert main(["tune", "tune-x", "--format", "json"]) == 0
    assert [row["value"] for row in json.loads(capsys.readouterr().out)] == [0.5, 0.4]
