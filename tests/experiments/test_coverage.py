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
