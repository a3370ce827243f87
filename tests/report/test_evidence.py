"""The sections of a report on what stands behind the verdict."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tests.report.trial import material
from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench.core.writing import write_json
from workbench.recipes import settle
from workbench.report.evidence import corpora, curves
from workbench.report.material import styles_of
from workbench.store import names
from workbench.targets.target import parse
from workbench.ui.targets import styles as pages


def run(name, pairs="demo:dev", loss=None, **spearman):
    steps = [int(step.removeprefix("at")) for step in spearman]
    probes = pd.DataFrame({"step": steps, "spearman": list(spearman.values()), "pairs": pairs, "loss": loss})
    return SimpleNamespace(id=name, probes=probes)


@pytest.fixture
def of():
    """Material of two methods with these runs; A has two trainings."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=60)
    cosines = {"A": [gold + rng.normal(size=60), gold + rng.normal(size=60)], "B": [gold + rng.normal(size=60)]}
    return lambda first, second, other: material(cosines, gold, runs={"A": [first, second], "B": [other]})


def test_a_curve_goes_on_only_while_all_its_seeds_do(of):
    found = of(run("a0", at0=0.5, at100=0.6, at200=0.9), run("a1", at0=0.5, at100=0.2), run("b", at0=0.5, at200=0.6))
    [drawing] = curves(found).blocks
    drawn = drawing.make(False)
    line = next(trace for trace in drawn.data if trace.name == "A")
    assert list(line.x) == [0, 100] and list(line.y) == [50, 40]
    assert "between 40.00 (A) and 60.00 (B)" in drawn.layout.meta["takeaway"]
    assert "at the steps that all of them have" in drawing.caption and "on demo:dev" in drawing.caption


def test_probes_on_different_pairs_are_not_drawn_together(of):
    found = of(
        run("a0", at0=0.5, at100=0.6), run("a1", at0=0.5, at100=0.2), run("b", "own.tsv", 1.0, at0=0.5, at100=0.6)
    )
    [drawing] = curves(found).blocks
    assert "probes were on demo:dev, own.tsv" in drawing.caption
    assert "Spearman" not in str(drawing.make(False).layout)


def test_one_corpus_read_to_two_lengths_has_two_rows(of):
    def trained(name, most, cut):
        config = settle("simcse_unsup", backbone="minilm-l3", changes={"training.max_length": most})
        report = {"texts": 10, "tokens": {"mean": 9.0, "truncated": cut, "unknown": 0.0}}
        return SimpleNamespace(id=name, config=config, corpus_report=report, overlap=[])

    found = of(trained("a0", 32, 0.4), trained("a1", 32, 0.4), trained("b", 128, 0.02))
    [sheet] = corpora(found).blocks
    assert [(row[0].small.rpartition("; ")[2], row[5].text) for row in sheet.rows] == [
        ("minilm-l3, at most 32 tokens", "40.0 %"),
        ("minilm-l3, at most 128 tokens", "2.0 %"),
    ]


def test_a_run_looks_as_on_the_pages(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))
    monkeypatch.setattr(pages, "dark", lambda: False)
    runs = [make_run(names.runs_folder(), number) for number in range(3)]
    rng = np.random.default_rng(0)
    gold = rng.normal(size=60)
    cosines = {name: [gold + rng.normal(size=60)] for name in ("minilm-l6", "tfidf", "B", "A")}
    looks = styles_of(material(cosines, gold, runs={"A": [runs[1]], "B": [runs[2]]}), dark=False)
    there = pages.styles_of([runs[1].id, "tfidf", "minilm-l6", runs[2].id])
    assert [looks[name] for name in ("A", "B")] == [there[run.id] for run in runs[1:]]
    assert [looks[name] for name in ("tfidf", "minilm-l6")] == [there[name] for name in ("tfidf", "minilm-l6")]


def test_what_was_made_elsewhere_has_one_colour_on_the_pages_and_in_reports(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(pages, "dark", lambda: False)
    monkeypatch.chdir(tmp_path)
    run = make_run(names.runs_folder(tmp_path / "runs"))
    write_json(run.folder / names.CHECKPOINTS / "step0" / names.STATE, {"step": 0})
    tiny_model(tmp_path / "mine")
    file = tmp_path / "own vectors.csv"
    file.write_text("text,0,1\na,1,2\n")
    typed = ["./mine", f'precomputed(vectors="{file.name}")', f"{run.id}@step0", "minilm-l3"]
    targets = {text: parse(text, names.runs_folder()) for text in typed}
    method = {text: target.text for text, target in targets.items()}
    rng = np.random.default_rng(0)
    gold = rng.normal(size=60)
    cosines = {name: [gold + rng.normal(size=60)] for name in method.values()}
    made = material(cosines, gold, targets={target.text: target for target in targets.values()})
    looks, there = styles_of(made, dark=False), pages.styles_of(typed)
    assert all(looks[method[text]] == there[text] for text in typed)
    assert all(there[text].colour != there["minilm-l3"].colour for text in typed[:2])
    assert all("open" not in there[text].symbol for text in typed[:2])
    assert "open" in there[typed[2]].symbol, "before the first step, a run is its backbone"
