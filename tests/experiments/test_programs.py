"""Each experiment is a program: `python -m experiments.NAME`."""

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.evidence import main
from workbench.__main__ import exit_status

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["demo", "bench", "evidence", "evidence.card"])
def test_a_program_has_help_and_refuses_nonsense(name):
    def said(*words):
        command = [sys.executable, "-m", f"experiments.{name}", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    help_ = said("--help")
    assert help_.returncode == 0 and f"experiments.{name}" in help_.stdout and "--data" in help_.stdout
    assert said("--nonsense").returncode == 2


@pytest.mark.parametrize(("words", "said"), [(["--minutes", "-1"], "from 0"), (["--out", "file"], "is not a folder")])
def test_evidence_checks_what_it_takes(words, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert exit_status(lambda: main(["--list", *words])) == 2 and said in capsys.readouterr().err
