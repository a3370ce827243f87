"""What `train` says at the end, and its exit status."""

from workbench import api
from workbench.__main__ import main


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
