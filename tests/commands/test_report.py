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
