"""Dividing a file of pairs, as a function and as a command."""

import pytest

from workbench import api
from workbench.__main__ import main
from workbench.core.errors import BadSetting
from workbench.data.pairs import load_pairs


@pytest.fixture
def own(tmp_path):
    rows = [f"{row % 6}\ta dog, number {row}\ta cat, number {row}\n" for row in range(40)]
    (tmp_path / "own.tsv").write_text("score\tsentence1\tsentence2\n" + "".join(rows))
    return tmp_path / "own.tsv"


def test_the_function_says_what_went_where(own, tmp_path):
    table = api.split_pairs(own, out=tmp_path / "out.csv", dev=0.1, test=0.2, seed=3, runs=tmp_path / "runs")
    assert table[["split", "pairs", "sentences", "share"]].values.tolist() == [
        ["train", 28, 56, 0.7],
        ["dev", 4, 8, 0.1],
        ["test", 8, 16, 0.2],
    ]
    assert table.attrs["file"] == str(tmp_path / "out.csv") and len(load_pairs(tmp_path / "out.csv")) == 8
    assert api.split_pairs(own, runs=tmp_path / "runs").attrs["file"] == str(tmp_path / "own.split.tsv")
    with pytest.raises(BadSetting, match="shares of dev and test"):
        api.split_pairs(own, dev=0, test=0, runs=tmp_path / "runs")
    with pytest.raises(BadSetting, match=r"out\.txt cannot be written"):
        api.split_pairs(own, out="out.txt", runs=tmp_path / "runs")


def test_the_command_writes_the_copy(own, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    assert main(["split_pairs", str(own), "--out", str(out), "--test", "0.5", "--runs", str(tmp_path / "runs")]) == 0
    shown = capsys.readouterr()
    assert [line.split()[:2] for line in shown.out.splitlines()[1:]] == [["train", "16"], ["dev", "4"], ["test", "20"]]
    assert f"Written to {out}." in shown.err and len(load_pairs(f"{out}#test")) == 20
