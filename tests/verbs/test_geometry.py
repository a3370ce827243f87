from types import SimpleNamespace

import numpy as np
import pytest

from workbench.core.progress import no_progress
from workbench.metrics import uniformity
from workbench.verbs import geometry


class Models:
    """Vectors without a model."""

    def vectors(self, target, texts, on_progress):
        return np.random.default_rng(0).normal(size=(len(texts), 3)) + 1

    def fit(self, target, on_progress, asked):
        return SimpleNamespace(on="")

    def about(self, target, fitted_on):
        return {"target": "random"}


@pytest.mark.parametrize("exact", [False, True])
def test_a_sampled_uniformity_has_its_error_and_all_pairs_can_be_asked_for(monkeypatch, exact):
    monkeypatch.setattr(uniformity, "EXACT_ROWS", 1100)
    request = geometry.Geometry(tuple(f"text {row % 1200}" for row in range(1300)), exact=exact)
    space = geometry.run(request, Models(), no_progress)
    expected = uniformity.estimate(Models().vectors(None, range(1200), None), exact=exact)
    assert (space.metrics["uniformity"], space.metrics["uniformity_error"]) == expected
    assert (expected.error is None) is exact and space.metrics["n"] == 1200
