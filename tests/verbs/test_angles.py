"""Angles between views of texts."""

import math

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadSetting
from workbench.verbs import angles as angles_verb

TEXTS = ["a dog barks", "a cat sleeps", "it rains", "a dog barks"]


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.mark.parametrize("chunk", [2, 1024])
def test_the_angles_are_those_of_the_two_views(models, tiny, monkeypatch, chunk):
    monkeypatch.setattr(angles_verb, "CHUNK", chunk)
    given = {"texts": TEXTS, "target": str(tiny / "bert"), "dropout": 0.2, "seed": 3}
    table = answered(models, "angles", **given)
    views = answered(models, "dropout_views", views=2, **given).astype(np.float64)

    def angle(one, two):
        return math.degrees(math.acos(one @ two / math.sqrt(one @ one) / math.sqrt(two @ two)))

    for row in table.to_dict("records"):
        at = row["row"]
        assert row["positive"] == pytest.approx(angle(views[at, 0], views[at, 1]), abs=1e-3)
        others = {other: angle(views[at, 0], views[other, 1]) for other in range(4) if TEXTS[other] != TEXTS[at]}
        assert row["negative"] == pytest.approx(min(others.values()), abs=1e-3)
        assert row["nearest"] == min(others, key=others.get)


def test_without_dropout_a_text_is_at_no_angle_with_itself(models, tiny):
    table = answered(models, "angles", texts=TEXTS, target=str(tiny / "bert"), dropout=0.0)
    assert table["positive"].to_numpy() == pytest.approx(0, abs=0.1)


def test_a_baseline_and_a_single_text_are_refused(models, tiny):
    with pytest.raises(BadSetting, match="no dropout"):
        asked(models.folder, "angles", texts=TEXTS, target="tfidf")
    with pytest.raises(BadData, match="2 texts are needed"):
        asked(models.folder, "angles", texts=TEXTS[:1], target=str(tiny / "bert"))
