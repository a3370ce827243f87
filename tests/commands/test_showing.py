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


def test_what_is_unknown_is_a_dash_in_a_table(capsys):
    show(pandas.DataFrame({"target": ["a"], "alignment": [None], "low": [float("nan")]}), "table")
    assert capsys.readouterr().out.splitlines()[1].split() == ["a", "–", "–"]
