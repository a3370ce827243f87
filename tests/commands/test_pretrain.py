import gzip
import json

import pytest

from tests.objectives.trial import masked_model
from tests.trial import TEXTS
from workbench import api
from workbench.__main__ import main
from workbench.store.commands import python_line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny masked language model, and two files of articles."""
    found = tmp_path_factory.mktemp("pretrain")
    masked_model(found / "bert")
    for number in range(2):
        articles = ["\n".join(TEXTS[row : row + 4]) for row in range(number, len(TEXTS) - 4)]
        (found / f"{number}.txt").write_text("\n\n".join(articles))
    return found


def test_a_model_is_pretrained_on_two_files_and_taken_as_a_backbone(folder, place, capsys):
    runs = ["--runs", str(folder.path)]
    words = ["--backbone", str(place / "bert"), "--steps", "6", "--batch-size", "8", "--threads", "1"]
    words += ["--sequence-length", "16", "--probe.every", "3", "--evaluation.pairs", "demo:dev", "--name", "mine"]
    assert main(["pretrain", "--corpus", str(place / "0.txt"), str(place / "1.txt"), *words, *runs]) == 0
    out, err = capsys.readouterr()
    assert "user      pretraining.sequence_length = 16" in out and "temperature" not in out
    assert "step       6: masked loss" in out and "the model is in" in out
    assert "tokens a second" in err and "held out" in err
    run = api.run("mine", runs=folder.path)
    assert run.config.corpus.name == "0.txt and 1 more"
    assert main(["runs", "show", "mine", "--format", "json", *runs]) == 0
    first, last = json.loads(capsys.readouterr().out)["masked"]
    assert (first["step"], last["step"]) == (0, 6) and f"masked loss {last['masked_loss']:.3f}" in out
    assert run.command_line.startswith("python -m workbench pretrain --recipe mlm_continue --corpus /")
    assert "api.pretrain([" in python_line(run.config) and "sequence_length=16" in python_line(run.config)
    config = api.settle(after="mine", runs=folder.path)
    assert not config.pretrains and config.model.pooling == "mean"
    assert config.model.backbone == str(run.folder / "model")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--corpus", "nowhere.txt"], "no file"),
        (["--corpus", "table.csv"], "articles"),
        (["--corpus", "nowhere.txt", "--recipe", "simcse_unsup"], "mlm_fresh; train takes this one"),
        (["--corpus", "nowhere.txt", "--mask-rate", "2"], "from 0.01 to 0.9"),
        (["--corpus", "nowhere.txt", "--minutes", "1", "--steps", "5"], "Both minutes and steps"),
        (["--corpus", "nowhere.txt", "--minutes", "-1"], "above 0"),
        (["--corpus", "nowhere.txt", "--minutes", "0"], "above 0"),
        (["--corpus", "nowhere.txt", "--minutes", "nan"], "above 0"),
        (
            ["--corpus", "nowhere.txt", "--minutes", "inf"],
            "minutes cannot be inf. It is a number above 0, 525,600 at most",
        ),
        (["--corpus", "nowhere.txt", "--minutes", "1e308"], "525,600 at most"),
        (["--corpus", "nowhere.txt", "--temperature", "0.1"], "no setting named 'temperature'"),
    ],
)
def test_a_mistake_gives_a_single_message(words, said, tmp_path, capsys):
    assert main(["pretrain", *words, "--runs", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        ("", [], "no articles"),
        ("\n\n\n", [], "no articles"),
        ("one line\nand another\n", [], "one article"),
        ("a b\n\nc d\n\ne f\n", ["--layers", "40"], "Ask for 2 or fewer"),
        ("a b\n\nc d\n\ne f\n", ["--evaluation.pairs", "nowhere.tsv"], "no pair file"),
        ("a b\n\nc d\n\ne f\n", ["--sts-folder", "nowhere"], "no folder"),
        (None, [], "is a folder"),
    ],
)
def test_runs_that_would_fail_are_not_queued(content, words, said, place, tmp_path, capsys):
    for name in ("a.txt", "a.txt.gz"):
        file = tmp_path / name
        if content is None:
            file.mkdir()
        elif file.suffix == ".gz":
            file.write_bytes(gzip.compress(content.encode()))
        else:
            file.write_text(content)
        asked = ["--corpus", str(file), "--backbone", str(place / "bert"), *words, "--runs", str(tmp_path / "runs")]
        assert main(["pretrain", *asked, "--detach"]) == 2
        assert said in capsys.readouterr().err and not api.runs(tmp_path / "runs")


def test_a_trial_turns_minutes_into_steps(place, tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.api.training.answer", lambda *_, **__: {"seconds_per_step": 0.5})
    found = api.steps_for(place / "0.txt", minutes=2, backbone=str(place / "bert"), runs=tmp_path)
    assert found == {"training.steps": 240}
