"""Search by meaning: the nearest by cosine, computed here with loops."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.verbs.trial import asked
from workbench.core.errors import BadData
from workbench.core.progress import no_progress
from workbench.store.names import runs_folder
from workbench.verbs import search

VECTORS = {"north": [0, 2], "east": [3, 0], "north again": [0, 9], "south": [0, -1], "north east": [1, 1]}


class Models:
    """Vectors without a model."""

    def fit(self, target, on_progress, asked):
        return SimpleNamespace(
            on="", vectors=lambda texts, on_progress: np.array([VECTORS[text] for text in texts], dtype=np.float32)
        )


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def test_the_nearest_come_first_and_equal_ones_in_their_order(folder):
    texts = ["east", "north again", "south", "north", "north east"]
    table = search.run(asked(folder, "search", query="north", texts=texts, count=4), Models(), no_progress)
    assert table["text"].tolist() == ["north again", "north", "north east", "east"]
    assert table["row"].tolist() == [1, 3, 4, 0] and table["rank"].tolist() == [1, 2, 3, 4]
    assert table["cosine"].tolist() == pytest.approx([1, 1, 2**-0.5, 0])
    assert table.attrs["query"] == "north"


def test_more_than_there_are_is_all_of_them(folder):
    assert len(search.run(asked(folder, "search", query="east", texts=["south"], count=9), Models(), no_progress)) == 1


def test_an_empty_query_is_refused(folder):
    with pytest.raises(BadData, match="nothing to look for"):
        asked(folder, "search", query="  ", texts=["a"])
