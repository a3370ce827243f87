import shutil
from pathlib import Path

import pytest
import torch

from experiments.bench.kinds import KINDS, apart, worked
from experiments.bench.summaries import summary
from tests.runs.trial import new, stop_at, work, working
from workbench.store.run import Run

TOLERANCE = {"loss": 1e-3, "weight": 1e-3, "weights": 1e-4, "score": 0.5}
"""What docs/how-to/from-a-laptop-to-a-cluster.md promises of a run that is resumed on another kind of CPU, in fp32."""


@pytest.mark.slow
def test_a_run_that_is_resumed_on_another_kind_of_cpu_ends_within_the_tolerance(folder, tiny, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    settings = {"steps": 30, "precision": "fp32", "probe.every": 30, "selection.metric": "none"}
    with working():
        calm = work(new(folder, tiny, **settings)).folder
        with monkeypatch.context() as patch:
            stop_at(patch, 15)
            begun = work(new(folder, tiny, **settings)).folder
        same, other = (Path(shutil.copytree(begun, f"{begun}-{name}")) for name in ("same", "other"))
        work(Run(same), again=True)
    worked(other, KINDS["no AVX"])
    assert not any(apart(calm, same).values())
    differences = apart(calm, other)
    assert any(differences.values()) or torch.backends.cpu.get_cpu_capability() == "DEFAULT", "it was no other kind"
    assert {name: value for name, value in differences.items() if value > TOLERANCE[name]} == {}


def test_the_largest_difference_over_seeds_is_reported():
    figures = ({"loss": 1e-6 * seed, "weight": 2e-6, "weights": 0.0, "score": 0.01 * seed} for seed in (1, 3))
    rows = [{"what": "AVX2 only", "seed": seed, **row} for seed, row in enumerate(figures)]
    assert summary("kinds", rows) == [
        "kinds: resumed on AVX2 only: at most loss (relative) 3e-06, a weight 2e-06, weights (relative norm) 0, "
        "Spearman x 100 0.03; seeds 2"
    ]
