"""Why a run got worse: one answer from what is computed elsewhere."""

import numpy as np
import pytest
from pandas import DataFrame

from tests.runs.trial import new, work
from tests.trial import config_of
from tests.verbs.trial import Rising
from workbench import api
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting
from workbench.core.writing import write_json
from workbench.data.pair_sets import PairSet
from workbench.statistics.correlation import spearman
from workbench.store import names
from workbench.store.create import create
from workbench.store.evaluations import SCORES
from workbench.verbs import diagnose
from workbench.verbs.diagnose import VERB

pytestmark = pytest.mark.usefixtures("worker_here")


def diagnosed(folder, **asked):
    return VERB.run(VERB.ask(folder, asked), ModelCache(folder), Rising())


def test_a_run_is_diagnosed_from_its_evaluation_its_corpus_and_its_batches(folder, tiny):
    run = work(new(folder, tiny, **{"selection.pairs": (), "learning_rate": 3e-3, "steps": 12}))
    other = work(new(folder, tiny, **{"selection.pairs": (), "steps": 2}))
    found = diagnosed(folder, target=run.id)
    assert found.about["run"] == run.id and found.about["pairs"] == "pairs.tsv" and found.about["n"] == 24
    assert found.about["kind"] == run.outcome["verdict"] and found.about["step"] == 12
    assert (
        found.about["verdict"].split(" (")[0] in run.outcome["sets"][0]["pairs"]
        or "pairs.tsv" in found.about["verdict"]
    )
    score = run.scores.set_index("checkpoint")["spearman"]
    space = found.space.set_index("checkpoint")
    for name in ("step0", "best", "last"):
        assert space.loc[name, "spearman"] == pytest.approx(score[name])
    best = max(("best", "step0"), key=lambda name: score[name])
    assert found.about["return_to"] in (f"{run.id}@{best}", f"{run.id}@best")
    assert list(found.rates["of"]) == ["this run", "the backbone's card", "the published setting", "another run"]
    assert found.rates["run"].iloc[-1] == other.id and found.rates["learning_rate"].iloc[0] == 3e-3
    assert 0 < found.words["corpus"] <= 1 and found.words["texts"] == run.config.corpus.rows
    assert found.batches["steps"] == [1, 6, 12] and found.batches["negatives"] > 0
    assert (found.batches["closer"] or 0) + found.batches["equal"] + found.batches["nearly_equal"] == pytest.approx(
        found.batches["false_share"] * found.batches["negatives"]
    )
    cosines = run.cosines().set_index(["checkpoint", "row"])["cosine"]
    worst = found.fell.iloc[0]
    same = run.cosines()[
        lambda table: (table["sentence1"] == worst["sentence1"]) & (table["sentence2"] == worst["sentence2"])
    ]
    assert worst["after"] == pytest.approx(cosines["best", int(same["row"].iloc[0])])
    table = run.cosines()[lambda table: table["checkpoint"] == "best"]
    assert found.bands["n"].sum() == 24
    assert (found.bands["after"] * found.bands["n"]).sum() == pytest.approx(table["cosine"].sum(), rel=1e-4)
    assert (found.gained["worse"] < 0).all() and found.gained["worse"].is_monotonic_increasing
    assert not set(found.false_negatives["kind"]) - {"equal", "nearly equal", "closer than the positive"}
    if found.about["kind"] != "helped":
        assert any("learning rate of 0.003 is" in reason for reason in found.reasons)


def test_other_pairs_are_encoded_and_a_missing_corpus_is_named(folder, tiny, tmp_path):
    corpus = tmp_path / "own.txt"
    corpus.write_text((tiny / "corpus.txt").read_text())
    run = work(new(folder, tiny, **{"steps": 2, "selection.pairs": ()}))
    found = diagnosed(folder, target=f"{run.id}@last", pairs="demo:traps")
    assert found.about["pairs"] == "demo:traps" and found.about["checkpoint"] == "last" and len(found.space) == 3
    assert np.isfinite(found.space["spearman"]).all() and set(found.fell["subset"]) != {""}
    text = (run.folder / names.CONFIG).read_text().replace(str(tiny / "corpus.txt"), str(tmp_path / "gone.txt"))
    (run.folder / names.CONFIG).write_text(text)
    found = diagnosed(folder, target=run.id)
    assert "gone.txt" in found.words["missing"] and found.batches["missing"] and found.false_negatives.empty


RANKED = {
    "good": [0.1, 0.5, 0.2, 0.9, 0.6, 0.7],
    "bad": [0.9, 0.2, 0.7, 0.1, 0.6, 0.3],
    "flat": [0.5, 0.5, 0.4, 0.5, 0.5, 0.4],
}


@pytest.mark.parametrize(
    ("order", "kept", "back", "words"),
    [
        (
            ("bad", "good", "good"),
            "best",
            "best",
            "The cone opened: the mean cosine of random pairs fell from 0.70 to 0.10.",
        ),
        (("good", "bad", "bad"), "best", "step0", "Step 0 ranks own.tsv better than the kept one: step 0 scores"),
        (("bad", "bad", "good"), "best", "last", "Step 20 ranks own.tsv better than the kept one: step 20 scores"),
        (("flat", "flat", "flat"), "last", "last", "Steps 0 and 20 rank own.tsv alike, within chance: step 0 scores"),
        (
            ("good", "good", "bad"),
            "step0",
            "step0",
            "No other step that was saved ranks own.tsv better beyond chance: step 0",
        ),
        (("bad", "bad", "good"), "step0", "last", "Step 20 ranks own.tsv better than the kept one: step 20 scores"),
    ],
)
def test_the_first_line_says_which_step_to_use_and_why(folder, tiny, order, kept, back, words):
    """For a run that helped, one that did not, one whose choice discarded the better step, and one that kept step 0."""
    gold = np.tile([1.0, 3.0, 2.0, 5.0, 3.5, 4.0], 20) + np.arange(120) / 1000
    steps = dict(zip(names.CHECKPOINT_NAMES, (0, 0 if kept == "step0" else 10, 20), strict=True))
    cosines = {name: np.tile(RANKED[how], 20) for name, how in zip(steps, order, strict=True)}
    mean = {"step0": 0.7, "best": 0.1, "last": 0.1}
    rows = [
        {"checkpoint": name, "step": step, "spearman": spearman(cosines[name], gold), "mean_cosine": mean[name]}
        for name, step in steps.items()
    ]
    pairs = PairSet("own.tsv", "own", "", (0, 5), [""] * 120, ["a"] * 120, ["b"] * 120, gold, [])
    run = create(folder, config_of(tiny))
    compared = "last" if kept == "step0" else kept
    target, why = diagnose._return_to(run, diagnose._Scored(pairs, cosines, DataFrame(rows)), kept, compared)
    assert target == f"{run.id}@{back}" and why.startswith(words), why


def test_the_rate_of_a_run_that_kept_step_0_stands_beside_its_last_step(folder, tiny):
    run = create(folder, config_of(tiny))
    rows = [
        {"suite": "pairs", "pairs": "own.tsv", "checkpoint": name, "spearman": rho}
        for name, rho in (("best", 0.6), ("last", 0.3))
    ]
    write_json(run.folder / names.EVALUATIONS / SCORES, rows)
    for step, rho in ((0, 0.3), (5, 0.6)):
        write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": step, "samples": 8 * step})
        assert diagnose._spearman(api.run(run.folder), "own.tsv") == rho


def test_in_a_narrow_cone_closeness_says_nothing(folder, tiny, monkeypatch):
    """Negatives of a raw encoder are closer than a positive by noise alone."""
    run = work(new(folder, tiny, **{"steps": 2, "selection.pairs": ()}))
    monkeypatch.setattr(diagnose, "NARROW", -1.0)
    found = diagnosed(folder, target=run.id)
    assert found.batches["closer"] is None and set(found.false_negatives["kind"]) <= {"equal", "nearly equal"}
    monkeypatch.setattr(diagnose, "NARROW", 1.0)
    found = diagnosed(folder, target=run.id)
    space = found.space.set_index("checkpoint")
    judge = max(("step0", found.about["checkpoint"]), key=lambda name: space.loc[name, "spearman"])
    assert found.batches["judge_step"] == space.loc[judge, "step"] and found.batches["closer"] >= 0


def test_only_a_fine_tune_is_diagnosed(folder, tiny):
    with pytest.raises(BadSetting, match="Only a run was trained here"):
        VERB.ask(folder, {"target": str(tiny / "bert")})
    run = work(new(folder, tiny, **{"steps": 2}))
    with pytest.raises(BadSetting, match="more than a run"):
        VERB.ask(folder, {"target": f"{run.id}:cls"})
    silent = create(folder, config_of(tiny, **{"evaluation.pairs": (), "selection.pairs": (), "probe.pairs": ""}))
    with pytest.raises(BadSetting, match="evaluated on no pairs"):
        VERB.ask(folder, {"target": f"{silent.id}@step0"})
