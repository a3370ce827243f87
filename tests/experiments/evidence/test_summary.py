"""The short summary table of the evidence."""

from dataclasses import asdict

import numpy as np

from experiments.evidence import plan as evidence
from experiments.evidence import summary
from experiments.evidence.scores import Scores
from experiments.evidence.tables import Report
from workbench.recipes import RECIPES


def test_the_summary_counts_and_names_what_is_beyond_noise():
    """simcse_unsup and una with two seeds at their best trial, una worse; arccse with one seed is left out."""
    lines, told = [], {}
    for name, scores in (("simcse_unsup", (0.5, 0.7, 0.6)), ("una", (0.6, 0.5, 0.4)), ("arccse", (0.3, 0.2, 0.1))):
        best = evidence.TRIALS[int(np.argmax(scores))]
        for rate, score in zip(evidence.TRIALS, scores, strict=True):
            for seed in (0, 1) if rate == best and name != "arccse" else (0,):
                cell = evidence.trained(RECIPES[name], "in_domain", "mean", rate, seed)
                lines.append({"cell": cell.id, **asdict(cell), "scores": {"stsb_dev": score}})
        group = f"recipe/{name}/mean/in_domain/steps/50/{best:g}"
        for against, low in (("backbone", 0.1), ("centred", -0.1), ("yardstick", -0.3)):
            told[group, against, "stsb_dev"] = {"delta": low + 0.1, "low": low, "high": low + 0.2, "seeds": 2}
    (row,) = summary.rows(Scores(lines), told)
    assert row[1:4] == ["mean, equal steps", "the texts of STS-B's training set (in-domain)", "2"]
    assert row[4:6] == ["2, 0, 0", "0, 0, 2"]
    assert row[6:] == ["", "`simcse_unsup` -20.0, `una` -20.0", ""]


def test_a_recipe_that_fixes_its_pooling_is_mentioned():
    def head(name):
        cell = evidence.trained(RECIPES[name], "in_domain", "mean", 1e-4, 0, backbone="mini-mlm")
        row = {
            "cell": cell.id,
            **asdict(cell),
            "written": "2026-11-23",
            "precision": "fp32",
            "scores": {"stsb_dev": 0.5},
        }
        return "\n".join(Report([row]).head())

    assert (
        "`promptbert` stands in the tables of mean pooling with the pooling that is part of its recipe, `mask_token`."
        in (head("promptbert"))
    )
    assert "part of its recipe" not in head("simcse_mlm")
