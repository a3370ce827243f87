"""Methods compared over seeds and pairs."""

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting
from workbench.statistics.methods import Method, compare_methods, needed_for
from workbench.verbs import compare_methods as verb


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.fixture
def compared(models, tiny):
    return answered(models, "compare_methods", targets=[str(tiny / "bert"), "tfidf"], pairs="demo:dev")


def test_each_encoder_is_a_method_with_the_scores_of_score(compared, models, tiny):
    alone = [answered(models, "score", target=target, pairs="demo:dev") for target in (str(tiny / "bert"), "tfidf")]
    assert list(compared.trainings["spearman"]) == pytest.approx([each.scores["spearman"] for each in alone])
    assert compared.methods["trained"].tolist() == [False, False] and compared.trainings["seed"].isna().all()
    gold = alone[0].cosines["gold"].to_numpy()
    by_hand = compare_methods(
        [Method(str(number), [each.cosines["cosine"].to_numpy()]) for number, each in enumerate(alone)],
        gold,
        resamples=2000,
    )
    shown = [[each.scores[end] for each in alone] for end in ("low", "high")]
    assert pytest.approx(np.array(shown)) == compared.methods[["low", "high"]].to_numpy().T
    row = compared.differences.iloc[0]
    assert (row["delta"], row["low"], row["high"], row["p"]) == pytest.approx(tuple(by_hand.versus[0].difference))
    assert row["p_holm"] == row["p"] and compared.n == len(gold)


def test_what_was_needed_follows_from_the_table(compared):
    row = compared.differences.iloc[0]
    needed = needed_for(row, compared.n, float(row["detectable"]))
    assert needed.pairs == pytest.approx(compared.n, abs=2) and needed.seeds is None
    assert needed_for(row, compared.n, float(row["detectable"]) / 2).pairs == pytest.approx(4 * compared.n, abs=4)


def test_more_than_twelve_methods_are_refused(models, tiny, monkeypatch):
    monkeypatch.setattr(verb, "MOST_METHODS", 1)
    with pytest.raises(BadSetting, match="at most 1 methods"):
        asked(models.folder, "compare_methods", targets=["minilm-l3", "tfidf"])


def test_a_correlation_that_is_undefined_counts_as_zero_and_is_named(models, tiny, tmp_path):
    file = tmp_path / "pairs.tsv"
    rows = [(3, "a dog", "a dog barks"), (3, "a cat", "a cat sleeps"), (3, "it rains", "it snows")]
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    compared = answered(models, "compare_methods", targets=["tfidf"], pairs=str(file))
    assert np.isclose(compared.trainings["spearman"].iloc[0], 0) and "counted as 0" in " ".join(compared.notices)
