import os

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.api import keeping
from workbench.core.errors import BadRun, UnknownName
from workbench.scheduler.queue import Queue
from workbench.store import lookup, names
from workbench.store.names import runs_folder
from workbench.store.run import Run


@pytest.fixture
def place(tmp_path):
    return runs_folder(tmp_path / "runs")


def test_names_are_read_again_once_the_folder_has_changed(place, monkeypatch):
    first = make_run(place).id
    assert place.newest_names() == (first,)
    second = make_run(place, 1).id  # within the same moment
    assert place.newest_names() == (second, first)
    os.utime(place.path, (0, 0))  # long ago
    assert place.newest_names() == (second, first)
    monkeypatch.setattr(type(place), "run_names", lambda self: pytest.fail("read again"))
    assert place.newest_names() == (second, first)
    monkeypatch.undo()
    (place.path / first).rename(place.path.parent / first)
    assert place.newest_names() == (second,)


def test_the_newest_are_taken_and_those_that_are_named(place):
    made = [make_run(place, number) for number in range(5)]
    assert [run.id for run in lookup.all_runs(place, 1, also=[made[0].id])] == [made[4].id, made[0].id]
    (place.path / "20270101-not-a-run").mkdir()
    assert len(lookup.all_runs(place)) == 5


def test_thousands_that_wait_do_not_hide_what_has_ended(place, monkeypatch):
    ended = make_run(place)
    for number in range(1, 9):
        make_run(place, number, state="queued")
    queue = Queue(place)
    queue.reindex()
    for _ in range(3):
        queue.claim(lambda *_: "cpu")
    monkeypatch.setattr(keeping, "_FEW", 1)
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    assert [run.id for run in api.runs(place.path, newest=3, waiting=False)] == [queue.claimed()[0], ended.id]
    assert ended.id not in [run.id for run in api.runs(place.path, newest=3)]


def test_a_label_is_found_without_checking_every_configuration(place, monkeypatch):
    made = [make_run(place, number, name="rate doubled" if number == 2 else "") for number in range(5)]
    api.rename(made[0], "étude  “rate”", runs=place.path)
    checked = []
    config = type(made[0]).config.func
    monkeypatch.setattr(Run, "config", property(lambda run: checked.append(run.id) or config(run)))
    assert lookup.find(place, "rate doubled").id == made[2].id and set(checked) == {made[2].id}
    assert lookup.find(place, made[0].name).id == made[0].id
    api.rename(made[1], "rate doubled", runs=place.path)
    with pytest.raises(BadRun, match=r"'rate doubled' matches 2 runs\."):
        lookup.find(place, "rate doubled")


def test_a_run_is_found_by_its_id_without_the_date_unless_that_is_a_label(place):
    made = [make_run(place, number) for number in range(3)]
    for end in (made[1].id.split("-", 2)[2], "0001"):
        assert lookup.find(place, end).id == made[1].id
    api.rename(made[2], "0001", runs=place.path)
    assert lookup.find(place, "0001").id == made[2].id
    with pytest.raises(UnknownName):
        lookup.find(place, "001")


def test_a_label_of_any_letters_is_found_and_a_word_of_every_configuration_is_no_label(place, monkeypatch):
    made = [make_run(place, number, name="對比學習" if number == 1 else "") for number in range(7)]
    api.rename(made[2], 'say "é"', runs=place.path)
    path = made[3].folder / names.CONFIG
    path.write_text(path.read_text().replace('name = ""', 'name = "\\u6642"', 1))  # by hand
    checked = []
    config = type(made[0]).config.func
    monkeypatch.setattr(Run, "config", property(lambda run: checked.append(run.id) or config(run)))
    assert lookup.find(place, "對比學習").id == made[1].id and lookup.find(place, "時").id == made[3].id
    assert lookup.find(place, 'say "é"').id == made[2].id and set(checked) == {made[1].id, made[3].id}
    with pytest.raises(UnknownName, match="There is no run named 'simcse_unsup'"):
        lookup.find(place, "simcse_unsup")
    with pytest.raises(UnknownName, match=r"Known: [^,]*(, [^,]*){4} and 2 more\.$"):
        lookup.find(place, "時間")
    assert set(checked) == {made[1].id, made[3].id}


def test_runs_that_mention_another_are_found(place):
    first, second = make_run(place), make_run(place, 1)
    path = second.folder / names.CONFIG
    path.write_text(path.read_text().replace('backbone = "minilm-l3"', f'backbone = "{first.folder}/model"'))
    assert [run.id for run in lookup.mentioning(place, first.id)] == [second.id]
