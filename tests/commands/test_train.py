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
