"""The rows of a scene as tables."""

import numpy as np

from tests.ui.canvas.trial import column, scene
from workbench.ui.canvas import Chosen, rows_table


def test_a_table_has_all_columns_the_texts_of_both_ends_and_the_selection():
    made = scene(5)
    table = rows_table(made, "pairs", Chosen("sentences", np.arange(10) == 3))
    assert list(table) == [
        *("row", "First", "First, row", "Second", "Second, row"),
        *("Gold", "Cosine", "Residual", "Genre", "selected"),
    ]
    assert table["selected"].tolist() == [False, True, False, False, False]
    texts = column(made, "sentences", "text")
    assert table["Second"].tolist() == texts[1::2] and table["Second, row"].tolist() == [1, 3, 5, 7, 9]
    assert table["Gold"].tolist() == list(column(made, "pairs", "gold"))


def test_rows_of_which_nothing_is_selected():
    table = rows_table(scene(3), "sentences", None)
    assert len(table) == 6 and not table["selected"].any() and "First" not in table
