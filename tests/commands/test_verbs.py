"""The command of a verb without a file of its own."""

import json
from dataclasses import dataclass

import pandas
import pytest

from workbench import api
from workbench.__main__ import main


@dataclass
class Parts:
    rows: pandas.DataFrame
    n: int
    more: pandas.DataFrame


@pytest.fixture
def asked(monkeypatch):
    """What the verb was asked; it answers with two tables and a number."""
    told = {}

    def answer(verb, *, follow, **words):
        told.update(words)
        return Parts(pandas.DataFrame({"delta": [0.01234]}), 7, pandas.DataFrame({"p": [0.0004]}))

    monkeypatch.setattr(api, "answer", answer)
    return told


def test_targets_stand_by_themselves_and_correlations_are_times_100(asked, capsys):
    assert main(["compare_methods", "a", "b", "--pairs", "demo:test"]) == 0
    assert asked["targets"] == ["a", "b"] and asked["pairs"] == "demo:test"
    printed = capsys.readouterr().out
    assert "1.2340" in printed and "0.0004" in printed and "n:\n7" in printed


def test_an_answer_of_several_parts_is_one_object_or_tables(asked, capsys):
    main(["compare_methods", "a", "--format", "json"])
    assert json.loads(capsys.readouterr().out) == {"rows": [{"delta": 0.01234}], "n": 7, "more": [{"p": 0.0004}]}
    main(["compare_methods", "a", "--format", "csv"])
    assert capsys.readouterr().out == "delta\n0.01234\n\np\n0.0004\n"


def test_settings_of_an_answer_are_written_in_full(monkeypatch, capsys):
    @dataclass
    class Found:
        rates: pandas.DataFrame

    found = Found(pandas.DataFrame({"learning_rate": [3e-5, 1.25e-4], "spearman": [0.5, 0.6]}))
    monkeypatch.setattr(api, "answer", lambda verb, **_: found)
    main(["diagnose", "a"])
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:]] == [
        ["3e-05", "50.0000"],
        ["0.000125", "60.0000"],
    ]


def test_notices_of_a_table_are_said_beside_it(monkeypatch, capsys):
    table = pandas.DataFrame({"sentence1": ["a"]})
    table.attrs = {"notices": ["1 of 9 texts is longer than 400 characters and is left out."]}
    monkeypatch.setattr(api, "answer", lambda verb, **words: table)
    assert main(["gold_pairs", "demo", "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "sentence1\na\n" and printed.err.splitlines() == table.attrs["notices"]
