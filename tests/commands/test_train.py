"""What `train` says at the end, and its exit status."""

import csv
import json

from tests.run_folders import evaluated_run
from workbench import api
from workbench.__main__ import main
from workbench.store.names import runs_folder


def test_a_stopped_run_is_no_success_and_can_be_resumed_as_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    place = str(tmp_path / "my runs")
    asked = ["--steps", "2", "--runs", place]
    assert main(["train", *asked, "--detach"]) == 0
    told = capsys.readouterr().out.splitlines()
    run = api.run(told[-2], runs=place)
    assert told[-1].endswith(f": python -m workbench runs show {run.id} --runs '{place}'")
    stopped = api.stop(run)
    monkeypatch.setattr("workbench.api.train", lambda *_, **__: stopped)
    monkeypatch.setattr("workbench.api.pretrain", lambda *_, **__: stopped)
    (tmp_path / "a.txt").write_text("a b\n\nc d\n", encoding="utf-8")
    for words in (["train"], ["pretrain", "--corpus", str(tmp_path / "a.txt")]):
        assert main([*words, *asked]) == 130
        assert f"runs resume {run.id} --runs '{place}'" in capsys.readouterr().out


def test_minutes_become_the_steps_that_a_trial_says_fit(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    asked = []

    def answer(verb, **request):
        asked.append(request["config"])
        return {"seconds_per_step": 0.25}

    monkeypatch.setattr("workbench.api.training.answer", answer)
    given = ["--recipe", "consert_unsup", "--batch-size", "16", "--runs", str(tmp_path), "--detach"]
    assert main(["train", "--minutes", "2", *given]) == 0
    run = api.run(capsys.readouterr().out.splitlines()[-2], runs=tmp_path)
    assert run.config.training.steps == 480 and run.config.recipe == "consert_unsup"
    assert asked[0].recipe == "consert_unsup" and asked[0].training.batch_size == 16
    assert main(["train", "--minutes", "2", "--official", *given]) == 0, "published epochs give way"
    assert main(["train", "--minutes", "2", "--epochs", "1", *given]) == 2
    assert "Give one of the two" in capsys.readouterr().err
    assert main(["train", "--minutes", "0", *given]) == 2


def test_a_trial_of_a_real_run_counts_its_steps(tmp_path):
    short = api.steps_for("demo", minutes=0.1, recipe="simcse_unsup", batch_size=8, runs=tmp_path)["training.steps"]
    long = api.steps_for("demo", minutes=10, recipe="simcse_unsup", batch_size=8, runs=tmp_path)["training.steps"]
    assert 1 <= short < long


def test_programs_read_a_run_from_standard_output_and_people_the_rest_from_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    run, row, _ = evaluated_run(runs_folder(tmp_path), name="mine")
    monkeypatch.setattr("workbench.api.train", lambda *_, **__: run)
    monkeypatch.setattr("workbench.api.pretrain", lambda *_, **__: run)
    (tmp_path / "a.txt").write_text("a b\n\nc d\n", encoding="utf-8")
    for words in (["train"], ["pretrain", "--corpus", str(tmp_path / "a.txt")]):
        asked = [*words, "--steps", "2", "--runs", str(tmp_path)]
        assert main([*asked, "--format", "json"]) == 0
        out, err = capsys.readouterr()
        read = json.loads(out)
        [score] = read.pop("scores")
        about = {"id": run.id, "name": "mine", "state": "done", "step": 20, "folder": str(run.folder), "model": None}
        assert read == {**about, "outcome": None}
        assert (score["checkpoint"], score["pairs"], score["spearman"]) == ("best", "demo:dev", row["spearman"])
        assert "user      training.steps = 2" in err and f"Everything is in {run.folder}" in err
        assert main([*asked, "--format", "csv"]) == 0
        [score] = csv.DictReader(capsys.readouterr().out.splitlines())
        assert score["run"] == run.id and float(score["spearman"]) == row["spearman"] and score["n"] == str(row["n"])
        assert main([*asked, "--detach", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out) == {"id": run.id, "state": "done", "folder": str(run.folder)} and "queued in" in err
        assert main([*asked, "--detach", "--format", "csv"]) == 0
        assert capsys.readouterr().out == f"id,state,folder\n{run.id},done,{run.folder}\n"
