"""The command that writes the lesson."""

import pytest

from workbench.__main__ import main
from workbench.lesson.document import document


def test_it_writes_one_file(tmp_path, capsys):
    path = tmp_path / "mine.html"
    assert main(["lesson", "--html", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == document()
    assert str(path) in capsys.readouterr().out


@pytest.mark.parametrize("path", ["", "nowhere/lesson.html"])
def test_a_place_that_cannot_be_written_is_refused(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lesson", "--html", str(tmp_path / path)]) != 0
    assert "Traceback" not in capsys.readouterr().err
