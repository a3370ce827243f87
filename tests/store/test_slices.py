"""Slices: what is kept under a name, and what is refused."""

import json

import pytest

from workbench import api
from workbench.core.errors import BadData, BadSetting, UnknownName
from workbench.data.demo import pairs
from workbench.data.pair_sets import taken
from workbench.store import slices
from workbench.store.names import runs_folder


@pytest.fixture
def folder(tmp_path):
    return runs_folder(tmp_path / "runs")


def kept(folder, name="Hard ones", rows=(5, 3, 3, 9)):
    return slices.save(folder, name, "demo:dev", pairs("dev"), rows)


def test_a_slice_is_read_back_with_its_rows_in_order(folder):
    made = kept(folder, "  Hard   ones ")
    assert made.name == "Hard ones" and made.rows == (3, 5, 9) and made.pairs == "demo:dev"
    assert slices.find(folder, "hard ONES") == made
    assert slices.all_slices(folder) == [made]
    assert slices.rows_in(made, pairs("dev")) == [3, 5, 9]


def test_rows_of_a_set_that_changed_are_refused(folder):
    made = kept(folder)
    with pytest.raises(BadData, match="not those of"):
        slices.rows_in(made, taken(pairs("dev"), range(20), ""))
    flipped = pairs("dev").gold[::-1].copy()
    from dataclasses import replace

    assert slices.content_of(replace(pairs("dev"), gold=flipped)) != made.content


@pytest.mark.parametrize("rows", [[], [-1], [10**6]])
def test_rows_that_the_set_lacks_are_refused(folder, rows):
    with pytest.raises(BadData):
        kept(folder, rows=rows)
    assert not slices.all_slices(folder)


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\x00b"])
def test_a_name_that_cannot_be_kept_is_refused(folder, name):
    with pytest.raises(BadSetting, match="needs a name"):
        kept(folder, name)


def test_a_name_that_windows_has_no_file_for_is_refused(folder):
    with pytest.raises(BadSetting, match="cannot be called CON"):
        kept(folder, "CON")
    made = kept(folder)
    with pytest.raises(BadSetting, match="cannot be called aux"):
        slices.rename(folder, made.name, "aux")


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".", "漢字", "auxiliary", "a" * 60, "ΑΒΓ", "-"])
def test_any_other_name_has_a_file_in_the_folder_of_slices(folder, name):
    made = kept(folder, name)
    (file,) = folder.slices.iterdir()
    assert file.parent == folder.slices and file.suffix == ".json" and len(file.name) < 100
    assert slices.find(folder, name) == made


def test_two_names_that_look_alike_have_their_own_files(folder):
    kept(folder, "a b")
    kept(folder, "a-b", rows=[1])
    assert [made.name for made in slices.all_slices(folder)] == ["a b", "a-b"]
    with pytest.raises(BadSetting, match="already a slice"):
        kept(folder, "A  B")


def test_a_slice_is_renamed_and_deleted(folder):
    kept(folder)
    kept(folder, "other", rows=[1])
    with pytest.raises(BadSetting, match="already"):
        slices.rename(folder, "Hard ones", "Other")
    assert slices.rename(folder, "hard ones", "HARD ones").name == "HARD ones"
    renamed = slices.rename(folder, "hard ones", "Worst")
    assert [made.name for made in slices.all_slices(folder)] == ["other", "Worst"] and renamed.rows == (3, 5, 9)
    slices.delete(folder, "worst")
    with pytest.raises(UnknownName, match="no slice named 'worst'"):
        slices.delete(folder, "worst")
    assert len(list(folder.slices.iterdir())) == 1


def test_a_damaged_file_is_no_slice(folder):
    kept(folder)
    (file,) = folder.slices.iterdir()
    for content in ("", "{", "[]", json.dumps({"name": "Hard ones"}), file.read_text().replace("[", "[-1, ")):
        file.write_text(content)
        assert slices.all_slices(folder) == []
        with pytest.raises(UnknownName):
            slices.find(folder, "Hard ones")


def test_no_more_are_kept_than_a_folder_may_have(folder, monkeypatch):
    monkeypatch.setattr(slices, "MOST", 1)
    kept(folder)
    with pytest.raises(BadSetting, match="There are 1 slices"):
        kept(folder, "one more")


def test_the_api_names_the_set_by_its_full_path(folder, tmp_path):
    file = tmp_path / "own.tsv"
    rows = "\n".join(f"{row % 5}\tfirst {row}\tsecond {row}" for row in range(6))
    file.write_text(f"score\tsentence1\tsentence2\n{rows}\n")
    made = api.save_slice("own", file, [0, 1], runs=folder.path)
    assert made.pairs == str(file) and api.slices(runs=folder.path) == [made]
    assert api.rename_slice("own", "mine", runs=folder.path).name == "mine"
    api.delete_slice("mine", runs=folder.path)
    assert api.slices(runs=folder.path) == []
