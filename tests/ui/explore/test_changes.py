"""Columns of linked views that say what a second encoder did to pairs and their sentences."""

import numpy as np

from workbench.analysis.changed_pairs import changed_pairs
from workbench.ui.explore.changes import change_columns, changed


def test_a_sentence_has_the_change_of_its_pair_that_changed_most():
    before, after, gold = [0.9, 0.1, 0.2, 0.3], [0.1, 0.2, 0.3, 0.9], [0, 1, 2, 3]
    table = changed_pairs(before, after, gold)
    ends = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    added = change_columns([table], ends, 5, ["a", "b"])
    change, effect = added.of_pairs
    assert change.values.tolist() == table["change"].tolist() and list(effect.values) == table["verdict"].tolist()
    assert effect.order == ("mended", "broken", "as before") and effect.quiet == "as before"
    sizes = [abs(value) for value in table["change"]]
    for sentence in range(4):
        most = max((pair for pair in range(4) if sentence in ends[pair]), key=sizes.__getitem__)
        assert added.of_sentences[0].values[sentence] == table["change"][most]
        assert added.of_sentences[1].values[sentence] == table["verdict"][most]
    assert np.isnan(added.of_sentences[0].values[4]) and added.of_sentences[1].values[4] == "as before"
    assert added.in_pairs == ("change 1", "effect 1") and added.colours[0] == ("effect 1", "mended or broken: b")


def test_one_encoder_changes_nothing():
    added = change_columns([], np.array([[0, 1]]), 2, [""])
    assert not added.of_pairs and not added.of_sentences and not added.colours


def test_the_sentence_counts_them():
    table = changed_pairs([0.9, 0.1, 0.2], [0.1, 0.2, 0.3], [0, 1, 2])
    assert (
        changed("B", "A", table) == "B mended 3 pairs and broke 0, compared with A; 0 of 3 stayed about as they were."
    )
