"""The geometry of texts, and of pairs by the settings of a paper."""

from dataclasses import replace

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.analysis import spectrum
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadMethod, BadSetting, WorkbenchError
from workbench.core.progress import no_progress
from workbench.data.pairs import load_pairs
from workbench.metrics import METHODS
from workbench.targets.target import parse

TEXTS = ["a dog barks", "a puppy barks", "it rains", "it pours", "a cat sleeps"]


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.fixture
def pairs_file(tmp_path):
    rows = [
        (5, "a dog barks", "a puppy barks"),
        (4, "it rains", "it pours"),
        (3, "it rains", "it snows"),
        (0, "a", "b c"),
    ]
    file = tmp_path / "pairs.tsv"
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def unit(models, target, texts):
    vectors = models.vectors(parse(target, models.folder), texts, no_progress).astype(float)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(("alpha", "t", "above", "repeated"), [(2.0, 2.0, 0.8, True), (1.0, 3.0, 0.5, False)])
def test_alignment_and_uniformity_are_by_the_formula(models, tiny, pairs_file, alpha, t, above, repeated):
    target = str(tiny / "bert")
    settings = {"alpha": alpha, "t": t, "above": above, "repeated": repeated}
    metrics = answered(models, "geometry", target=target, pairs=pairs_file, **settings).metrics
    pairs = load_pairs(pairs_file)
    first, second = unit(models, target, pairs.first), unit(models, target, pairs.second)
    apart = np.linalg.norm(first - second, axis=1)[pairs.gold > 5 * above]
    assert metrics["alignment"] == pytest.approx(float((apart**alpha).mean()), rel=1e-4)
    texts = pairs.texts() if repeated else list(dict.fromkeys(pairs.texts()))
    vectors = unit(models, target, texts)
    kernels = [
        np.exp(-t * np.sum((vectors[one] - vectors[two]) ** 2)) for one in range(len(texts)) for two in range(one)
    ]
    assert metrics["uniformity"] == pytest.approx(float(np.log(np.mean(kernels))), rel=1e-4)
    assert metrics["n"] == (8 if repeated else 7) and metrics["alignment_on"] == f"pairs.tsv, gold > {5 * above:g}"


@pytest.mark.parametrize(("most", "limit"), [(1, "0.8"), (10, "8"), (100, "80")])
def test_partners_are_those_of_the_top_fifth_of_any_scale(models, tiny, tmp_path, most, limit):
    """As in the scores, which stand beside it."""
    rows = [(most * share, f"a dog {share}", f"a puppy {share}") for share in (0, 0.5, 0.8, 0.9, 1)]
    file = tmp_path / "own.tsv"
    file.write_text("\n".join(["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]))
    target = str(tiny / "bert")
    metrics = answered(models, "geometry", target=target, pairs=str(file)).metrics
    scores = answered(models, "score", target=target, pairs=str(file)).scores
    assert metrics["alignment_on"] == scores["alignment_on"] == f"own.tsv, gold > {limit}"
    assert metrics["above"] == float(limit) and metrics["alignment"] == pytest.approx(scores["alignment"], rel=1e-4)


def test_texts_or_pairs(models, pairs_file):
    for given in ({}, {"texts": ["a", "b", "c"], "pairs": pairs_file}):
        with pytest.raises(BadSetting, match="Give one of them"):
            asked(models.folder, "geometry", **given)
    with pytest.raises(BadData, match="At least 3 texts"):
        asked(models.folder, "geometry", texts=["a", "b"])


def test_only_the_metrics_that_were_asked_for_are_computed(models, tiny, pairs_file, monkeypatch):
    """Alignment and uniformity need none of the spectrum, which takes minutes where every word is a dimension."""
    given = {"target": str(tiny / "bert"), "pairs": pairs_file}
    whole = answered(models, "geometry", **given)
    counted = []
    values = spectrum.singular_values
    monkeypatch.setattr(spectrum, "singular_values", lambda *said, **more: counted.append(1) or values(*said, **more))
    part = answered(models, "geometry", metrics=["uniformity", "alignment"], **given)
    assert not counted and part.spectrum is None and METHODS.keys() & part.metrics.keys() == {"uniformity", "alignment"}
    assert all(part.metrics[name] == whole.metrics[name] for name in part.metrics)
    assert "alignment_on" not in answered(models, "geometry", metrics="hubness", **given).metrics
    ranks = answered(models, "geometry", metrics=["effective_rank", "participation_ratio"], **given)
    assert len(counted) == 1 and ranks.spectrum.equals(whole.spectrum)
    for name, metrics in (("no_such", ["no_such"]), ("alignment", ["alignment"])):
        with pytest.raises(WorkbenchError, match=name):
            asked(models.folder, "geometry", texts=["a", "b", "c"], metrics=metrics)


def test_metrics_of_the_spectrum_are_those_of_their_names(models, tiny):
    """They share one decomposition."""
    space = answered(models, "geometry", target=str(tiny / "bert"), texts=TEXTS)
    vectors = models.vectors(parse(str(tiny / "bert"), models.folder), TEXTS, no_progress)
    for name in METHODS.keys() - {"alignment", "hubness"}:
        assert space.metrics[name] == pytest.approx(METHODS[name].fn(vectors)), name


def test_every_metric_of_pairs_is_measured_on_the_partners(models, tiny, pairs_file, monkeypatch):
    farthest = replace(
        METHODS["alignment"], fn=lambda first, second: float(np.square(first - second).sum(axis=1).max())
    )
    monkeypatch.setitem(METHODS, "farthest", farthest)
    target = str(tiny / "bert")
    metrics = answered(models, "geometry", target=target, pairs=pairs_file, metrics=("farthest",), above=0.5).metrics
    pairs = load_pairs(pairs_file)
    partners = [row for row in range(len(pairs)) if pairs.gold[row] > 2.5]
    first, second = (
        models.vectors(parse(target, models.folder), [texts[row] for row in partners], no_progress)
        for texts in (pairs.first, pairs.second)
    )
    assert metrics["farthest"] == pytest.approx(float(np.square(first - second).sum(axis=1).max()), rel=1e-4)
    assert metrics["alignment_on"] == "pairs.tsv, gold > 2.5" and "alignment" not in metrics


@pytest.mark.parametrize("value", ["x", [1.0], None])
def test_a_metric_that_returns_no_number_is_named(models, tiny, monkeypatch, value):
    monkeypatch.setitem(METHODS, "hubness", replace(METHODS["hubness"], fn=lambda vectors: value))
    with pytest.raises(BadMethod, match="did not return a number"):
        answered(models, "geometry", texts=TEXTS, target=str(tiny / "bert"), metrics=("hubness",))


@pytest.mark.parametrize("name", ["hubness", "alignment"])
def test_a_metric_that_changes_its_vectors_fails_and_harms_no_other(models, tiny, pairs_file, monkeypatch, name):
    def in_place(vectors, *others, **settings):
        vectors *= 0
        return 0.0

    pairs = {"target": str(tiny / "bert"), "pairs": pairs_file}
    before = answered(models, "geometry", **pairs).metrics
    monkeypatch.setitem(METHODS, name, replace(METHODS[name], fn=in_place))
    with pytest.raises(BadMethod, match=r"The metric in_place failed: ValueError.*read-only"):
        answered(models, "geometry", **pairs)
    monkeypatch.undo()
    assert answered(models, "geometry", **pairs).metrics == before
