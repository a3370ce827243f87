"""The command that prints the film of a run, or writes it as a file."""

import pytest

from tests.plugins.real_runs import end_processes
from tests.run_folders import film_run, make_run
from workbench.__main__ import main
from workbench.film.document import document
from workbench.film.tables import film_tables


@pytest.fixture
def run(folder):
    yield film_run(make_run(folder))
    end_processes(folder)


def test_it_prints_a_row_for_each_frame_and_writes_one_file(run, folder, tmp_path, capsys):
    assert main(["film", run.id, "--runs", str(folder.path), "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step,loss,spearman,mean_cosine") and [line.split(",")[0] for line in lines[1:]] == [
        "0",
        "10",
        "20",
    ]
    path = tmp_path / "film.html"
    assert main(["film", run.id, "--runs", str(folder.path), "--html", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == document(film_tables(run)) and str(path) in capsys.readouterr().out


def test_a_run_without_frames_and_what_is_no_run_are_refused(folder, capsys):
    old = make_run(folder, 1)
    assert main(["film", old.id, "--runs", str(folder.path)]) != 0
    assert "Train it again" in capsys.readouterr().err
    assert main(["film", "mini-mlm", "--runs", str(folder.path)]) != 0
    assert "mini-mlm" in capsys.readouterr().err
