"""The field's ordering claims, one by one."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from experiments.evidence import claims, store
from experiments.evidence import plan as evidence
from experiments.evidence import report as evidence_report
from experiments.evidence.cells import Cell
from experiments.evidence.computing import Bench
from experiments.evidence.hashes import made_for
from experiments.evidence.running import run
from tests.experiments.evidence.trial import UNTRAINED
from workbench.recipes import RECIPES, settle


def test_the_cells_of_a_claim_differ_in_one_thing_only():
    recipes = [cell for cell in claims.cells("mini-mlm") if cell.kind == "recipe"]
    assert {cell.seed for cell in recipes} == set(evidence.SEEDS) and {cell.learning_rate for cell in recipes} == {1e-4}
    for claim in claims.CLAIMS:
        one, two = (asdict(side) for side in (claim.better, claim.worse))
        assert one != two
        for side in (claim.better, claim.worse):
            if side.name in RECIPES:
                changes = claims.CHANGES[side.change] if side.change else {}
                settle(side.name, backbone="minilm-l3", changes=changes)


def test_each_backbone_has_a_verdict_on_a_claim(data, tmp_path, mini_mlm, monkeypatch):
    monkeypatch.setattr(claims, "STEPS", 2)
    monkeypatch.setenv("WORKBENCH_WORDNET", str(Path(__file__).parents[2] / "augmentations" / "wordnet"))
    own = {"backbone": "mini-mlm", "steps": 2}
    recipe = RECIPES["arccon_only"]
    pairs = [
        evidence.trained(recipe, "in_domain", "mean", 1e-4, seed, change=change, **own)
        for seed in (0, 1)
        for change in ("", "margin0")
    ]
    simcse = RECIPES["simcse_unsup"]
    once = [evidence.trained(simcse, "in_domain", "mean", 1e-4, 0, change=change, **own) for change in ("", "eda")]
    made = made_for("mini-mlm")
    raw = Cell("baseline", "backbone", "mean", "", made, backbone="mini-mlm")
    white = Cell("transform", "whitening", "mean", "scored", made, backbone="mini-mlm")
    pooler = evidence.trained(RECIPES["simcse_unsup"], "in_domain", "pooler", 1e-4, 0, **own)
    bench = Bench(data, tmp_path / "cells", most_texts=50)
    list_of = [UNTRAINED, raw, white, *pairs, *once, pooler]
    assert run(bench, tmp_path / "cells", cells=lambda rows: iter(list_of), say=lambda said: None) == len(list_of)
    evidence_report.write(tmp_path / "cells", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / store.LINES).read_text().splitlines()]
    told = {
        (one["claim"], one["corpus"], one.get("set", "")): one
        for one in lines
        if one.get("backbone") == "mini-mlm" and "claim" in one
    }
    margin = told["margin", "in_domain", "stsb_dev"]
    rows = evidence.read(tmp_path / "cells")
    scores = [rows[cell.key]["scores"]["stsb_dev"] for cell in pairs]
    assert margin["delta"] == pytest.approx(np.mean(scores[::2]) - np.mean(scores[1::2]), abs=1e-4)
    assert margin["seeds"] == 2 and margin["verdict"] == claims.verdict(margin["low"], margin["high"])
    assert told["whitening", "scored", "stsb_dev"]["seeds"] == 1  # nothing is trained: one is all there is
    assert told["whitening", "scored", "stsb_dev"]["verdict"] != claims.OPEN
    assert told["dropout_over_eda", "in_domain", "stsb_dev"]["verdict"] == claims.OPEN
    assert told["una_every", "general", ""]["verdict"] == "not computed"
    assert "pooler" in told["cls_mlp", "in_domain", ""]["reason"]
    pages = {path.name: path.read_text() for path in (tmp_path / "results").glob("*.md")}
    assert "# The field's ordering claims" in pages["claims.md"] and "## Without training" in pages["mini-mlm.md"]
    assert "| `mini-mlm` | the texts of STS-B's training set (in-domain) | 2 |" in pages["claims.md"]
    assert "cells on `minilm-l3` and `mini-mlm`" in pages["protocol.md"]
    assert "## The backbones side by side" in pages["side-by-side.md"]
    assert not any("`arccon_only+margin0`" in page for page in pages.values())
    main = (tmp_path / evidence_report.PAGE).read_text()
    assert "| A margin of 10 degrees beats none | 77.25 over 76.25 on STS" in main
    assert "- UNA: augmenting every 5th batch beats every batch: `mini-mlm`, Wikipedia's sentences." in main
