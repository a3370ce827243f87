"""Figures of what augmentations do: closeness with its bands, and embedding matrices."""

import pandas as pd
import pytest

from workbench.plots.closeness import closeness
from workbench.plots.embedding_matrix import embedding_matrix
from workbench.plots.template import alt_text, takeaway_of

HOSTILE = "<b>x</b> %{y}"


def drawn(*cosines):
    return pd.DataFrame(
        {"sentence": 0, "before": HOSTILE, "text": "y", "draw": range(len(cosines)), "cosine": cosines, "changed": True}
    )


def matrix(**changes):
    tokens = {"position": [0, 1, 2], "token": ["[CLS]", HOSTILE, "[SEP]"], "kept": True, "place_before": [0, 1, 2]}
    tokens |= {"place_after": [0, 1, 2], "zeroed": 0.0, "moved": 0.0, **changes}
    values = pd.DataFrame({"position": [0, 0, 1, 1, 2, 2], "dim": [0, 9] * 3, "before": [1.0, -1, 2, -2, 3, 4]}).assign(
        after=[1.0, -1, 0, 0, 3, 5]
    )
    return embedding_matrix(pd.DataFrame(tokens), values)


def test_bands_are_drawn_and_counted():
    figure = closeness(drawn(0.99, 0.9, 0.4), band=(0.95, 0.99), others=(0.1, 0.5))
    assert takeaway_of(figure) == (
        "2 of 3 draws move further than dropout alone, 90 % of which lies between 0.95 and 0.99. "
        "1 is as far away as another sentence."
    )
    edges = {(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"}
    assert edges == {(0.95, 0.99), (0.1, 0.5)}
    assert figure.layout.xaxis.range[0] < 0.1
    assert "other sentences" not in str(closeness(drawn(0.9), band=(0.9, 0.95)).layout.annotations)
    assert "<b>" not in str(figure.data[0].y)


def test_equal_sentences_have_separate_rows():
    table = pd.concat([drawn(0.9), drawn(0.8).assign(sentence=1)], ignore_index=True).assign(before="same")
    figure = closeness(table, band=(0.95, 0.99))
    assert [(list(trace.x), list(trace.y)) for trace in figure.data] == [([0.9], ["1. same"]), ([0.8], ["2. same"])]


@pytest.mark.parametrize("dark", [False, True])
def test_a_matrix_shows_what_was_set_to_zero(dark):
    figure = matrix(zeroed=[0.0, 1.0, 0.0], moved=[0.0, 0.0, 0.5])
    assert takeaway_of(figure).startswith("1 of 3 tokens is zero") and takeaway_of(figure) in alt_text(figure)
    assert [list(row) for row in figure.data[2].z] == [[0, 0], [2, 2], [0, 1]]
    assert "<b>" not in str(figure.layout.yaxis.ticktext)


def test_token_labels_show_changed_places_and_masking():
    figure = matrix(place_after=[1, 0, 2], kept=[True, True, False])
    assert figure.layout.yaxis.ticktext[0] == "[CLS] 0→1" and figure.layout.yaxis.ticktext[2] == "([SEP])"
    assert takeaway_of(figure) == "1 is masked out; 2 of 3 tokens have a different place."
    assert takeaway_of(matrix()) == "Nothing changed in this draw."
