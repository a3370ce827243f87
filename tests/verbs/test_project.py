"""Projections: what was computed once is read afterwards, by this process and by every other one."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.core.errors import BadData
from workbench.core.progress import no_progress
from workbench.store import coordinates
from workbench.store.names import runs_folder
from workbench.verbs import project

TEXTS = ["a dog barks", "a cat sleeps", "it rains", "it snows", "a dog sleeps", "the cat barks"]


class Models:
    """Vectors without a model: those of a seed."""

    def __init__(self, folder, seed=0):
        self.folder, self.seed, self.encoded = folder, seed, 0

    def vectors(self, target, texts, on_progress):
        self.encoded += 1
        return np.random.default_rng(self.seed).normal(size=(len(texts), 5)).astype(np.float32)

    def views(self, target, texts, views, dropout, seed, on_progress):
        self.encoded += 1
        return np.random.default_rng(self.seed).normal(size=(len(texts), views, 5)).astype(np.float32)

    def fit(self, target, on_progress, asked):
        class Fitted:
            on = ""

        return Fitted()


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


@pytest.mark.parametrize("more", [{}, {"method": "cone"}, {"views": 3}])
def test_the_first_picture_stays_though_it_would_come_out_otherwise(folder, more):
    first = answered(Models(folder), "project", texts=TEXTS, **more)
    other = Models(folder, seed=1)
    again = answered(other, "project", texts=TEXTS, **more)
    assert again.equals(first) and again.attrs == first.attrs and not other.encoded
    assert again["text"].tolist() == [TEXTS[row] for row in first["row"]]
    (stored,) = folder.coordinates.iterdir()
    assert "text" not in coordinates.load(folder, stored.name), "texts are not stored a second time"


def test_other_texts_settings_or_targets_have_pictures_of_their_own(folder):
    models = Models(folder)
    changes = [
        {},
        {"texts": TEXTS[::-1]},
        {"method": "cone"},
        {"target": "minilm-l3"},
        {"seed": 1},
        {"perplexity": 5.0},
    ]
    for number, change in enumerate(changes):
        answered(models, "project", **{"texts": TEXTS, **change})
        assert models.encoded == number + 1 == coordinates.sizes(folder)[0]


def test_what_is_computed_for_nobody_is_not_stored(folder):
    request = asked(folder, "project", texts=TEXTS)
    project.computed(request, Models(folder), no_progress)
    assert coordinates.sizes(folder) == (0, 0)


def test_too_many_points_for_tsne_are_refused_before_anything_is_encoded(folder):
    with pytest.raises(BadData, match="too many points for t-SNE"):
        asked(folder, "project", texts=[str(row) for row in range(10_001)], method="tsne")
    with pytest.raises(BadData, match="12,000"):
        asked(folder, "project", texts=TEXTS * 10, views=200, method="tsne")


PROGRAM = """
import sys
from workbench.compute.model_cache import ModelCache
from workbench.core.progress import no_progress
from workbench.store.names import runs_folder
from workbench.verbs import project
folder = runs_folder(sys.argv[1])
request = project.VERB.ask(folder, {"texts": [f"sentence {n} of {n * n}" for n in range(40)], "method": "umap"})
table = project.run(request, ModelCache(folder), no_progress)
print(table[["x", "y"]].to_numpy().tobytes().hex())
"""


@pytest.mark.slow
def test_another_process_with_other_threads_shows_the_same_bits(folder):
    shown = []
    for threads in ("2", "1"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", PROGRAM, str(folder.path)]
        shown.append(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert len(shown[0]) > 40 * 2 * 16 and shown[0] == shown[1] and coordinates.sizes(folder)[0] == 1
