from types import SimpleNamespace

import pandas
import pytest

from workbench.commands._showing import show, show_scores


class Damaged:
    outcome = None
    problem = "Its configuration cannot be read."
    scores = pandas.DataFrame(
        [
            {"suite": "pairs", "checkpoint": "best", "pairs": "demo:dev", "spearman": 0.7},
            {"suite": "pairs", "checkpoint": "last"},
        ]
    )


def test_a_score_row_without_figures_is_shown(capsys):
    show_scores(Damaged())
    first, second = capsys.readouterr().out.strip().splitlines()[1:]
    assert "70.00" in first and second.split() == ["last", *["–"] * 9]


@pytest.mark.parametrize(("selects", "printed"), [(True, ["step0", "last", "best"]), (False, ["step0", "last"])])
def test_the_best_checkpoint_is_printed_only_where_one_was_selected(capsys, selects, printed):
    rows = [{"checkpoint": name, "step": 9, "pairs": "demo:dev", "spearman": 0.7} for name in ("step0", "last", "best")]
    config = SimpleNamespace(selection=SimpleNamespace(selects=selects))
    show_scores(SimpleNamespace(outcome=None, problem="", config=config, scores=pandas.DataFrame(rows)))
    assert [line.split()[0] for line in capsys.readouterr().out.strip().splitlines()[1:]] == printed


def test_where_sentences_recur_the_scores_of_a_run_say_so(capsys):
    row = {"checkpoint": "last", "step": 9, "pairs": "sts12:test", "n": 3108, "linked_groups": 2063, "spearman": 0.7}
    config = SimpleNamespace(selection=SimpleNamespace(selects=True))
    show_scores(SimpleNamespace(outcome=None, problem="", config=config, scores=pandas.DataFrame([row])))
    assert "sentences recur: 3,108 pairs of sts12:test form 2,063 groups" in capsys.readouterr().out


def test_what_is_unknown_is_a_dash_in_a_table(capsys):
    show(pandas.DataFrame({"target": ["a"], "alignment": [None], "low": [float("nan")]}), "table")
    assert capsys.readouterr().out.splitlines()[1].split() == ["a", "–", "–"]


def test_what_is_unknown_is_a_dash_in_a_column_of_whole_numbers(capsys):
    show(pandas.DataFrame({"seen": pandas.array([3, None], dtype="Int64"), "of": [1.0, 2.0]}), "table")
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [["3", "1.00"], ["–", "2.00"]]


def test_a_number_is_never_rounded_to_0(capsys):
    show(pandas.DataFrame({"p": [0.0, 0.004, -0.0049, 0.014, float("nan")]}), "table")
    assert capsys.readouterr().out.split()[1:] == ["0.00", "0.004", "-0.0049", "0.01", "–"]


def test_settings_are_written_in_full(capsys):
    rates = {
        "rate": [3e-5, 1.25e-4, float("nan")],
        "temperature": [0.025, 0.0275, 1.0],
        "pooling": ["cls", "mean", None],
    }
    table = pandas.DataFrame(rates | {"steps": [1, 2, 3], "score": [63.651, 63.652, 63.0]})
    show(table, "table", settings=["rate", "temperature", "pooling", "steps"])
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["3e-05", "0.025", "cls", "1", "63.65"],
        ["0.000125", "0.0275", "mean", "2", "63.65"],
        ["–", "1", "–", "3", "63.00"],
    ]


def test_whole_numbers_stay_whole_where_one_is_missing(capsys):
    table = pandas.DataFrame({"target": ["a", "b"], "tokens": [256, None], "score": [0.5, None]})
    show(table.astype({"tokens": "Int64"}), "table")
    assert capsys.readouterr().out.split() == ["target", "tokens", "score", "a", "256", "0.50", "b", "–", "–"]
