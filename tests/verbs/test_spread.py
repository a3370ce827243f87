"""Spectrum and random pairs of a set, and of a part of it in the space of the whole."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.verbs.trial import asked
from workbench.core.progress import no_progress
from workbench.store.names import runs_folder
from workbench.verbs import spread

TEXTS = [f"text {number}" for number in range(40)]


class Models:
    """Random vectors; remembers on what a transform would be fitted."""

    def fit(self, target, on_progress, asked):
        self.asked = asked
        return SimpleNamespace(vectors=lambda texts, on_progress: np.stack([self.vector(text) for text in texts]))

    @staticmethod
    def vector(text):
        return np.random.default_rng(int(text.split()[1])).normal(size=6)


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def test_all_pairs_of_few_texts_and_their_cosines(folder):
    models = Models()
    answer = spread.run(asked(folder, "spread", texts=[*TEXTS, TEXTS[0]]), models, no_progress)
    assert len(answer.random) == 40 * 39 // 2, "equal texts count once"
    for first, second, cosine in answer.random.itertuples(index=False):
        one, other = models.vector(TEXTS[first]), models.vector(TEXTS[second])
        assert first < second and cosine == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    values = np.linalg.svd(np.stack([models.vector(text) for text in TEXTS]), compute_uv=False)
    assert answer.spectrum["singular_value"].tolist() == pytest.approx(values.tolist())


def test_a_part_is_measured_in_the_space_of_the_whole(folder):
    models = Models()
    answer = spread.run(asked(folder, "spread", texts=TEXTS, part=TEXTS[:5]), models, no_progress)
    assert models.asked == TEXTS and len(answer.random) == 10 and answer.spectrum.attrs["n"] == 5


@pytest.mark.parametrize("n", [2, 3, 10, 200, 5000])
def test_random_pairs_are_different_rows_and_no_pair_comes_twice(n):
    first, second = spread.random_pairs(n, 1000, 0)
    assert len(first) == min(1000, n * (n - 1) // 2) == len(set(zip(first.tolist(), second.tolist(), strict=True)))
    assert (first < second).all() and first.min() >= 0 and second.max() < n
    again = spread.random_pairs(n, 1000, 0)
    assert again[0].tolist() == first.tolist()
    if n > 100:
        assert spread.random_pairs(n, 1000, 1)[0].tolist() != first.tolist()


def test_every_pair_is_as_likely_as_any_other():
    counts = np.zeros((60, 60))
    for seed in range(200):
        counts[spread.random_pairs(60, 300, seed)] += 1
    drawn = counts[np.triu_indices(60, 1)]
    expected = 200 * 300 / (60 * 59 / 2)
    assert drawn.sum() == 200 * 300 and ((drawn - expected) ** 2 / expected).mean() == pytest.approx(0.83, abs=0.12)
