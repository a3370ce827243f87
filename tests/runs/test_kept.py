"""What a run keeps: the step chosen on pairs that the user names, and otherwise the last one."""

import numpy as np
import pytest

from tests.runs.trial import new, stop_at, work
from tests.trial import TEXTS
from workbench import api
from workbench.__main__ import main
from workbench.recipes import settle
from workbench.runs.probes import Probes
from workbench.store.summary import summary
from workbench.targets.opening import open_target
from workbench.targets.target import parse


def probed_as(monkeypatch, scores):
    """The probes of a run score Spearman as given, by step."""
    evaluate = Probes.evaluate

    def at(probes, step):
        now, scored = step.step if step else 0, probes.scored.evaluate
        with monkeypatch.context() as patch:
            patch.setattr(
                probes.scored,
                "evaluate",
                lambda encode, **settings: [{**row, "spearman": scores[now]} for row in scored(encode, **settings)],
            )
            evaluate(probes, step)

    monkeypatch.setattr(Probes, "evaluate", at)


FALLING = {0: 0.9, 5: 0.8, 10: 0.7}


@pytest.mark.usefixtures("worker_here")
def test_without_pairs_the_last_step_is_the_result_whatever_the_probes_say(folder, tiny, monkeypatch):
    probed_as(monkeypatch, FALLING)
    run = work(new(folder, tiny, **{"selection.pairs": ()}))
    assert run.state == "done", run.log()
    assert "selection" not in run.probes and list(run.probes["spearman"]) == [0.9, 0.8, 0.7]
    assert run.best["step"] == run.checkpoints["last"]["step"] == 10 and run.best["metric"] == "none"
    assert run.probe_spearman == summary(run).spearman == 0.7
    encoded = {at: open_target(parse(f"{run.folder}{at}", folder)).encode(TEXTS[:5]) for at in ("", "@last", "@step0")}
    np.testing.assert_array_equal(encoded[""], encoded["@last"])
    assert np.abs(encoded[""] - encoded["@step0"]).max() > 1e-3
    exported = open_target(parse(run.folder / "model", folder)).encode(TEXTS[:5])
    np.testing.assert_allclose(exported, encoded["@last"], atol=1e-6)


@pytest.mark.usefixtures("worker_here")
def test_with_pairs_the_step_is_chosen_on_them(folder, tiny, monkeypatch):
    probed_as(monkeypatch, FALLING)
    run = work(new(folder, tiny))
    assert run.best["step"] == 0 and run.best["score"] == run.probe_spearman == summary(run).spearman == 0.9


@pytest.mark.usefixtures("worker_here")
def test_a_stopped_run_is_its_last_step_unless_one_was_chosen(folder, tiny, monkeypatch):
    probed_as(monkeypatch, FALLING)
    with monkeypatch.context() as patch:
        stop_at(patch, 5)
        last, chosen = (work(new(folder, tiny, **changes)) for changes in ({"selection.pairs": ()}, {}))
    assert last.state == chosen.state == "stopped"
    assert parse(last, folder).checkpoint == last.kept == "last" and parse(chosen, folder).checkpoint == "best"
    assert (last.probe_spearman, chosen.probe_spearman) == (0.8, 0.9)
    assert len(open_target(parse(last, folder)).encode(TEXTS[:2])) == 2


def test_nothing_is_chosen_by_default_except_in_a_pretraining():
    assert not settle("simcse_unsup").selection.selects
    assert settle("mlm_continue").selection.selects
    pairs = {"selection.pairs": ("demo:dev",)}
    assert settle("simcse_unsup", changes=pairs).selection.selects
    assert not settle("simcse_unsup", changes={**pairs, "selection.metric": "none"}).selection.selects


@pytest.mark.measure
def test_a_hundred_steps_on_the_texts_of_stsb_are_kept(shared_data, tmp_path):
    sts, runs = shared_data / "sts", str(tmp_path / "runs")
    words = ["--recipe", "simcse_unsup", "--backbone", "minilm-l3", "--corpus", f"texts:stsb:train@{sts}"]
    assert main(["train", *words, "--steps", "100", "--runs", runs]) == 0
    [run] = api.runs(runs)
    scored = {
        target: api.score(target, pairs=f"stsb:dev@{sts}", runs=runs).scores["spearman"]
        for target in (run.id, str(run.folder / "model"), f"{run.id}@step0")
    }
    assert scored[run.id] == pytest.approx(scored[str(run.folder / "model")], abs=1e-4)
    assert scored[run.id] >= scored[f"{run.id}@step0"] + 0.08
