import pandas

from workbench.commands._showing import show_scores


class Damaged:
    outcome = None
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
