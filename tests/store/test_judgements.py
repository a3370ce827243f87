import json
import subprocess
import sys

import pytest

from workbench import api
from workbench.core.errors import BadSetting, UnknownName
from workbench.store import judgements
from workbench.store.names import runs_folder

PAIR = {"pair": "p1", "pipeline": "eda_swap(rate=0.1)", "title": "Swap", "before": "a b", "text": "b a", "cosine": 0.9}


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def pair(number):
    return {**PAIR, "pair": f"p{number}"}


def test_a_judgement_is_written_at_once(folder):
    judgements.add(folder, "Ann", PAIR, "same")
    (path,) = folder.judgements.iterdir()
    assert path.name == "ann.jsonl"
    row = json.loads(path.read_text())
    assert (row["judge"], row["pair"], row["verdict"]) == ("Ann", "p1", "same")
    assert judgements.of_judge(folder, " ann ")["p1"]["text"] == "b a"


def test_a_judgement_makes_nobody_read_the_others_again(folder, monkeypatch):
    for number in range(50):
        judgements.add(folder, "Ann", pair(number), "same")
    assert len(judgements.of_judge(folder, "Ann")) == 50
    read, original = [], judgements.fitting
    monkeypatch.setattr(judgements, "fitting", lambda shape, row: read.append(row) or original(shape, row))
    judgements.add(folder, "Ann", pair(50), "broken")
    found = judgements.of_judge(folder, "Ann")
    assert list(found)[-1] == "p50" and len(found) == 51 and len([row for row in read if row]) == 1
    found.clear()
    assert judgements.undo(folder, "Ann") == "p50" and len(judgements.of_judge(folder, "Ann")) == 50
    judgements.file_of(folder, "Ann").unlink()
    assert judgements.of_judge(folder, "Ann") == {}


def test_the_latest_judgement_of_a_pair_counts(folder):
    judgements.add(folder, "Ann", PAIR, "same")
    judgements.add(folder, "Ann", pair(2), "same")
    judgements.add(folder, "Ann", PAIR, "broken")
    found = judgements.of_judge(folder, "Ann")
    assert list(found) == ["p2", "p1"] and found["p1"]["verdict"] == "broken"


def test_undo_takes_back_one_after_the_other(folder):
    for number in range(3):
        judgements.add(folder, "Ann", pair(number), "same")
    assert [judgements.undo(folder, "Ann") for _ in range(4)] == ["p2", "p1", "p0", ""]
    assert judgements.everything(folder) == []
    assert len(judgements.file_of(folder, "Ann").read_text().splitlines()) == 6  # nothing is ever erased


def test_a_truncated_line_loses_only_itself(folder):
    judgements.add(folder, "Ann", PAIR, "same")
    judgements.add(folder, "Ann", pair(2), "changed")
    path = judgements.file_of(folder, "Ann")
    path.write_bytes(path.read_bytes()[:-25])
    assert list(judgements.of_judge(folder, "Ann")) == ["p1"]
    judgements.add(folder, "Ann", pair(3), "broken")
    assert list(judgements.of_judge(folder, "Ann")) == ["p1", "p3"]
    with path.open("ab") as file:
        file.write(b'{"verdict": "same"}\n[1]\n\xff\xfe\n')
    assert list(judgements.of_judge(folder, "Ann")) == ["p1", "p3"]


def test_many_processes_append_at_once(folder):
    code = (
        "import sys; from workbench.store import judgements; from workbench.store.names import runs_folder;"
        "folder = runs_folder(sys.argv[1]); who = sys.argv[2];"
        f"pair = {PAIR!r};"
        "[judgements.add(folder, 'Ann', {**pair, 'pair': f'{who}{n}'}, 'same') for n in range(100)]"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(folder.path), who]) for who in "xyz"]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert len(judgements.of_judge(folder, "Ann")) == 300


@pytest.mark.parametrize("name", ["../../etc", "a/b", "李雷", "Ann.", "..", "x" * 60])
def test_a_name_never_leads_outside_its_folder(folder, name):
    judgements.add(folder, name, PAIR, "same")
    (path,) = folder.judgements.iterdir()
    assert path.parent == folder.judgements and path.suffix == ".jsonl"
    assert judgements.everything(folder)[0]["judge"] == name


def test_names_that_a_file_system_confuses_have_separate_files(folder):
    for name in ("李雷", "韩梅梅", "a b", "a-b"):
        judgements.add(folder, name, PAIR, "same")
    assert len(list(folder.judgements.iterdir())) == 4


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_a_judge_needs_a_name(folder, name):
    with pytest.raises(BadSetting):
        judgements.add(folder, name, PAIR, "same")


def test_the_api_writes_undoes_and_lists(folder):
    api.judge("Ann", PAIR, "same", runs=folder.path)
    api.judge("Ben", PAIR, "changed", runs=folder.path)
    table = api.judgements(runs=folder.path)
    assert table[["judge", "pair", "verdict"]].to_numpy().tolist() == [["Ann", "p1", "same"], ["Ben", "p1", "changed"]]
    api.judge("Ben", PAIR, "undo", runs=folder.path)
    assert api.judgements(runs=folder.path)["judge"].tolist() == ["Ann"]
    with pytest.raises(UnknownName):
        api.judge("Ann", PAIR, "sane", runs=folder.path)
