import json

import numpy as np
import pytest

from tests.jobs.conftest import folder, tiny  # noqa: F401 - fixtures
from tests.trial import TEXTS, config_of
from workbench.__main__ import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--stps", "20"], "Did you mean steps"),
        (["train", "--steps", "many"], "steps cannot be 'many'"),
        (["train", "--steps", "0"], "from 1 to"),
        (["train", "--schedule", "sudden"], "one of linear, constant"),
        (["train", "loose"], "belongs to no flag"),
        (["train", "--temperature"], "has no value"),
        (["train", "--recipe", "simcse"], "or simcse_unsup"),
        (["list", "loses"], "Did you mean losses"),
        (["list", "losses", "--nonsense", "1"], "Not understood"),
        (["augment", "eda_swop", "a"], "Did you mean eda_swap"),
        (["runs", "show"], "needs a run"),
        (["runs", "show", "nothing"], "no run named"),
        (["evaluate", "minilm-l4", "--data", "."], "Did you mean minilm-l"),
    ],
)
def test_a_mistake_is_one_message_and_status_2(words, said, tmp_path, capsys):
    assert main([*words, *(["--runs", str(tmp_path)] if words[0] != "list" or "--nonsense" not in words else [])]) == 2
    out, err = capsys.readouterr()
    assert said in err and len(err.strip().splitlines()) == 1 and "Traceback" not in out + err


def test_small_commands(tmp_path, capsys):
    runs = ["--runs", str(tmp_path)]
    assert main(["augment", "eda_swap", "--seed", "3", "all dogs like cats", *runs]) == 0
    assert sorted(capsys.readouterr().out.split()) == ["all", "cats", "dogs", "like"]
    assert (
        main(
            ["augment", "eda_delete", "all dogs like cats", "--rate", "0.5", "--draws", "2", "--format", "json", *runs]
        )
        == 0
    )
    assert len(json.loads(capsys.readouterr().out)) == 2
    protected = [
        "--protect=dogs",
        "--protect=cats",
        "eda_delete(rate=0.9)",
        "all dogs like cats",
        "dogs and cats",
        *runs,
    ]
    assert main(["augment", "--draws", "3", *protected]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and all("dogs" in line and "cats" in line for line in lines)
    assert main(["list", "poolings", *runs]) == 0 and "mean" in capsys.readouterr().out
    assert main(["list", "recipes", "--format", "csv", *runs]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("id,title,summary,source\n") and "\nsimcse_unsup," in listed
    assert main(["runs", *runs]) == 0 and "No runs yet" in capsys.readouterr().out
    assert main(["runs", "reindex", *runs]) == 0 and "0 runs" in capsys.readouterr().out
    assert main(["doctor", *runs]) == 0 and "ok" in capsys.readouterr().out
    assert main(["doctor", "--format", "json", *runs]) == 0 and json.loads(capsys.readouterr().out)
    with pytest.raises(SystemExit):
        main(["--help"])


def test_from_training_to_vectors(folder, tiny, capsys, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    runs, pairs = ["--runs", str(folder.path)], config_of(tiny).probe.pairs
    words = [
        "--backbone",
        str(tiny / "bert"),
        "--corpus",
        str(tiny / "corpus.txt"),
        "--steps",
        "6",
        "--batch-size",
        "8",
    ]
    words += ["--probe.pairs", pairs, "--selection.pairs", pairs, "--evaluation.pairs", pairs, "--threads", "1"]
    assert main(["train", *words, "--name", "first", "--temperature", "0.1", *runs]) == 0
    out, err = capsys.readouterr()
    for said in ("user      training.steps = 6", "recipe    terms.0.loss", "backbone  training.learning_rate", "step0"):
        assert said in out
    assert "queued" in err and "done, step 6 of 6" in err

    assert main(["runs", "list", "--format", "json", *runs]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["state"] == "done" and row["name"] == "first"
    assert main(["runs", "show", "first", *runs]) == 0
    assert "--temperature 0.1" in capsys.readouterr().out
    assert main(["runs", "resume", "first", *runs]) == 2 and "cannot be resumed" in capsys.readouterr().err
    assert main(["runs", "stop", "first", *runs]) == 2

    assert main(["compare", "first", str(tiny / "bert"), "--pairs", pairs, *runs]) == 0
    assert "first" not in capsys.readouterr().err
    assert main(["encode", *TEXTS[:2], "--backbone", "first", *runs]) == 0
    vectors = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert np.array(vectors).shape == (2, 32)
    assert main(["encode", *TEXTS[:2], "--backbone", "first", "--out", "v.npy", *runs]) == 0
    np.testing.assert_allclose(np.load("v.npy"), vectors, atol=1e-6)
    capsys.readouterr()

    rows = [f"x\t{number % 6}\t{TEXTS[number]}\t{TEXTS[number + 7]}" for number in range(30)]
    (tmp_path / "stsb-test.tsv").write_text("subset\tscore\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "first", "--data", str(tmp_path), *runs]) == 0
    out = capsys.readouterr().out
    assert "stsb" in out and "absent: sts12" in out and "avg" not in out
    assert main(["evaluate", "first", "--data", str(tmp_path), "--format", "json", *runs]) == 0
    assert -1 <= json.loads(capsys.readouterr().out)["tasks"][0]["all"] <= 1
    assert main(["evaluate", "first", "--data", str(tmp_path), "--format", "csv", *runs]) == 0
    assert capsys.readouterr().out.startswith("task,split,n")

    assert main(["runs", "export", "first", "a.zip", "--light", *runs]) == 0
    assert main(["runs", "delete", "first", "--yes", "first", *runs]) == 2
    assert main(["runs", "delete", "first", "--yes", row["id"], *runs]) == 0
    assert main(["runs", "import", "a.zip", *runs]) == 0
    assert main(["runs", "list", *runs]) == 0
    assert row["id"] in capsys.readouterr().out

    assert main(["train", *words, "--detach", *runs]) == 0
    run_id = capsys.readouterr().out.strip().splitlines()[-2]
    assert main(["runs", "stop", run_id, *runs]) == 0
    assert run_id in capsys.readouterr().out
