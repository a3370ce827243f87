"""Scores and cosines that a run stored."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from tests.run_folders import evaluated_run, make_run
from tests.tiny import PROMPT, prompted_model
from tests.verbs.trial import answered
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadRun
from workbench.data.demo import pairs
from workbench.scoring.pair_scores import Scored
from workbench.scoring.stored import stored, stored_cosines
from workbench.store import archive, evaluations
from workbench.store.names import runs_folder
from workbench.targets.target import parse


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two runs of one method that were evaluated on demo:dev, and their cosines there."""
    folder = runs_folder(tmp_path_factory.mktemp("stored") / "runs")
    return folder, pairs("dev"), [evaluated_run(folder, number) for number in range(2)]


@pytest.fixture
def models(place, monkeypatch):
    """A cache that has to do without any encoder."""
    monkeypatch.setattr(ModelCache, "model", lambda *_: pytest.fail("an encoder was loaded"))
    return ModelCache(place[0])


def test_scores_and_cosines_are_those_of_the_run(place, models):
    _, known, every = place
    run, row, cosines = every[0]
    answer = answered(models, "score", target=run.id, pairs="demo:dev")
    assert answer.cosines["cosine"].tolist() == cosines.tolist() and list(answer.cosines["sentence1"]) == known.first
    assert {name: answer.scores[name] for name in row} == pytest.approx(row)
    assert (answer.scores["precision"], answer.scores["max_length"]) == ("fp32", 64)


def test_methods_are_compared_without_an_encoder(place, models):
    _, _, every = place
    ids = [run.id for run, _, _ in every]
    table = answered(models, "compare_methods", targets=ids, pairs="demo:dev", by="genre")
    assert table.trainings["spearman"].tolist() == pytest.approx([row["spearman"] for _, row, _ in every])
    assert len(table.group_means) == 5


def test_the_prompt_of_a_run_is_said_beside_what_it_stored(place, models):
    run = place[2][1][0]
    said = f"{run.label} puts its prompt {PROMPT!r} before every text."
    assert said not in answered(models, "score", target=run.id, pairs="demo:dev").scores["notices"]
    folder = prompted_model(run.folder / "model")
    try:
        assert said in answered(models, "score", target=run.id, pairs="demo:dev").scores["notices"]
        assert said in answered(models, "compare_methods", targets=[run.id, "tfidf"], pairs="demo:dev").notices
        (folder / "modules.json").write_text("{")
        assert said not in answered(models, "score", target=run.id, pairs="demo:dev").scores["notices"]
    finally:
        shutil.rmtree(folder)


def test_what_a_newer_version_says_of_a_score_is_said_of_a_stored_one(place):
    folder, known, _ = place
    run, (row,) = make_run(folder, 5), Scored([known]).evaluate(lambda texts: np.eye(len(texts)))
    table = Scored([known]).tables(lambda texts: np.eye(len(texts)))[1]
    about = {"step": 20, "precision": "fp32", "max_length": 64, "spearman": -0.3, "low": -0.4, "high": -0.2}
    evaluations.write(run.folder, "pairs", "best", table, [{**row, **about}])
    kept = stored(parse(run.id, folder), known)
    assert kept is not None and "negative beyond chance" in kept.score["negative"]


@pytest.mark.parametrize("suffix", ["@last", "@step0", ":cls", "+centre"])
def test_what_the_run_did_not_evaluate_is_not_stored(place, suffix):
    folder, known, every = place
    assert stored_cosines(parse(f"{every[0][0].id}{suffix}", folder), known) is None


def test_other_pairs_of_the_same_name_have_nothing_stored(place):
    folder, known, every = place
    target = parse(every[0][0].id, folder)
    assert stored(target, known) is not None
    gold = np.array(known.gold)
    for changed in (
        replace(known, first=["Another sentence.", *known.first[1:]]),
        replace(known, gold=[*gold[1:], gold[0]]),
        replace(known, first=known.first[:9], second=known.second[:9], gold=known.gold[:9], subsets=known.subsets[:9]),
        replace(known, name="mine:dev"),
    ):
        assert stored(target, changed) is None


def test_a_damaged_table_counts_as_none(place, tmp_path):
    folder, known, every = place
    run = every[1][0]
    path = run.folder / "evaluations" / "pairs.parquet"
    content = path.read_bytes()
    try:
        path.write_bytes(content[:100])
        assert stored(parse(run.id, folder), known) is None
    finally:
        path.write_bytes(content)


def test_a_run_without_its_weights_is_compared_by_what_it_stored(place, tmp_path):
    _, _, every = place
    there = runs_folder(tmp_path / "there")
    ids = [archive.unpack(archive.pack(run, tmp_path / f"{run.id}.zip", weights=False), there).id for run, *_ in every]
    models = ModelCache(there)
    for run_id, (_, row, cosines) in zip(ids, every, strict=True):
        answer = answered(models, "score", target=run_id, pairs="demo:dev")
        assert answer.scores["spearman"] == row["spearman"] and answer.cosines["cosine"].tolist() == cosines.tolist()
    table = answered(models, "compare_methods", targets=ids, pairs="demo:dev")
    assert table.trainings["spearman"].tolist() == pytest.approx([row["spearman"] for _, row, _ in every])
    target = parse(ids[0], there)
    assert target.fingerprint != parse(ids[1], there).fingerprint
    with pytest.raises(BadRun, match=r"was imported without its weights\. Its scores can be compared"):
        answered(models, "score", target=ids[0], pairs="demo:test")
    with pytest.raises(BadRun, match="has no checkpoint 'last'"):
        parse(f"{ids[0]}@last", there)


def test_a_score_stored_before_linked_pairs_were_counted_has_their_groups(place):
    folder, known, _ = place
    run, (row,) = make_run(folder, 6), Scored([known]).evaluate(lambda texts: np.eye(len(texts)), interval=True)
    table = Scored([known]).tables(lambda texts: np.eye(len(texts)))[1]
    about = {"step": 20, "precision": "fp32", "max_length": 64}
    older = {name: value for name, value in row.items() if name != "linked_groups"}
    evaluations.write(
        run.folder, "pairs", "best", table, [{**older, "spearman": 0.3, "low": 0.2, "high": 0.4, **about}]
    )
    assert "linked_groups" not in run.scores
    kept = stored(parse(run.id, folder), known)
    assert kept is not None and kept.score["linked_groups"] == len(known)
