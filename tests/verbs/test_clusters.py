"""The verb of clusters: its table, with names, by the vectors of the target."""

import numpy as np
import pytest

from tests.verbs.trial import answered
from workbench.store.names import runs_folder

TEXTS = ["a dog barks", "the dog sleeps", "a dog runs", "it rains", "it rains again"]


class Models:
    """Vectors without a model: dogs along one axis, rain along another."""

    def __init__(self, folder):
        self.folder = folder

    def vectors(self, target, texts, on_progress):
        near = np.linspace(0, 0.1, len(texts))
        return np.stack([["dog" in text for text in texts] + near, ["rain" in text for text in texts] - near], axis=1)


@pytest.mark.parametrize("seed", [0, 7])
def test_clusters_are_named_by_their_words_and_have_their_texts(tmp_path, seed):
    table = answered(Models(runs_folder(tmp_path / "runs")), "clusters", texts=TEXTS, count=2, seed=seed)
    assert table["cluster"].tolist() == [1, 1, 1, 2, 2] and table["text"].tolist() == TEXTS
    names = table["name"].unique().tolist()
    assert names[0].startswith("1: dog") and names[1].startswith("2: ") and "rains" in names[1]
    assert table.attrs["count"] == 2 and table.attrs["silhouette"] > 0.5
