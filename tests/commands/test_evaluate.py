"""What stands below the table of a suite."""

import pandas

from workbench.commands import evaluate


def test_tasks_in_which_sentences_recur_are_named_below_the_table(capsys):
    table = pandas.DataFrame({"task": ["sts12", "stsb"], "n": [3108, 1379], "linked_groups": [2063, 1379]})
    table.attrs = {"mean": None, "absent": [], "precision": "fp32", "max_length": 64, "fitted_on": ""}
    evaluate._print_notes(table, "sts")
    said = capsys.readouterr().out
    assert "sentences recur: 3,108 pairs of sts12 form 2,063 groups, and" in said and "stsb" not in said
    evaluate._print_notes(table.drop(columns="linked_groups"), "sts")
    assert "recur" not in capsys.readouterr().out
