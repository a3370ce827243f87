"""Whether training helped: the verdict of a run, its reasons, and its model card."""

import json

import numpy as np
import pandas
import pytest

from tests.run_folders import make_run
from tests.runs.trial import new, work
from tests.tiny import tiny_model
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_json, write_text
from workbench.data.common_words import CommonWords
from workbench.data.pair_sets import PairSet
from workbench.models.base_model import base_model
from workbench.recipes import settle
from workbench.runs.model_card import model_card
from workbench.runs.outcome import outcome
from workbench.runs.reasons import reasons
from workbench.statistics.bootstrap import paired_difference
from workbench.statistics.correlation import spearman
from workbench.store import evaluations, names
from workbench.store.names import runs_folder
from workbench.store.run import Run

N = 80
GOLD = np.tile(np.linspace(0, 5, 16), 5)
NOISE = np.random.default_rng(0).normal(size=N)
NAMES = ("demo:dev", "demo:test")
PAIRS = {name: PairSet(name, "demo", "x", (0, 5), [""] * N, ["a man"] * N, ["a dog"] * N, GOLD, []) for name in NAMES}
GOOD, BAD, FAIR = GOLD + 0.5 * NOISE, GOLD + 8 * NOISE, GOLD + 4 * NOISE


@pytest.fixture
def run(tmp_path):
    return make_run(runs_folder(tmp_path / "runs"))


def scored(run, cosines, *, best=20, sets=NAMES, changes=None):
    """The run with cosines of its checkpoints on each set, and its best checkpoint at a step."""
    write_text(run.folder / names.CONFIG, to_toml(settle("simcse_unsup", backbone="minilm-l3", changes=changes)))
    write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": best, "samples": 0, "score": 0.5})
    for checkpoint, values in cosines.items():
        parts = []
        for name in sets:
            columns = {"pairs": name, "task": "demo", "split": "x", "subset": "", "row": np.arange(N), "gold": GOLD}
            parts.append(pandas.DataFrame({**columns, "cosine": values / 100, "first": "a man", "second": "a dog"}))
        rows = [{"pairs": name, "spearman": 0.5, "low": 0.4, "high": 0.6, "n": N} for name in sets]
        evaluations.write(run.folder, "pairs", checkpoint, pandas.concat(parts, ignore_index=True), rows)
    return Run(run.folder)


def of(before, kept, last):
    return {"step0": before, "best": kept, "last": last}


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(BAD, GOOD, "helped"), (GOOD, BAD, "worse"), (GOOD, GOOD + 0.01 * NOISE, "no_difference")],
)
def test_the_verdict_is_that_of_the_paired_bootstrap(run, before, after, verdict):
    found = outcome(scored(run, of(before, after, after)), PAIRS, ["a man and a dog"])
    assert found["verdict"] == verdict and found["step"] == found["last"] == 20 and found["selected_on"] == []
    first = found["sets"][0]
    change = paired_difference(before / 100, after / 100, GOLD)
    assert (first["delta"], first["low"], first["high"]) == pytest.approx((change.delta, change.low, change.high))
    assert first["before"] == pytest.approx(spearman(before, GOLD)) and first["kept"] == pytest.approx(
        spearman(after, GOLD)
    )
    assert bool(found["reasons"]) == (verdict != "helped")
    assert first["linked_groups"] == 1  # all pairs have the same two sentences


def test_a_kept_step_0_is_compared_with_the_last_step(run):
    selected = {"selection.pairs": ("demo:dev",)}
    found = outcome(scored(run, of(FAIR, FAIR, GOOD), best=0, changes=selected), PAIRS, ["a man"])
    assert found["verdict"] == "kept_step0" and found["selected_on"] == ["demo:dev"]
    assert {one["pairs"]: one["verdict"] for one in found["sets"]} == dict.fromkeys(NAMES, "helped")


def test_the_verdict_is_about_the_pairs_that_the_user_named(run):
    both = of(BAD, GOOD, GOOD)
    named = scored(run, both, changes={"evaluation.pairs": ("demo:test",)})
    assert [one["pairs"] for one in outcome(named, PAIRS, [])["sets"]] == ["demo:test", "demo:dev"]
    chosen = scored(run, both, changes={"selection.pairs": ("demo:dev",)})
    first = outcome(chosen, PAIRS, [])["sets"][0]
    assert first["pairs"] == "demo:dev" and first["selected"]
    unseen = scored(run, both, changes={"selection.pairs": ("demo:dev",), "evaluation.pairs": NAMES})
    assert outcome(unseen, PAIRS, [])["sets"][0]["pairs"] == "demo:test"


def test_what_cannot_be_ranked_is_not_judged(run):
    assert outcome(scored(run, of(np.ones(N), GOOD, GOOD)), PAIRS, []) is None
    assert outcome(make_run(runs_folder(run.folder.parent / "other")), PAIRS, []) is None
    run = make_run(runs_folder(run.folder.parent / "third"))
    write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 0, "samples": 0, "score": 0.5})
    assert outcome(run, PAIRS, [])["verdict"] == "kept_step0", "even where nothing was scored"


def kinds(run, verdict="worse", **more):
    return {reason.kind: reason.text for reason in reasons(run, verdict, **more)}


def test_reasons_follow_from_what_the_run_recorded(run):
    fresh = kinds(scored(run, {}))
    assert set(fresh) == {"tuned"} and "minilm-l3 was tuned" in fresh["tuned"]
    fast = scored(run, {}, changes={"learning_rate": 1e-3})
    assert "10 times that of the backbone's card, 0.0001" in kinds(fast)["rate"]
    slow = scored(run, {}, changes={"learning_rate": 1e-5})
    assert "10 times below" in kinds(slow, "no_difference")["rate"] and "rate" not in kinds(slow)
    common = CommonWords(0.4, 0.6, 100)
    assert (
        "share 40 % of their words, two halves of x 60 %" in kinds(fresh_run(run), common=common, pairs="x")["corpus"]
    )
    assert "corpus" not in kinds(fresh_run(run), common=CommonWords(0.55, 0.6, 100))


def fresh_run(run):
    return scored(run, {})


def test_copies_collapse_a_narrower_cone_and_few_steps_are_reasons(run):
    report = {"batch_size": 64, "copies": {"exact": {"copies": 0, "false_negatives": 0.0}, "near": {"texts": 9}}}
    report["copies"]["near"]["false_negatives"] = 3.0
    write_json(run.folder / names.CORPUS, report)
    append_line(run.folder / names.PROBES, {"step": 20, "mean_cosine": 0.995, "collapsed": True})
    text = to_toml(settle("simcse_unsup", backbone="mini-mlm")).replace("rows = 0", "rows = 100000")
    write_text(run.folder / names.CONFIG, text)
    assert "steps" not in kinds(Run(run.folder))
    found = kinds(Run(run.folder), "no_difference")
    assert list(found) == ["collapse", "copies", "cone", "steps"]
    assert "1.5 pairs of texts" in found["copies"] and "from step 20" in found["collapse"]
    assert "rose from 0.57 to 0.99" in found["cone"] or "rose from 0.57 to 1.00" in found["cone"]
    assert "20 steps, 1,280 of the 100,000 rows" in found["steps"]


@pytest.mark.usefixtures("worker_here")
def test_a_run_ends_with_a_verdict_that_its_model_card_repeats(folder, tiny):
    run = work(new(folder, tiny, **{"selection.pairs": ()}))
    assert run.state == "done", run.log()
    found = run.outcome
    assert found["step"] == found["last"] == 10 and [one["pairs"] for one in found["sets"]] == ["pairs.tsv"]
    score = run.scores.set_index("checkpoint")["spearman"]
    judged = found["sets"][0]
    assert (judged["before"], judged["kept"]) == pytest.approx((score["step0"], score["best"]))
    assert judged["delta"] == pytest.approx(score["best"] - score["step0"])
    card = (run.folder / "model" / "README.md").read_text("utf-8")
    assert card == model_card(run) and card.startswith("---\nlibrary_name: sentence-transformers\n")
    assert "| Step | 10 of 10, the last |" in card and f"| Run | {run.id} |" in card
    assert str(folder.path) not in card and str(tiny) not in card, "no folders of this machine"
    assert f"| pairs.tsv | 24 | {100 * score['step0']:.2f} (".replace("-", "−") in card
    assert "| pairs | n | before (step0) | this model |\n" in card, "the last step is this model"


@pytest.mark.parametrize("backbone", ["minilm-l3", "minilm-l6", "org/name"])
def test_the_model_card_names_the_encoder_that_it_started_from(run, tmp_path, backbone):
    text = to_toml(settle("simcse_unsup", backbone="minilm-l3")).replace('"minilm-l3"', f'"{backbone}"')
    write_text(run.folder / names.CONFIG, text)
    folder = tiny_model(tmp_path / "model")
    (folder / "README.md").write_text(model_card(Run(run.folder)), encoding="utf-8")
    base = base_model(folder)
    assert base.stated and base.name == backbone, "which the workbench reads where the folder is opened"


@pytest.mark.usefixtures("worker_here")
def test_what_a_step_was_chosen_on_is_scored_in_the_end(folder, tiny):
    run = work(new(folder, tiny, **{"evaluation.pairs": ("demo:traps",)}))
    assert set(run.scores["pairs"]) == {"demo:traps", "pairs.tsv"}
    assert run.outcome["selected_on"] == ["pairs.tsv"]
    card = (run.folder / "model" / "README.md").read_text("utf-8")
    assert f"| Step | {run.best['step']} of 10, chosen on pairs.tsv |" in card


@pytest.mark.usefixtures("worker_here")
def test_a_damaged_outcome_is_left_out(folder, tiny):
    run = work(new(folder, tiny, steps=2, **{"evaluation.pairs": ()}))
    assert run.state == "done" and (run.outcome is None or run.outcome["verdict"] == "kept_step0")
    (run.folder / names.OUTCOME).write_text(json.dumps({"verdict": "great"}))
    assert Run(run.folder).outcome is None and any(names.OUTCOME in line for line in Run(run.folder).damage)
