"""`train --dry-run`: what a run needs is printed, and none is queued."""

import csv
import io
import json
import shutil
from types import SimpleNamespace

import pytest

from workbench import api
from workbench.__main__ import main


def words(tiny, warm, *more):
    given = [
        "--backbone",
        str(tiny / "bert"),
        "--corpus",
        str(tiny / "corpus.txt"),
        "--steps",
        "7",
        "--batch-size",
        "8",
    ]
    pairs = ["--evaluation.pairs", str(tiny / "pairs.tsv"), "--selection.pairs", str(tiny / "pairs.tsv")]
    return ["train", *given, *pairs, "--runs", str(warm.path), "--dry-run", *more]


def test_time_memory_disk_and_overlap_are_printed_and_nothing_is_queued(warm, tiny, capsys):
    assert main(words(tiny, warm, "--format", "json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == 7 and found["seconds"] == pytest.approx(7 * found["seconds_per_step"])
    weights = sum(file.stat().st_size for file in (tiny / "bert").glob("*.safetensors"))
    assert 4 * weights < found["disk_bytes"] < 10 * weights and found["disk_free_bytes"] > found["disk_bytes"]
    assert found["needed_bytes"] > 0 and found["device"] == "cpu"
    told = "All 48 sentences of pairs.tsv were among the training texts: the score is transductive."
    assert found["overlap"] == [told]
    assert not api.runs(warm.path)


def test_what_would_be_refused_and_what_must_be_accepted_is_said(warm, tiny, capsys, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert main(words(tiny, warm, "--dropout", "0")) == 0
    said = capsys.readouterr().out
    assert "time: 7 steps of" in said and "memory: " in said and "of 0.0 MB free" in said
    assert "It would be refused: too little room on the disk" in said and "to be accepted, --accept " in said
    assert main(words(tiny, warm, "--format", "csv")) == 0
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["steps"] == "7" and row["disk_free_bytes"] == "1000"


def test_rows_that_are_left_out_are_named_and_what_cannot_start_is_refused(warm, tiny, tmp_path, capsys):
    file = tmp_path / "own.csv"
    rows = [f"a dog number {row},a hound number {row}{',more' * (row % 10 == 0)}" for row in range(60)]
    file.write_text("\n".join(["text,positive", *rows]) + "\n", encoding="utf-8")
    asked = [*words(tiny, warm), "--corpus", str(file)]
    assert main(asked) == 0
    assert "own.csv: 6 rows were left out (3 columns instead of 2: 6, first in row 2)." in capsys.readouterr().out
    assert main([*asked, "--processes", "3"]) == 2
    assert "A batch of 8 cannot be shared by 3 processes" in capsys.readouterr().err
