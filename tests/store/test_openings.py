"""The record of scores on test pairs."""

from dataclasses import replace

from workbench.data.pairs import load_pairs
from workbench.store.openings import FILE, note, openings


def test_scores_on_test_splits_are_recorded_in_order_and_no_others(folder):
    dev, test = load_pairs("demo:dev"), load_pairs("demo:test")
    note(folder, [dev], ["a"], "score")
    assert openings(folder, test.name) == [] and not (folder.path / FILE).exists()
    note(folder, [test, test, dev], ["a", "b"], "score")
    note(folder, [replace(test, name="other:test")], ["c"], "run")
    note(folder, [test], ["c"], "compare_methods")
    first, second = openings(folder, test.name)
    assert (first["targets"], first["by"], second["by"]) == (["a", "b"], "score", "compare_methods")
    assert first["time"] <= second["time"] and openings(folder, dev.name) == []


def test_a_damaged_line_is_left_out(folder):
    test = load_pairs("demo:test")
    note(folder, [test], ["a"], "score")
    with (folder.path / FILE).open("a", encoding="utf-8") as file:
        file.write('{"time": "never", "pairs": "demo:test"}\nno JSON\n')
    note(folder, [test], ["b"], "score")
    assert [row["targets"] for row in openings(folder, test.name)] == [["a"], ["b"]]
