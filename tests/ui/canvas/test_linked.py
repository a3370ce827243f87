"""What the browser says is selected, read in Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.canvas.trial import scene
from workbench.ui.canvas import Chosen


@given(st.lists(st.booleans(), min_size=40, max_size=40).filter(any))
def test_a_selection_is_read_as_it_was_written(mask):
    chosen = Chosen("pairs", np.array(mask))
    again = Chosen.read(scene(40), chosen.written("made up 40 0"))
    assert again.rows == "pairs" and again.mask.tolist() == mask


@pytest.mark.parametrize(
    "written",
    [
        None,
        "",
        {},
        {"identity": "made up 40 0", "rows": "pairs"},
        {"identity": "made up 40 0", "rows": "pairs", "bits": "AA=="},
        {"identity": "made up 40 0", "rows": "cats", "bits": "AQAAAAA="},
        {"identity": "made up 40 0", "rows": "pairs", "bits": "?"},
        {"identity": "made up 40 1", "rows": "pairs", "bits": "AQAAAAA="},
    ],
)
def test_what_is_not_a_selection_selects_nothing(written):
    assert Chosen.read(scene(40), written) is None


def test_a_selection_of_no_rows_is_none():
    assert Chosen.read(scene(40), Chosen("pairs", np.zeros(40, dtype=bool)).written("made up 40 0")) is None


def test_pairs_have_their_sentences_and_sentences_their_pairs():
    made = scene(4)
    pairs = Chosen("pairs", np.array([False, True, False, False]))
    assert pairs.of(made, "sentences").tolist() == [False, False, True, True, False, False, False, False]
    assert pairs.of(made, "pairs").tolist() == pairs.mask.tolist()
    sentences = Chosen("sentences", np.arange(8) == 5)
    assert sentences.of(made, "pairs").tolist() == [False, False, True, False], "one of its sentences is enough"
