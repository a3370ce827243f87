"""`geometry`, `corpus_report`, `pair_texts` and `project` on the command line."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pandas
import pytest

from workbench import api
from workbench.__main__ import main
from workbench.analysis.spectrum import spectrum
from workbench.verbs.geometry import Space
from workbench.verbs.pair_texts import Sentences


@pytest.fixture
def asked(monkeypatch):
    """What each function of the api is asked; it answers with what the test puts under its name."""
    calls = SimpleNamespace(given={}, answers={})

    def patched(name):
        def function(*words, follow, runs, **given):
            calls.given[name] = (*words, given)
            return calls.answers[name]

        monkeypatch.setattr(api, name, function)

    for name in ("geometry", "corpus_report", "pair_texts"):
        patched(name)
    return calls


def test_geometry_prints_its_measures_and_a_summary_of_the_spectrum(asked, capsys):
    metrics = {"isoscore": 0.125, "hubness": None, "uniformity": -1.5, "uniformity_error": None, "target": "x", "n": 40}
    vectors = np.random.default_rng(0).normal(size=(40, 30))
    asked.answers["geometry"] = Space(metrics, spectrum(vectors))
    assert (
        main(["geometry", "--pairs", "demo:dev", "--exact", "--no-repeated", "--metrics", "isoscore", "hubness"]) == 0
    )
    texts, given = asked.given["geometry"]
    assert texts == [] and given["exact"] is True and given["repeated"] is False and given["pairs"] == "demo:dev"
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and lines[0].split() == ["IsoScore", "0.1250"] and lines[1].split() == ["Hubness", "–"]
    assert "uniformity error" not in " ".join(lines) and lines[-1].startswith("Of 30 directions the first has ")
    assert main(["geometry", "a", "b", "c", "--format", "csv"]) == 0
    head, directions = capsys.readouterr().out.split("\n\n")
    assert head.splitlines()[:2] == ["measure,value", "isoscore,0.125"] and len(directions.splitlines()) == 31
    assert asked.given["geometry"][0] == ["a", "b", "c"]


def test_geometry_takes_the_lines_of_standard_input(asked, monkeypatch):
    asked.answers["geometry"] = Space({"n": 3}, None)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a dog\na cat\nit rains\n")))
    assert main(["geometry", "-"]) == 0
    assert asked.given["geometry"][0] == ["a dog", "a cat", "it rains"]


def test_a_corpus_is_checked_before_training(tmp_path, asked, capsys):
    overlap = {"name": "demo:dev", "sentences": 1200, "common": 700, "pairs": 600, "pairs_with_both": 300}
    asked.answers["corpus_report"] = {
        "name": "mine.txt",
        "rows": 90,
        "texts": 90,
        "sampled": 80,
        "distinct": 70,
        "max_length": 32,
        "batch_size": 64,
        "tokens": {"mean": 9.25, "truncated": 0.125, "unknown": 0.01},
        "copies": {"exact": {"copies": 10}, "near": {"texts": 2, "false_negatives": 0.5}},
        "overlap": [{**overlap, "pairs_with_gold": 0, "transductive": True}],
        "notices": ["The first line is a header."],
        "dropped": [{"reason": "3 columns", "count": 4, "examples": [{"row": 7, "text": "x"}]}],
        "warnings": ["Many copies."],
    }
    assert main(["corpus_report", "mine.txt", "--no-apart", "--pairs", "demo:dev"]) == 0
    corpus, given = asked.given["corpus_report"]
    assert corpus == "mine.txt" and given["apart"] is False and given["pairs"] == ["demo:dev"]
    out = capsys.readouterr().out
    assert "90 rows, 90 texts\n" in out and "80 texts drawn at random, 70 of them different" in out
    for part in ("12.5 % longer than 32", "10 exact", "0.50 in a batch of 64"):
        assert part in out
    assert "mine.txt: 4 rows were left out (3 columns: 4, first in row 7).\n" in out
    assert "warning: Many copies.\n" in out and "a header" in out and "drawn at random" in out and "transductive" in out
    assert main(["corpus_report", "--format", "csv"]) == 0 and asked.given["corpus_report"][0] == "demo"
    assert capsys.readouterr().out.splitlines()[1] == "demo:dev,1200,700,600,300,0,transductive"
    assert main(["corpus_report", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["copies"]["exact"]["copies"] == 10


def test_the_sentences_of_pairs_are_lines(asked, capsys):
    asked.answers["pair_texts"] = Sentences(["a dog", "two\nlines"], 1)
    assert main(["pair_texts", "demo:test", "--most", "2", "--rows", "3", "4"]) == 0
    assert asked.given["pair_texts"] == ("demo:test", {"most": 2, "rows": [3, 4]})
    assert capsys.readouterr().out == "a dog\ntwo lines\n"
    assert main(["pair_texts", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"texts": ["a dog", "two\nlines"], "step": 1}
    assert asked.given["pair_texts"][0] == "demo:dev"


def test_coordinates_are_said_with_how_far_to_trust_them(monkeypatch, capsys):
    table = pandas.DataFrame({"row": [0], "view": [0], "x": [0.5], "y": [-0.25], "text": ["a dog"]})
    table.attrs = {"target": "mini-mlm", "explained": [0.5, 0.25], "trustworthiness": 0.9, "n": 1, "fitted_on": ""}
    monkeypatch.setattr(api, "answer", lambda verb, **words: table)
    assert main(["project", "a dog", "--method", "cone", "--format", "csv"]) == 0
    told = capsys.readouterr()
    assert told.out == "row,view,x,y,text\n0,0,0.5,-0.25,a dog\n"
    assert told.err.splitlines() == ["target: mini-mlm", "explained: 0.5000, 0.2500", "trustworthiness: 0.9000"]
