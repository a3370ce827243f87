"""Computing and recording cells, storing them in the repository, and the report made from them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.evidence import plan as evidence
from experiments.evidence import report as evidence_report
from experiments.evidence import store
from experiments.evidence.computing import Bench, Stopped
from experiments.evidence.hashes import code, made
from experiments.evidence.running import run
from tests.experiments.evidence.trial import CENTRED, UNTRAINED, tiny
from workbench.recipes import RECIPES
from workbench.statistics.correlation import spearman
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """Three cells, and one that must fail, computed in two runs."""
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


def test_cells_are_recorded_with_what_their_figures_depend_on(folder, data):
    rows = evidence.read(folder)
    assert [row["state"] for row in rows.values()].count("failed") == 1
    row = rows[tiny().key]
    assert row["scores"].keys() == {"stsb_dev", "sts12"}
    assert row["config"]["training"]["steps"] == 2 and row["config"]["training"]["learning_rate"] == 1e-4
    assert row["machine"]["torch"] and row["machine"]["threads"] >= 1 and row["seconds"] > 0
    assert row["rows"] > 100 and row["code"] == code()
    with np.load(folder / "cosines" / f"{made(tiny().key)}.npz") as cosines:
        gold = np.load(folder / "gold.npz")["stsb_dev"]
        assert spearman(cosines["stsb_dev"], gold) == pytest.approx(row["scores"]["stsb_dev"], abs=1e-6)
    assert rows[CENTRED.key]["mean_cosine"] < rows[UNTRAINED.key]["mean_cosine"]


def test_a_failure_is_tried_again_when_the_code_changes(folder):
    row = next(row for row in evidence.read(folder).values() if row["state"] == "failed")
    cell = evidence.cell_of(row)
    assert row["message"]
    assert evidence.settled(cell, {cell.key: row}, row["code"])
    assert not evidence.settled(cell, {cell.key: row}, "changed")


def test_a_cell_that_runs_out_of_time_is_not_recorded(folder, data):
    bench = Bench(data, folder, most_texts=50, over=lambda: True)
    with pytest.raises(Stopped):
        bench.compute(tiny(seed=7))


def test_the_report_can_be_rebuilt_without_the_cells(folder, tmp_path):
    evidence_report.write(folder, tmp_path)
    page = (tmp_path / "results" / "minilm-l3.md").read_text(encoding="utf-8")
    cards = (tmp_path / "results" / "reproduction.md").read_text(encoding="utf-8")
    assert "`gist`" not in cards
    assert "| `simcse_unsup` | 0.0001 (card) | 2 |" in page and "`gist (in_domain)`" not in page
    lines = [json.loads(line) for line in (tmp_path / store.LINES).read_text(encoding="utf-8").splitlines()]
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
    written = _texts(tmp_path)
    (tmp_path / "results" / "of-a-backbone-that-is-gone.md").write_text("old", encoding="utf-8")
    evidence_report.write(None, tmp_path)
    assert _texts(tmp_path) == written
    assert not any(str(Path.home()) in text for text in written.values())


def _texts(docs):
    """The written files by path: the main page, and the pages and figures below it."""
    paths = [docs / evidence_report.PAGE, *(docs / "results").iterdir()]
    return {str(path.relative_to(docs)): path.read_text(encoding="utf-8") for path in paths}


def test_another_machine_continues_from_the_repository(folder, data, tmp_path):
    """The cells are not computed again, and their resamples serve without their cosines."""
    evidence_report.write(folder, tmp_path)
    stated = store.cells(tmp_path)
    assert stated.keys() == {cell.key for cell in (UNTRAINED, CENTRED, tiny(), tiny(1))}
    assert stated[tiny().key]["machine"] == evidence.read(folder)[tiny().key]["machine"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bench = Bench(data, elsewhere, most_texts=50)
    cells = [UNTRAINED, tiny(), tiny(1), tiny(2)]
    assert run(bench, elsewhere, cells=lambda rows: iter(cells), stated=stated, say=lambda said: None) == 1
    evidence_report.write(elsewhere, tmp_path)
    assert len(store.cells(tmp_path)) == 5

    def gain():
        lines = {(line.get("group", ""), line.get("against"), line.get("set")): line for line in store.lines(tmp_path)}
        return lines["recipe/simcse_unsup/mean/in_domain/steps/2/0.0001", "backbone", "stsb_dev"]

    resampled = store.Resamples(tmp_path, folder, store.cells(tmp_path).values())
    rows = [resampled.of(cell.id)["stsb_dev"] for cell in (tiny(), tiny(1), tiny(2))]
    assert np.isfinite(rows).all()
    whole = gain()
    found = difference_over_seeds(resampled.of(UNTRAINED.id)["stsb_dev"], rows, paired=False)
    assert whole["seeds"] == 3 and (whole["low"], whole["high"]) == pytest.approx(found[1:3], abs=1e-5)
    before = {path.name: path.read_bytes() for path in (tmp_path / store.FOLDER).iterdir()}
    evidence_report.write(elsewhere, tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / store.FOLDER).iterdir()} == before

    assert store.unsampled(store.cells(tmp_path).values(), tmp_path) == set()
    for path in (tmp_path / store.FOLDER).iterdir():
        path.unlink()
    stated = store.cells(tmp_path)
    again = store.unsampled(stated.values(), tmp_path)
    assert again == stated.keys()
    evidence_report.write(tmp_path / "nothing", tmp_path)
    assert gain() == whole  # as it was told
    assert len(store.cells(tmp_path)) == 5

    anew = Bench(data, tmp_path / "anew", most_texts=50)

    def following(rows):
        """The cell that follows from another is on the list only while what is stated is known."""
        return iter([UNTRAINED] * (tiny().key in rows))

    for count in (1, 0):
        told = {"stated": stated, "again": again, "say": lambda said: None}
        assert run(anew, tmp_path / "anew", cells=following, **told) == count
    evidence_report.write(tmp_path / "anew", tmp_path)
    assert store.unsampled(store.cells(tmp_path).values(), tmp_path) == again - {UNTRAINED.key}


def test_cosines_that_differ_only_in_the_last_digits_near_one_have_resamples(data, tmp_path):
    """All texts have nearly the same vector, as with untrained [CLS]."""
    bench = Bench(data, tmp_path, most_texts=50)
    rng = np.random.default_rng(0)
    vectors = (np.ones(64) + 1e-3 * rng.standard_normal((len(bench.scored), 64))).astype(np.float32)
    row, cosines = bench.evaluate(dict.fromkeys(bench.sets, bench._among(vectors)))
    assert row["mean_cosine"] > 1 - 1e-5
    for name, pairs in bench.sets.items():
        assert spearman(cosines[name], pairs.gold) == pytest.approx(row["scores"][name], abs=1e-9)
        assert len(set(cosines[name].astype(np.float32).tolist())) < len(set(cosines[name].tolist()))


def test_stored_resamples_are_those_of_the_cosines(folder, tmp_path):
    name = f"{made(tiny().key)}.npz"
    with np.load(folder / "cosines" / name) as cosines, np.load(folder / "gold.npz") as golds:
        found = {one: resampled_rhos(cosines[one], golds[one]) for one in cosines.files}
    evidence_report.write(folder, tmp_path)
    resampled = store.Resamples(tmp_path, tmp_path, store.cells(tmp_path).values()).of(tiny().id)
    assert resampled["stsb_dev"] == pytest.approx(found["stsb_dev"], abs=2e-5)
    assert resampled["sts"] == pytest.approx(found["sts12"], abs=2e-5)  # the one of the three that is there
    other = store.cells(tmp_path)[tiny().key]
    other["scores"]["stsb_dev"] += 0.01  # computed again, it ended elsewhere
    assert np.isnan(store.Resamples(tmp_path / "nothing", folder, [other]).of(tiny().id)["stsb_dev"][1:]).all()


def test_an_earlier_difference_is_dropped_with_its_cells(folder, tmp_path, monkeypatch):
    """A recipe that was changed since then has new cells and differences, or none."""
    evidence_report.write(folder, tmp_path)
    for path in (tmp_path / store.FOLDER).iterdir():
        path.unlink()
    other = replace(RECIPES["simcse_unsup"], training={"batch_size": 7})
    monkeypatch.setitem(RECIPES, "simcse_unsup", other)
    evidence_report.write(tmp_path / "nothing", tmp_path)
    assert store.cells(tmp_path).keys() == {UNTRAINED.key, CENTRED.key}
    told = [line for line in store.lines(tmp_path) if "delta" in line]
    assert told and all("recipe" not in name for line in told for name in store.groups(line))
