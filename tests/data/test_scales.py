"""Scores brought onto the scale of their task, by hand."""

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.data.scales import onto, usual_scale, without_score


@pytest.mark.parametrize(
    ("scores", "scale", "wanted", "done"),
    [
        ([0, 0.5, 1], (0, 5), [0, 2.5, 5], "multiplied by 5"),
        ([0.2, 0.5, 1], (1, 5), [1, 2.5, 5], "multiplied by 5"),
        ([0, 0.5, 1], (1, 5), [1, 3, 5], "spread over 1 to 5"),  # 0 times 5 would be off the scale
        ([0, 1], (1, 5), [1, 5], "spread over 1 to 5"),
        ([0, 1, 1, 0], (0, 5), [0, 1, 1, 0], ""),  # whole numbers may be scores as they are
        ([1, 1, 1], (1, 5), [1, 1, 1], ""),
        ([5, 5, 5], (1, 5), [5, 5, 5], ""),
        ([0, 0.5, 1], (0, 1), [0, 0.5, 1], ""),
        ([-0.5, 0.5], (0, 5), [-0.5, 0.5], ""),
        ([6, 1], (0, 5), [6, 1], ""),
        ([], (0, 5), [], ""),
    ],
)
def test_scores_of_0_to_1_are_brought_onto_the_scale_and_others_stay(scores, scale, wanted, done):
    found, notices = onto(np.array(scores, float), scale, "sickr:test")
    assert found.tolist() == wanted and len(notices) == bool(done) and all(done in notice for notice in notices)


@pytest.mark.parametrize("scores", [[6, 7, 1], [-1, -2, 3]])
def test_a_file_with_most_scores_off_the_scale_is_refused(scores):
    with pytest.raises(BadData, match="2 of 3 scores off it"):
        onto(np.array(scores, float), (0, 5), "stsb:test")


@pytest.mark.parametrize(
    ("scores", "marked"),
    [
        ([-1, 4.5], [True, False]),
        ([-1, 1], [False, False]),  # on a scale from -1 to 1
        ([-1, 1.5], [True, False]),
        ([-1, -2, 4.5], [False] * 3),  # -1 is not the only negative number
        ([-1, -1], [True, True]),
        ([-1, np.nan, 3], [True, False, False]),
        ([2, 3], [False, False]),
    ],
)
def test_minus_1_marks_a_missing_score_where_it_can_be_none(scores, marked):
    assert without_score(np.array(scores, float)).tolist() == marked


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0, 1.8, 4, 4, 2.6] * 20, (0, 4)),  # BIOSSES: 100 pairs, from 0 to 4
        ([1, 1.333, 4, 4, 2] * 20, (0, 4)),  # STS22
        ([0, 1.8, 4, 4, 2.6] * 9, (0, 5)),  # too few to lack a 5 for another reason than chance
        ([0, 1.8, 4.2, 4, 2.6] * 20, (0, 5)),
        ([0, 1.8, 3.8, 3.6, 2.6] * 20, (0, 5)),
        ([0, 4, *[2.5] * 98], (0, 5)),
        ([0, 1, 0.5, 0.25] * 20, (0, 1)),
        ([*[0.5] * 990, *[4] * 5], (0, 5)),
    ],
)
def test_a_scale_whose_highest_score_is_4_needs_many_scores(scores, scale):
    found, notice = usual_scale(np.array(scores, float))
    assert found == scale and f"assumed to be 0 to {scale[1]}." in notice
