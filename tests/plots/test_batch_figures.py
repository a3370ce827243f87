"""The heat maps of the batch inspector."""

import numpy as np
import pandas
import pytest

from workbench.inspecting.negatives import negatives
from workbench.plots.batch_matrix import batch_matrix
from workbench.plots.gradient_cosines import gradient_cosines
from workbench.plots.template import DARK, LIGHT, alt_text, contrast, takeaway_of


@pytest.mark.parametrize("dark", [False, True])
def test_false_negatives_are_outlined_and_texts_are_escaped(dark):
    similarity = np.array([[0.9, 0.95, 0.1], [0.2, 0.8, 0.3]], dtype="float32")
    rows, candidates = ["<b>one</b>", "another thing"], ["<b>one</b>", "another thing", "a hard negative"]
    drawn = batch_matrix(similarity, rows, candidates, negatives(similarity, rows, candidates, 0.05), dark=dark)
    heat, ringed = drawn.data
    assert heat.z.shape == (2, 3)
    assert "&lt;b&gt;" in heat.hovertext[0][1] and "<b>" not in heat.hovertext[0][1]
    assert heat.hovertext[0][0].endswith("the positive")
    assert list(zip(ringed.x, ringed.y, strict=True)) == [(2, 1)]
    assert "for 1 of 2 texts a negative is closer" in takeaway_of(drawn)
    assert alt_text(drawn).startswith("Heat map")


def test_a_candidate_is_shown_with_the_text_that_it_is_compared_with():
    similarity = np.array([[0.9, 0.5], [0.2, 0.8]], dtype="float32")
    drawn = batch_matrix(
        similarity,
        ["one", "two"],
        ["one", "two"],
        negatives(similarity, ["one", "two"], ["one", "two"], 0.05),
        of=["", "negatives"],
        against={"negatives": ["not one", "not two"]},
    )
    assert drawn.data[0].hovertext[0][0].startswith("1. one<br>1. one")
    assert drawn.data[0].hovertext[0][1] == "1. not one<br>2. two"


def test_opposed_gradients_are_named():
    names = ["", "again", "eda_swap", "token_cutoff"]
    matrix = np.eye(4)
    matrix[0, 1] = matrix[1, 0] = 0.9
    matrix[2, 3] = matrix[3, 2] = -0.4
    cosines = [(names[i], names[j], matrix[i, j]) for i in range(4) for j in range(4)]
    drawn = gradient_cosines(pandas.DataFrame(cosines, columns=["first", "second", "cosine"]))
    said = takeaway_of(drawn)
    assert "The gradients of two draws of dropout alone have cosine 0.90." in said
    assert "eda_swap and token_cutoff pull against each other: cosine −0.40." in said
    assert list(drawn.data[0].x)[:2] == ["dropout alone", "dropout alone, drawn again"]
    close = [(one, other, 1.0 if one == other else -0.0004) for one in names[2:] for other in names[2:]]
    said = takeaway_of(gradient_cosines(pandas.DataFrame(close, columns=["first", "second", "cosine"])))
    assert said == "eda_swap and token_cutoff agree least: cosine 0.00."


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_are_legible_on_every_cell(dark):
    names = ["", "again", "eda_swap"]
    cosines = [(one, other, 1.0 if one == other else -1.0) for one in names for other in names]
    heat = gradient_cosines(pandas.DataFrame(cosines, columns=["first", "second", "cosine"]), dark=dark).data[0]
    used = DARK if dark else LIGHT
    ends = [colour for _, colour in heat.colorscale]
    assert ends[1] == used.paper and heat.textfont.color == used.ink
    between = [mixed(end, used.paper, share / 20) for end in ends for share in range(21)]
    assert min(contrast(colour, used.ink) for colour in between) >= 4.5


def mixed(one, other, share):
    parts = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other))
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in zip(*parts, strict=True))
