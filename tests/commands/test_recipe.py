"""A user's recipes on the command line: saved from a run, exported, imported, deleted."""

import io
import json

import pytest

from tests.trial import config_of
from workbench import api
from workbench.__main__ import main
from workbench.store.create import create


def test_a_recipe_survives_saving_exporting_and_importing(folder, tiny, tmp_path, capsys):
    run = create(folder, config_of(tiny, temperature=0.2))
    runs, file = ["--runs", str(folder.path)], tmp_path / "warm.toml"
    assert main(["recipe", "save", run.id, "warm", "--title", "Warmer", *runs]) == 0
    assert "train --recipe warm" in capsys.readouterr().out
    assert main(["recipe", "export", "warm", str(file), *runs]) == 0
    assert str(file) in capsys.readouterr().out and 'id = "warm"' in file.read_text()
    assert main(["recipe", "import", str(file), "--name", "warmer", *runs]) == 0
    capsys.readouterr()
    assert main(["recipe", "--format", "json", *runs]) == 0
    listed = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert (
        listed["warm"] | {"id": ""}
        == listed["warmer"] | {"id": ""}
        == {
            "id": "",
            "of": "own",
            "needs": "sentences",
            "title": "Warmer",
        }
    )
    assert listed["simcse_unsup"]["of"] == "app"
    assert api.recipes(runs=folder.path)["warmer"].terms[0].settings["temperature"] == 0.2
    assert main(["recipe", "delete", "warm", "--yes", "warm", *runs]) == 0
    assert "warm" not in api.recipes(runs=folder.path) and "warmer" in api.recipes(runs=folder.path)


def test_mistakes_give_a_single_message(folder, tiny, tmp_path, capsys, monkeypatch):
    run = create(folder, config_of(tiny))
    runs = ["--runs", str(folder.path)]
    assert main(["recipe", "save", run.id, "mine", *runs]) == 0
    (tmp_path / "bad.toml").write_text("id = 3")
    monkeypatch.chdir(tmp_path)
    for words, said in (
        (["save", run.id], "needs a run and an id"),
        (["save", run.id, "mine"], "already"),
        (["save", run.id, "simcse_unsup"], "built-in recipe"),
        (["save", "nothing", "x"], "no run named"),
        (["export", "mime"], "Did you mean mine"),
        (["import"], "needs a file"),
        (["import", "bad.toml"], "bad.toml"),
        (["delete", "mine", "--yes", "yours"], "Nothing was deleted"),
        (["delete", "simcse_unsup", "--yes", "simcse_unsup"], "of your own"),
    ):
        capsys.readouterr()
        assert main(["recipe", *words, *runs]) == 2
        out, err = capsys.readouterr()
        assert said in err and "Traceback" not in out + err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for words in (["recipe", "delete", "mine"], ["runs", "delete", run.id]):
        capsys.readouterr()
        assert main([*words, *runs]) == 2 and f"--yes {words[-1]}" in capsys.readouterr().err
    assert main(["recipe", "save", run.id, "mine", "--overwrite", *runs]) == 0
    assert main(["recipe", "export", "mine", *runs]) == 0 and (tmp_path / "mine.toml").exists()


@pytest.mark.parametrize(("words", "surplus"), [(["list", "foo"], "foo"), (["delete", "x", "other"], "other")])
def test_a_word_too_many_is_refused(words, surplus, tmp_path, capsys):
    assert main(["recipe", *words, "--runs", str(tmp_path)]) == 2
    assert f"Unrecognised: {surplus}." in capsys.readouterr().err
