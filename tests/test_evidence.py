import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.data import demo
from workbench.data.pairs import load_pairs
from workbench.evidence import plan as evidence
from workbench.evidence import report as evidence_report
from workbench.evidence.cells import Bench, Cell, Stopped
from workbench.evidence.found import KEPT
from workbench.evidence.running import run
from workbench.evidence.verdicts import verdict_of, what_differs
from workbench.recipes import RECIPES
from workbench.statistics.correlation import spearman

UNTRAINED = Cell("baseline", "backbone", "mean", "", evidence.made())
CENTRED = Cell("transform", "centre", "mean", "scored", evidence.made())


def tiny(seed=0, rate=1e-4, recipe="simcse_unsup"):
    return evidence.trained(RECIPES[recipe], "in_domain", "mean", rate, seed, steps=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder as the script expects it, of our own sentences."""
    base = tmp_path_factory.mktemp("data")
    (base / "sts").mkdir()
    dev, test = load_pairs("demo:dev"), load_pairs("demo:test")
    for name, pairs in (("stsb-dev", dev), ("stsb-train", test), ("sts12", test)):
        rows = zip(pairs.gold, pairs.first, pairs.second, strict=True)
        lines = ["subset\tscore\tsentence1\tsentence2", *(f"own\t{gold}\t{one}\t{two}" for gold, one, two in rows)]
        (base / "sts" / f"{name}.tsv").write_text("\n".join(lines[:200]) + "\n", encoding="utf-8")
    (base / "wiki").mkdir()
    (base / "wiki" / "enwiki_sentences.txt").write_text("\n".join(text for _, text in demo.sentences()[:100]))
    return base / "sts"


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """Three cells, and one that must fail, computed in two goes."""
    folder = tmp_path_factory.mktemp("evidence")
    broken = replace(tiny(), name="gist", corpus="in_domain", made="x")

    def cells(rows):
        return iter([UNTRAINED, CENTRED, broken, tiny(), tiny(seed=1)])

    said = []
    bench = Bench(data, folder, most_texts=50, over=lambda: len(said) == 2)
    assert run(bench, folder, cells=cells, say=said.append) == 2
    bench = Bench(data, folder, most_texts=50)
    assert run(bench, folder, cells=cells, say=said.append) == 3
    assert run(bench, folder, cells=cells, say=said.append) == 0
    return folder


def test_cells_are_recorded_with_what_they_rest_on(folder, data):
    rows = evidence.read(folder)
    assert [row["state"] for row in rows.values()].count("failed") == 1
    row = rows[tiny().key]
    assert row["scores"].keys() == {"stsb_dev", "sts12"}
    assert row["config"]["training"]["steps"] == 2 and row["config"]["training"]["learning_rate"] == 1e-4
    assert row["machine"]["torch"] and row["machine"]["threads"] >= 1 and row["seconds"] > 0
    assert row["rows"] > 100 and row["code"] == evidence.code()
    with np.load(folder / "cosines" / f"{evidence.made(tiny().key)}.npz") as cosines:
        gold = np.load(folder / "gold.npz")["stsb_dev"]
        assert spearman(cosines["stsb_dev"], gold) == pytest.approx(row["scores"]["stsb_dev"], abs=1e-6)
    assert rows[CENTRED.key]["mean_cosine"] < rows[UNTRAINED.key]["mean_cosine"]


def test_a_failure_is_tried_again_when_the_code_changes(folder):
    row = next(row for row in evidence.read(folder).values() if row["state"] == "failed")
    cell = evidence.cell_of(row)
    assert row["message"]
    assert evidence.settled(cell, {cell.key: row}, row["code"])
    assert not evidence.settled(cell, {cell.key: row}, "changed")


def test_time_that_is_up_records_nothing(folder, data):
    bench = Bench(data, folder, most_texts=50, over=lambda: True)
    with pytest.raises(Stopped):
        bench.compute(tiny(seed=7))


def test_the_report_can_be_rebuilt_without_the_cells(folder, tmp_path):
    (tmp_path / evidence_report.PAGE).write_text("# Words\n\nbefore\n", encoding="utf-8")
    evidence_report.write(folder, tmp_path)
    page = (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8")
    assert page.startswith("# Words\n\nbefore\n")
    assert "| `simcse_unsup` | 0.0001 (card) | 2 |" in page and "`gist (in_domain)`" not in page
    lines = [json.loads(line) for line in (tmp_path / KEPT).read_text(encoding="utf-8").splitlines()]
    gain = next(
        line
        for line in lines
        if line.get("against") == "backbone" and line["group"].startswith("recipe") and line["set"] == "stsb_dev"
    )
    rows = evidence.read(folder)
    means = [
        np.mean([rows[cell.key]["scores"]["stsb_dev"] for cell in own]) for own in ([UNTRAINED], [tiny(), tiny(1)])
    ]
    assert gain["delta"] == pytest.approx(means[1] - means[0], abs=1e-4) and gain["seeds"] == 2
    assert gain["low"] <= gain["delta"] <= gain["high"]
    evidence_report.write(None, tmp_path)
    assert (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8") == page
    assert str(Path.home()) not in page


def test_the_list_comes_from_the_recipe_files_and_trials_are_the_same_for_all():
    cells = list(evidence.plan({}))
    trained = [cell for cell in cells if cell.kind == "recipe"]
    assert {cell.name for cell in trained} == {recipe.id for recipe in evidence.recipes()}
    for recipe in evidence.recipes():
        own = {cell.learning_rate for cell in trained if cell.name == recipe.id and cell.seed == 0}
        assert own == {*evidence.TRIALS, evidence.published_rate(recipe)}
    assert trained[0].name == evidence.REFERENCE
    assert all(cell.pooling == "mean" for cell in trained)  # nothing has moved yet


def test_tuned_rates_equal_seconds_and_cls_follow_from_what_is_done():
    recipe, other = RECIPES["simcse_unsup"], RECIPES["arccse"]
    rows = {}
    for one, seconds in ((recipe, 10.0), (other, 20.0)):
        for rate in {*evidence.TRIALS, evidence.published_rate(one)}:
            cell = evidence.trained(one, "in_domain", "mean", rate, 0)
            score = 0.7 + rate if one is recipe else 0.7 - rate
            rows[cell.key] = {"state": "done", "learning_rate": rate, "processor_seconds": seconds}
            rows[cell.key]["scores"] = {"stsb_dev": score}
    assert evidence.tuned_rate(rows, recipe, "in_domain", "mean") == 3e-4
    assert evidence.tuned_rate(rows, other, "in_domain", "mean") == 3e-5
    assert evidence.tuned_rate(rows, other, "general", "mean") is None
    assert evidence.steps_for_seconds(rows, other, "in_domain", "mean") == evidence.STEPS // 2
    assert not evidence.moved(rows, other, "in_domain")
    rows[UNTRAINED.key] = {"state": "done", "scores": {"stsb_dev": 0.6}}
    assert evidence.moved(rows, other, "in_domain")
    assert any(cell.pooling == "cls" and cell.name == "arccse" for cell in evidence.plan(rows))
    assert any(cell.budget == "seconds" and cell.name == "arccse" for cell in evidence.plan(rows))


def test_nothing_is_called_reproduced_while_a_setting_is_ours():
    recipe = RECIPES["arccse"]
    cell = {"corpus": "general", "steps": 100}
    differs = what_differs(recipe, [cell])
    assert any("our choice" in one for one in differs)
    score = recipe.published[0].score
    assert verdict_of(recipe, [(score - 1, score + 1)], differs) == "not comparable"
    same = replace(recipe, published=(replace(recipe.published[0], set="STS-B dev"),))
    assert verdict_of(same, [(score - 1, score + 1)], []) == "reproduced"
    assert verdict_of(same, [(score + 1, score + 2)], []) == "differs"
