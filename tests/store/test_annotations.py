"""Name, tags and note of a run, in a file of their own."""

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadSetting
from workbench.core.writing import write_json, write_text
from workbench.store import annotations, listed, lookup, names
from workbench.store.run import Run


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def again(run):
    return Run(run.folder)


def test_a_new_name_counts_everywhere_and_leaves_the_configuration(folder):
    run = make_run(folder, name="before")
    text = (run.folder / names.CONFIG).read_bytes()
    assert listed.rows([run])[0].name == "before"
    api.rename(run, "  after   that ")
    assert (again(run).label, again(run).config.name) == ("after that", "before")
    assert listed.rows([again(run)])[0].name == "after that", "at once, although the row was read a moment ago"
    assert lookup.find(folder, "after that").id == run.id
    assert (run.folder / names.CONFIG).read_bytes() == text
    api.rename(run, "")
    assert again(run).label == "before"


def test_tags_are_a_set_in_order(folder):
    run = make_run(folder)
    api.tag(run, "paper", "baseline, paper", " two  words ")
    assert again(run).annotations.tags == ("baseline", "paper", "two words")
    api.untag(run, "paper", "unknown")
    assert listed.rows([again(run)])[0].tags == ("baseline", "two words")


def test_a_note_is_replaced_and_removed(folder):
    run = make_run(folder)
    api.tag(run, "kept")
    api.note(run, "Rate too high,\nsee seed 3.\n")
    assert again(run).annotations.note == "Rate too high,\nsee seed 3."
    api.note(run, "")
    assert again(run).annotations == annotations.Annotations(tags=("kept",))


@pytest.mark.parametrize(
    "write",
    [
        lambda run: api.rename(run, "a, b"),
        lambda run: api.rename(run, "x" * 81),
        lambda run: api.tag(run, "x" * 31),
        lambda run: api.tag(run, *map(str, range(21))),
        lambda run: api.note(run, "x" * 2001),
        lambda run: api.note(run, "half \ud800"),
    ],
)
def test_what_is_too_long_or_not_a_name_is_refused_and_changes_nothing(folder, write):
    run = make_run(folder)
    api.tag(run, "kept")
    with pytest.raises(BadSetting):
        write(run)
    assert again(run).annotations == annotations.Annotations(tags=("kept",))


def test_a_damaged_file_costs_only_what_is_damaged(folder):
    run = make_run(folder, name="given")
    file = run.folder / names.ANNOTATIONS
    write_json(file, {"name": "a, b", "tags": ["fine", 3, "", "x" * 99], "note": ["not", "text"]})
    assert again(run).annotations == annotations.Annotations(tags=("fine",)) and again(run).label == "given"
    assert any(names.ANNOTATIONS in line for line in again(run).damage)
    write_text(file, "{")
    assert again(run).annotations == annotations.Annotations()


def test_annotations_travel_with_an_archive(folder, tmp_path):
    run = make_run(folder)
    api.tag(api.rename(run, "renamed"), "paper")
    api.export_run(run, tmp_path / "run.zip", weights=False)
    there = api.import_run(tmp_path / "run.zip", runs=tmp_path / "elsewhere")
    assert (there.label, there.annotations.tags) == ("renamed", ("paper",))
