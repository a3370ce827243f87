import csv
import errno
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.store.test_runs import CONFIG
from tests.trial import TEXTS, config_of
from workbench import api
from workbench.__main__ import exit_status, main, parsed
from workbench.store import events, names
from workbench.store.create import create


@pytest.mark.parametrize(
    ("encoding", "errors"), [("latin-1", "strict"), ("ascii", "surrogateescape"), ("utf-8", "strict")]
)
def test_nothing_is_lost_that_the_terminal_cannot_show(monkeypatch, encoding, errors):
    """In POSIX's own locale, and for names of files that are not text: JSON stays JSON."""
    shown = {"name": "caf\xe9 \u2013 \U0001f600 \udc80"}
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)
    monkeypatch.setattr(sys, "stdout", out)
    assert exit_status(lambda: print(json.dumps(shown, ensure_ascii=False))) == 0
    assert json.loads(out.buffer.getvalue().decode(encoding)) == shown


LONG, NOBODY = "x" * 5000, "~nobody-has-this-name/x"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--stps", "20"], "Did you mean steps"),
        (["train", "--steps", "many"], "steps cannot be 'many'"),
        (["train", "--steps", "0"], "from 1 to"),
        (["train", "--schedule", "sudden"], "one of linear, constant"),
        (["train", "--keep-head", "maybe"], "model.keep_head: it is true or false. Got: 'maybe'."),
        (["train", "--eval-pooling", "mean(without=5)"], "Give mean, and score the run as RUN:mean(without=5)."),
        (["train", "--pooling", "meen(without=5)"], "no pooling named 'meen'. Did you mean mean"),
        (["train", "loose"], "does not belong to a flag"),
        (["train", "--", "a.txt", "--corpus", "b.txt"], "Nothing after -- is read as a flag"),
        (["train", "--temperature"], "has no value"),
        (["train", "--recipe", "simcse"], "or simcse_unsup"),
        (["list", "loses"], "Did you mean losses"),
        (["list", "losses", "--nonsense", "1"], "Unrecognised"),
        (["augment", "eda_swop", "a"], "Did you mean eda_swap"),
        (["runs", "show"], "needs a run"),
        (["runs", "show", "nothing"], "no run named"),
        (["evaluate", "minilm-l4", "--data", "."], "Did you mean minilm-l"),
        (
            ["evaluate", "mine", "minilm-l3", "--data", "."],
            "evaluate takes one target. Evaluate each by itself; compare takes",
        ),
        (["runs", "show", "nothing"], "There are none"),
        (["runs", "show", f"a/{LONG}"], "no run named"),
        (["encode", "a", "--out", "."], "is a folder"),
        (["encode", "a", "--out", "nowhere/v.npy"], "no folder nowhere"),
        (["encode", "a", "--out", "v.csv"], "FILE.npy"),
        (["encode", "a", "--out", LONG], "cannot be a path"),
        (["encode", "a", "--target", LONG], "no backbone or run named"),
        (["encode", "a", "--target", f"a/{LONG}"], "no model folder"),
        (["encode", "a", "--target", NOBODY], "no model folder"),
        (["train", "--backbone", NOBODY], "no model folder"),
        (["train", "--corpus", NOBODY], "cannot be a path"),
        (["train", "--corpus", LONG], "cannot be a path"),
        (["train", "--evaluation.pairs", NOBODY], "cannot be a path"),
        (["train", "--sts-folder", NOBODY], "cannot be a path"),
        (["train", "--evaluation.pairs", "nowhere.tsv"], "no pair file"),
        (["train", "--evaluation.pairs", "."], "is a folder"),
        (["train", "--probe.pairs", "stsb:dev@nowhere"], "no folder nowhere"),
        (["train", "--selection.pairs", "stsb:dev"], "no pair set"),
        (["train", "--sts-folder", "nowhere"], "no folder nowhere"),
        (["train", "--sts-folder", "."], "has no STS task"),
        (["compare", "minilm-l3", "--pairs", f"stsb:dev@{NOBODY}"], "cannot be a path"),
        (["scan", NOBODY], "cannot be a path"),
        (["augment", "eda_swap", "a b", "--corpus", NOBODY], "cannot be a path"),
        (["augment", "eda_swap", "a b", "--corpus", "/nonexistent"], "no file"),
        (["augment", "eda_swap", "a b", "--corpus", "demo:x"], "no demo corpus"),
        (["augment", "eda_swap", "a b", "--draws", "0"], "from 1 to 1"),
        (["augment", "eda_swap", "a b", "--draws", "-1"], "from 1 to 1"),
        (["augment", "eda_swap", "a b", "--draws", "1000000000"], "from 1 to 1"),
    ],
)
def test_a_mistake_is_one_message_and_status_2(words, said, tmp_path, capsys):
    assert main([*words, *(["--runs", str(tmp_path)] if words[0] != "list" or "--nonsense" not in words else [])]) == 2
    out, err = capsys.readouterr()
    assert said in err and len(err.strip().splitlines()) == 1 and "Traceback" not in out + err


@pytest.mark.parametrize("named", [LONG, NOBODY])
def test_an_impossible_runs_folder_is_reported(named, capsys):
    for words in (["runs"], ["train"], ["doctor"], ["encode", "a"]):
        assert main([*words, "--runs", named]) == 2 and "cannot be a path" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_file_of_the_runs_folder_that_may_not_be_used_is_reported(number, tmp_path, capsys, monkeypatch):
    """Wherever it is met, without a traceback; a file elsewhere is no matter of the runs folder."""

    def refused(file):
        def list_sweeps(**given):
            raise OSError(number, os.strerror(number), str(file))

        return list_sweeps

    file = tmp_path / "runs" / ".sweeps" / "a.json"
    monkeypatch.setattr(api, "sweeps", refused(file))
    assert main(["sweep", "list", "--runs", str(tmp_path / "runs")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{file} cannot be used. Got: {os.strerror(number)}.") and len(said.splitlines()) == 1
    monkeypatch.setattr(api, "sweeps", refused(tmp_path / "elsewhere"))
    with pytest.raises(OSError, match="elsewhere"):
        main(["sweep", "list", "--runs", str(tmp_path / "runs")])


def test_a_bad_input_text_is_named_by_its_line(tmp_path, capsys, monkeypatch):
    for words in (["encode"], ["encode", "-"], ["augment", "eda_swap", "-"], ["clusters", "-"]):
        typed(monkeypatch, b"a dog\n\xff\xfe\x00\n")
        assert main([*words, "--runs", str(tmp_path)]) == 2
        assert "not UTF-8 text: line 2" in capsys.readouterr().err
        typed(monkeypatch, b"")
        assert main([*words, "--runs", str(tmp_path)]) == 2
        assert "no text on standard input" in capsys.readouterr().err


@pytest.mark.parametrize("named", ["two", "0", "-1", "1.5"])
def test_a_bad_number_of_threads_is_reported(named, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("WORKBENCH_THREADS", named)
    for words in (["doctor"], ["train", "--detach"]):
        assert main([*words, "--runs", str(tmp_path)]) == 2
        assert "WORKBENCH_THREADS cannot be" in capsys.readouterr().err


def test_a_closed_pipe_ends_the_command_quietly(tmp_path):
    words = [sys.executable, "-m", "workbench", "augment", "eda_swap", *["one two three four five six"] * 20]
    with subprocess.Popen(
        [*words, "--draws", "1000", "--runs", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as made:
        assert made.stdout and made.stderr
        assert made.stdout.readline().strip()
        made.stdout.close()
        assert made.stderr.read() == b"" and made.wait() == 141


def test_one_odd_run_does_not_break_the_list(tmp_path, capsys):
    capsys.readouterr()
    for number, odd in enumerate(({names.STEPS: '{"loss":1.0}'}, {names.EVENTS: '{"event":["x"]}'}, {"state": "[]"})):
        run = create(names.runs_folder(tmp_path), CONFIG)
        for name, text in odd.items():
            path = run.folder / (name if name != "state" else f"{names.CHECKPOINTS}/best/{names.STATE}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(text)
        events.add(run.folder, events.STOPPED)
        assert main(["runs", "--format", "json", "--runs", str(tmp_path)]) == 0
        assert len(json.loads(capsys.readouterr().out)) == number + 1
        assert main(["runs", "show", run.id, "--runs", str(tmp_path)]) == 0
        capsys.readouterr()


def typed(monkeypatch, content):
    """Put bytes on standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_augment_reads_lines_from_standard_input(tmp_path, capsys, monkeypatch):
    typed(monkeypatch, b"a b\n\nall dogs\n")
    assert main(["augment", "eda_swap", "--format", "csv", "-", "--runs", str(tmp_path)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["text"] for row in rows] == ["b a", "", "dogs all"]


def test_every_command_reads_the_same_texts_from_standard_input(warm, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = "\ufeffall dogs\r\none\u2028line\n- a dash\n".encode()
    texts, runs = ["all dogs", "one\u2028line", "- a dash"], ["--runs", str(warm.path)]
    typed(monkeypatch, written)
    assert main(["augment", "eda_swap", "--format", "json", "-", *runs]) == 0
    assert [row["before"] for row in json.loads(capsys.readouterr().out)] == texts
    typed(monkeypatch, written)
    assert main(["encode", "-", "--out", "v.npy", *runs]) == 0
    np.testing.assert_allclose(np.load("v.npy"), api.encode(texts, runs=runs[1]), atol=1e-6)
    capsys.readouterr()
    typed(monkeypatch, written)
    assert main(["search", "a dog", "-", "--format", "json", *runs]) == 0
    assert sorted(row["text"] for row in json.loads(capsys.readouterr().out)) == sorted(texts)
    typed(monkeypatch, written)
    assert main(["neighbours", "-", "--count", "1", "--format", "json", *runs]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


@pytest.mark.parametrize(
    ("words", "asked", "extra"),
    [
        (["augment", "eda_swap", "--rate", "0.5", "a b"], {"texts": ["a b"]}, ["--rate", "0.5"]),
        (["augment", "--rate=0.5", "eda_swap", "a b", "--", "-c"], {"texts": ["a b", "-c"]}, ["--rate=0.5"]),
        (["augment", "eda_swap", "--protect", "a", "a b"], {"texts": ["a b"], "protect": ["a"]}, []),
        (["runs", "export", "first", "--light", "l.zip"], {"run": "first", "more": ["l.zip"], "light": True}, []),
        (["sweep", "tournament", "--seeds", "2", "--dry", "a", "b"], {"names": ["a", "b"], "dry": True}, []),
        (["evaluate", "--folds", "5", "m", "--data", "."], {"target": "m", "data": "."}, ["--folds", "5"]),
        (["train", "--temperature", "--steps", "5"], {"training.steps": "5"}, ["--temperature"]),
        (["app", "--server.port", "8502", "--no-token"], {"no_token": True}, ["--server.port", "8502"]),
    ],
)
def test_flags_may_stand_between_other_words(words, asked, extra):
    found, left = parsed(words[0], words[1:])
    assert {name: vars(found)[name] for name in asked} == asked and left == extra


def test_flags_before_the_command_are_refused(tmp_path, capsys):
    assert main(["--runs", str(tmp_path), "runs"]) == 2
    assert "Flags come after the command runs" in capsys.readouterr().err


def test_an_interrupt_while_the_flags_are_made_is_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("workbench.commands.names", interrupted)
    assert main(["neighbours", "a"]) == 130
    assert "Interrupted." in capsys.readouterr().err


def test_little_is_imported_before_an_interrupt_is_awaited():
    told = (
        "import sys, workbench.__main__; print(*sorted(name for name in sys.modules if name.startswith('workbench')))"
    )
    there = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.split()
    light = {"workbench", "workbench.__main__", "workbench.commands", "workbench.core", "workbench.core.errors"}
    assert set(there) == light


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


def test_from_training_to_vectors(folder, tiny, capsys, tmp_path, monkeypatch):
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
    assert "done, step 6 of 6" in err
    assert "queued" in err or "starting" in err  # a supervisor that runs already may be faster than the first look

    assert main(["runs", "list", "--format", "json", *runs]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["state"] == "done" and row["name"] == "first"
    assert main(["runs", "show", "first", *runs]) == 0
    assert "--temperature 0.1" in capsys.readouterr().out
    assert main(["runs", "resume", "first", *runs]) == 2 and "cannot be resumed" in capsys.readouterr().err
    assert main(["runs", "stop", "first", *runs]) == 2

    assert main(["compare", "first", str(tiny / "bert"), "--pairs", pairs, *runs]) == 0
    out, err = capsys.readouterr()
    for notice in ("The scale of the scores is assumed to be", "the score is transductive"):
        assert notice in err and notice not in out
    assert main(["encode", *TEXTS[:2], "--target", "first", *runs]) == 0
    vectors = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert np.array(vectors).shape == (2, 32)
    assert main(["encode", *TEXTS[:2], "--target", "first", "--out", "v.npy", *runs]) == 0
    np.testing.assert_allclose(np.load("v.npy"), vectors, atol=1e-6)
    capsys.readouterr()
    asked = ["neighbours", *TEXTS[:3], "--target", "first", "--count", "1", "--format", "json", *runs]
    assert main(asked) == 0
    nearest = json.loads(capsys.readouterr().out)
    unit = [vector / np.linalg.norm(vector) for vector in api.encode(TEXTS[:3], target="first", runs=runs[1])]
    assert [near["row"] for near in nearest] == [0, 1, 2] and all(near["rank"] == 1 for near in nearest)
    for near in nearest:
        assert near["cosine"] == pytest.approx(float(unit[near["row"]] @ unit[near["neighbour"]]), abs=1e-5)

    rows = [f"x\t{number % 6}\t{TEXTS[number]}\t{TEXTS[number + 7]}" for number in range(30)]
    (tmp_path / "stsb-test.tsv").write_text("subset\tscore\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "first", "--data", str(tmp_path), *runs]) == 0
    out = capsys.readouterr().out
    assert "stsb" in out and "absent: sts12" in out and "avg" not in out
    assert main(["evaluate", "first", "--data", str(tmp_path), "--format", "json", *runs]) == 0
    assert -1 <= json.loads(capsys.readouterr().out)["tasks"][0]["all"] <= 1
    assert main(["evaluate", "first", "--data", str(tmp_path), "--format", "csv", *runs]) == 0
    assert capsys.readouterr().out.startswith("task,split,n")

    lines = [f"{number % 2}\t{text} {'well' if number % 2 else 'badly'}" for number, text in enumerate(TEXTS[:40])]
    (tmp_path / "mr.tsv").write_text("\n".join(["label\tsentence", *lines, ""]))
    assert main(["evaluate", "first", "--suite", "transfer", "--data", str(tmp_path), "--folds", "2", *runs]) == 0
    out = capsys.readouterr().out
    assert "majority" in out and "50.00" in out and "2 folds" in out and "absent: cr, subj" in out

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
