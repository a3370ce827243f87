"""Several processes sharing a list, and second stages."""

import json
import subprocess
import sys
from dataclasses import asdict

from experiments.evidence import plan as evidence
from experiments.evidence import report as evidence_report
from experiments.evidence import store
from experiments.evidence.computing import Bench
from experiments.evidence.running import run
from tests.experiments.evidence.trial import CENTRED, UNTRAINED
from workbench.recipes import RECIPES


def test_a_cell_that_another_process_computes_is_skipped(data, tmp_path):
    """The other process computes the first of two cells; once it has ended, its cell is free."""
    bench, said = Bench(data, tmp_path, most_texts=50), []
    two = [UNTRAINED, CENTRED]
    other = (
        "import sys, time; from pathlib import Path; from experiments.evidence.plan import cell_of\n"
        "from experiments.evidence.running import taken\n"
        "import json; cell = cell_of(json.loads(sys.argv[2]))\n"
        "with taken(iter([cell]), Path(sys.argv[1])): print('at it', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", other, str(tmp_path), json.dumps(asdict(UNTRAINED))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        assert run(bench, tmp_path, cells=lambda rows: iter(two), say=said.append) == 1
        assert evidence.read(tmp_path).keys() == {CENTRED.key}
        process.kill()
    assert run(bench, tmp_path, cells=lambda rows: iter(two), say=said.append) == 1
    assert evidence.read(tmp_path).keys() == {CENTRED.key, UNTRAINED.key}


def test_a_second_stage_starts_from_the_weights_of_the_first(data, tmp_path, monkeypatch):
    second = {"seed": 1, "steps": 2, "pooling": "mean", "corpus": "in_domain", "rate": 1e-4}
    recipe = RECIPES["consert_sup_unsup"]
    cells = [evidence.trained(recipe, before=f"sbert:nli:2:{rate:g}", **second) for rate in (1e-4, 1e-3)]
    cells += [evidence.trained(recipe, **second), UNTRAINED]
    cells.append(evidence.trained(recipe, before="sbert:nli:2:0.0001", **{**second, "rate": 1e-3}))
    bench, trained = Bench(data, tmp_path / "cells", most_texts=50), []
    train = bench._train
    monkeypatch.setattr(bench, "_train", lambda encoder, cell: trained.append(cell.name) or train(encoder, cell))
    assert run(bench, tmp_path / "cells", cells=lambda rows: iter(cells), say=lambda said: None) == len(cells)
    assert [trained.count(name) for name in ("sbert", "consert_sup_unsup")] == [2, 4], "each first stage once"
    rows = evidence.read(tmp_path / "cells")
    assert not [row["message"] for row in rows.values() if row["state"] != "done"]
    near, far, alone = (rows[cell.key] for cell in cells[:3])
    again = rows[cells[-1].key]
    assert again["first_loss"] == near["first_loss"] and again["last_loss"] != near["last_loss"]
    assert [again[name] for name in again if name.startswith("before_")] == [
        near[name] for name in near if name.startswith("before_")
    ]
    assert near["before"] == "sbert:nli:2:0.0001" and near["before_config"]["recipe"] == "sbert"
    assert near["before_config"]["training"]["steps"] == 2 and near["before_config"]["training"]["seed"] == 1
    assert near["config"]["recipe"] == "consert_sup_unsup" and near["before_seconds"] > 0
    assert len({row["first_loss"] for row in (near, far, alone)}) == 3
    assert len({row["scores"]["stsb_dev"] for row in (near, far, alone)}) == 3
    evidence_report.write(tmp_path / "cells", tmp_path)
    assert store.cells(tmp_path).keys() == rows.keys()
    lines = [line for line in store.lines(tmp_path) if "cell" in line]
    assert ["before" in line for line in lines] == ["after:" in line["cell"] for line in lines]
    page = (tmp_path / "results" / "minilm-l3.md").read_text(encoding="utf-8")
    assert (
        "| `consert_sup_unsup` after `sbert`, NLI sentences (supervised), 2 steps at 0.0001 | 0.0001 (card) |" in page
    )
    cards = (tmp_path / "results" / "reproduction.md").read_text(encoding="utf-8")
    assert "first stage `sbert`, NLI sentences (supervised), 2 steps at 0.0001" in cards
    main = (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8")
    assert (
        "- `consert_joint_unsup`: a second stage, which follows `consert_joint` at its tuned rate; not computed" in main
    )
