import json
import math

import numpy as np
import pytest

from experiments import coverage
from workbench.statistics.correlation import spearman


def test_a_simulated_method_has_the_rho_that_it_is_given():
    rng = np.random.default_rng(0)
    gold, of_pairs = rng.normal(size=(2, 200_000))
    for rho in (0.0, 0.3, 0.9):
        assert spearman(coverage.scores(rho, gold, of_pairs, rng), gold) == pytest.approx(rho, abs=0.006)
    assert coverage.correlation(1.0) == pytest.approx(1.0)


@pytest.mark.measure
@pytest.mark.timeout(3600)
def test_intervals_cover_and_tests_err_as_they_say(tmp_path):
    """1,000 simulated sets: a share of .95 has a standard error of .7 points."""
    coverage.main(["--out", str(tmp_path / "coverage.json")])
    made = json.loads((tmp_path / "coverage.json").read_text(encoding="utf-8"))
    for row in made["coverage"]:
        assert 0.93 <= row["covered"] <= 0.97, row
    for row in made["null"]:
        for level, share in row["shares"].items():
            error = math.sqrt(float(level) * (1 - float(level)) / 1000)
            assert abs(share - float(level)) < 3.5 * error + 0.01, (row["seeds"], level, share)
    for row in made["power"]:
        assert row["power"] == pytest.approx(row["closed_form"], abs=0.05), row


def test_resampled_groups_are_resampled_pairs_where_no_sentence_recurs_and_wider_where_pairs_are_copies():
    rng = np.random.default_rng(0)
    gold, of_pairs = rng.normal(size=(2, 60))
    cosines = [coverage.scores(rho, gold, of_pairs, rng) for rho in (0.4, 0.6)]
    single, difference = coverage.widened(cosines, gold, np.arange(60), 200, 0)
    assert single == pytest.approx([1, 1]) and difference == pytest.approx([1])
    copied = [np.repeat(own, 9) for own in cosines]
    single, difference = coverage.widened(copied, np.repeat(gold, 9), np.repeat(np.arange(60), 9), 400, 0)
    assert [*single, *difference] == pytest.approx([3, 3, 3], rel=0.15), "nine copies of a pair count as one"
