"""Scores of a slice against the formulas, on vectors made up here."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.verbs.trial import asked
from workbench import api
from workbench.core.errors import BadSetting
from workbench.core.progress import no_progress
from workbench.data.demo import pairs
from workbench.store.names import runs_folder
from workbench.verbs import score_slice

ROWS = [*range(0, 120, 3)]


def vector(text):
    return np.random.default_rng([len(text), *text.encode()[:8]]).normal(size=8) + 0.5


class Models:
    """Vectors without a model."""

    def __init__(self, folder):
        self.folder = folder

    def fit(self, target, on_progress, scored):
        def vectors(texts, on_progress):
            return np.stack([vector(text) for text in texts])

        return SimpleNamespace(on="", vectors=vectors, notices_for=lambda texts: [])

    def about(self, target, fitted_on):
        return {"target": target.text, "precision": "fp32", "max_length": 32, "fitted_on": fitted_on}

    def prompt_notices(self, target):
        return []


@pytest.fixture
def folder(tmp_path):
    made = runs_folder(tmp_path / "runs")
    api.save_slice("some", "demo:dev", ROWS, runs=made.path)
    return made


def test_every_measure_is_of_the_pairs_of_the_slice(folder):
    request = asked(folder, "score_slice", slice="some", targets=["minilm-l3", "minilm-l6"])
    table = score_slice.run(request, Models(folder), no_progress)
    known = pairs("dev")
    a, b = (np.stack([vector(side[row]) for row in ROWS]) for side in (known.first, known.second))
    a, b = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (a, b))
    gold = known.gold[ROWS]
    assert table["target"].tolist() == ["minilm-l3", "minilm-l6"]
    first = table.iloc[0]
    assert (first["n"], first["of"], first["slice"]) == (40, len(known), "some")
    assert first["spearman"] == pytest.approx(spearmanr((a * b).sum(1), gold).statistic)
    assert first["low"] < first["spearman"] < first["high"]
    assert first["spearman_set"] != first["spearman"]
    partners = gold > 4
    assert first["alignment"] == pytest.approx(np.square(a - b).sum(1)[partners].mean(), rel=1e-5)
    texts = dict.fromkeys([*(known.first[row] for row in ROWS), *(known.second[row] for row in ROWS)])
    rows = np.stack([vector(text) for text in texts])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    upper = np.triu_indices(len(rows), 1)
    distances = np.square(rows[upper[0]] - rows[upper[1]]).sum(1)
    assert first["sentences"] == len(rows)
    assert first["uniformity"] == pytest.approx(np.log(np.exp(-2 * distances).mean()), rel=1e-5)
    assert "40 of 600 pairs: slice some." in table.attrs["notices"]
    assert first["linked_groups"] == 40 and not any("recur" in note for note in table.attrs["notices"])


def test_a_slice_whose_sentences_recur_says_so(folder, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "sentence1\tsentence2\tscore\n" + "".join(f"A man sings.\tNumber {n} walks.\t{n % 6}\n" for n in range(30))
    )
    api.save_slice("linked", str(path), range(12), runs=folder.path)
    table = score_slice.run(asked(folder, "score_slice", slice="linked"), Models(folder), no_progress)
    assert table["linked_groups"].tolist() == [1]
    assert any("recur: 12 pairs form 1 group," in note for note in table.attrs["notices"])


def test_a_slice_without_a_correlation_says_so(folder):
    api.save_slice("one pair", "demo:dev", [7], runs=folder.path)
    table = score_slice.run(asked(folder, "score_slice", slice="one pair"), Models(folder), no_progress)
    assert np.isnan(table["spearman"].iloc[0]) and table["n"].iloc[0] == 1
    assert any("Spearman is undefined" in note for note in table.attrs["notices"])


def test_one_to_twelve_targets_are_scored(folder):
    for targets in ([], ["minilm-l3"] * 13, "minilm-l3"):
        with pytest.raises(BadSetting, match="targets"):
            asked(folder, "score_slice", slice="some", targets=targets)


def test_the_key_is_of_what_the_slice_holds(folder):
    keys = set()
    for rows in (ROWS, ROWS[1:]):
        api.delete_slice("some", runs=folder.path)
        api.save_slice("some", "demo:dev", rows, runs=folder.path)
        keys.add(score_slice.VERB.key(asked(folder, "score_slice", slice="some")))
    assert len(keys) == 2
