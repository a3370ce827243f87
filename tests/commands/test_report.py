"""The command that writes a report."""

import pytest

from workbench.__main__ import main


def test_it_writes_the_folder_and_says_where(warm, tmp_path, capsys):
    out = tmp_path / "mine"
    runs = ["--runs", str(warm.path)]
    assert main(["report", "tfidf", "minilm-l3", "--no-texts", "--out", str(out), *runs]) == 0
    assert str(out / "report.html") in capsys.readouterr().out
    assert (out / "report.md").is_file() and (tmp_path / "mine.zip").is_file()
    assert not (out / "tables" / "examples.csv").exists()
    assert main(["report", "tfidf", "--out", str(out), *runs]) != 0
    assert "exists" in capsys.readouterr().err


def test_it_needs_a_target():
    with pytest.raises(SystemExit):
        main(["report"])


def test_it_compares_within_the_groups_that_are_asked_for(warm, tmp_path, capsys):
    from workbench import api
    from workbench.core.errors import BadSetting

    runs, out = str(warm.path), tmp_path / "by"
    asked = ["report", "tfidf", "minilm-l3", "--no-texts", "--by", "length", "--out", str(out), "--runs", runs]
    assert main(asked) == 0
    assert "--by length" in (out / "report.md").read_text(encoding="utf-8")
    usual = api.report(["tfidf", "minilm-l3"], tmp_path / "usual", texts=False, by="genre", runs=runs)
    assert "--by genre" in (usual / "report.md").read_text(encoding="utf-8")
    with pytest.raises(BadSetting, match="nonsense"):
        api.report(["tfidf"], tmp_path / "no", by="nonsense", runs=runs)
    assert not (tmp_path / "no").exists()
