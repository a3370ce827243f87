"""What the film of a run shows, against formulas computed here."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.run_folders import film_run, make_run
from workbench.core.errors import BadRun
from workbench.film.tables import film_tables
from workbench.store import film


@pytest.fixture
def run(folder):
    return film_run(make_run(folder))


def test_figures_of_each_frame_are_those_of_its_vectors(run):
    made = film_tables(run)
    kept = film.read(run)
    first, second, gold = made.pairs["first"], made.pairs["second"], made.pairs["gold"].to_numpy()
    assert made.frames["step"].tolist() == [0, 10, 20]
    for row, vectors in zip(made.frames.to_dict("records"), kept.vectors, strict=True):
        rows = vectors.astype(np.float64)
        count = len(rows)
        apart = [np.square(rows[a] - rows[b]).sum() for a in range(count) for b in range(a)]
        cosines = np.array([rows[a] @ rows[b] for a, b in zip(first, second, strict=True)])
        near = [np.square(rows[a] - rows[b]).sum() for a, b, g in zip(first, second, gold, strict=True) if g > 4]
        assert row["spearman"] == pytest.approx(spearmanr(cosines, gold).statistic)
        assert row["alignment"] == pytest.approx(np.mean(near), abs=1e-5)
        assert row["uniformity"] == pytest.approx(np.log(np.mean(np.exp(-2 * np.array(apart)))), abs=1e-5)
        assert row["mean_cosine"] == pytest.approx(np.mean(1 - np.array(apart) / 2), abs=1e-5)
        values = np.linalg.svd(rows, compute_uv=False)
        shares = values / values.sum()
        assert row["effective_rank"] == pytest.approx(np.exp(-(shares * np.log(shares)).sum()), rel=1e-4)
        at = kept.steps.index(row["step"])
        np.testing.assert_allclose(made.cosines[at], cosines, atol=1e-6)
        np.testing.assert_allclose(made.spectrum[at], values / values[0], atol=1e-5)
    assert made.pca.shape == made.cone.shape == (3, 24, 2)
    assert made.frames["in_cone"].between(0, 1).all() and made.frames["in_pca"].between(0, 1).all()
    assert made.frames["mean_cosine"].is_monotonic_decreasing


def test_losses_stand_beside_the_frames_and_are_a_curve(run):
    made = film_tables(run)
    loss = made.frames["loss"]
    assert loss.isna().tolist() == [True, False, False] and loss[1:].tolist() == [1 / 10, 1 / 20]
    curve = made.curves[made.curves["measure"] == "loss"]
    assert curve["step"].tolist() == list(range(1, 21))
    np.testing.assert_allclose(curve["value"], 1 / curve["step"])


def test_a_long_loss_curve_is_thinned(folder):
    made = film_tables(film_run(make_run(folder, steps=1000), steps=(0, 1000)))
    assert len(made.curves) <= 400 and made.curves["step"].iloc[[0, -1]].tolist() == [1, 1000]


def test_sentences_have_the_subset_of_their_pair(run):
    made = film_tables(run)
    for pair in made.pairs.to_dict("records"):
        for end in ("first", "second"):
            assert made.sentences["subset"][pair[end]] == pair["subset"]
    assert (
        made.about["pairs"] == 12
        and made.about["of_pairs"] == 24
        and made.about["alignment_on"] == "demo:dev, gold > 4"
    )


def test_without_pairs_alignment_is_that_of_the_probes(folder):
    run = make_run(folder)
    empty = {"first": [], "second": [], "gold": [], "subsets": [], "scale": [], "of_pairs": 0}
    film.begin(run.folder, {"texts": ["a", "b", "c", "d"], "on": "texts of the corpus", **empty})
    for step in (0, 20):
        film.write(run.folder, step, np.random.default_rng(step).normal(size=(4, 5)))
    made = film_tables(run)
    assert made.frames["alignment"].tolist() == pytest.approx([0.2, 0.4]) and made.frames["spearman"].isna().all()
    assert made.about["alignment_on"] == "demo:dev, gold > 4" and made.cosines.shape == (2, 0) and not len(made.pairs)


def test_equal_gold_scores_have_no_ranking(folder):
    run = film_run(make_run(folder))
    film.begin(run.folder, {**film.read(run).filmed, "gold": [3.0] * 12})
    made = film_tables(run)
    assert made.frames[["spearman", "alignment"]].isna().all().all() and made.frames["uniformity"].notna().all()


def test_a_run_without_frames_has_a_message(folder):
    with pytest.raises(BadRun, match="has no film"):
        film_tables(make_run(folder))
