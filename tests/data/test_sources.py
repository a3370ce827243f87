import os
from pathlib import Path

import pytest

from workbench.core.errors import BadData, BadSetting, OutsideFolders, WorkbenchError
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.pairs import load_pairs
from workbench.data.sources import resolve_inside, split_source
from workbench.data.strata import load_grouped
from workbench.data.sts import present


def test_resolve_inside(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.txt").write_text("a")
    (outside / "b.txt").write_text("b")
    assert resolve_inside(inside / "a.txt", [inside]) == (inside / "a.txt").resolve()
    assert resolve_inside(outside / "b.txt", None) == (outside / "b.txt").resolve()
    for path in (outside / "b.txt", inside / ".." / "out" / "b.txt", tmp_path / "in2", "/", "a\0b"):
        with pytest.raises(OutsideFolders, match="may not be read"):
            resolve_inside(path, [inside])
    with pytest.raises(OutsideFolders):
        resolve_inside(inside / "a.txt", [])
    assert resolve_inside(inside / ".keys" / "b.txt", [inside / ".keys"]).name == "b.txt"
    for hidden in (inside / ".keys" / "b.txt", inside / "c" / ".b.txt"):
        with pytest.raises(OutsideFolders) as refused:
            resolve_inside(hidden, [inside, inside / "sub"])
        assert f"read from: {inside.resolve()}; not where" in str(refused.value), "a folder inside another is not named"


def test_what_follows_the_last_number_sign_is_no_part_of_a_name(tmp_path):
    path = tmp_path / "a#b.txt"
    path.write_text("a")
    assert split_source(path) == (path.resolve(), None)
    assert split_source(f"{path}#dev") == (path.resolve(), "dev")
    assert split_source(tmp_path / "c.txt#dev") == ((tmp_path / "c.txt").resolve(), "dev")


def test_names_unlike_the_one_typed_are_not_suggested(tmp_path):
    (tmp_path / "sentences.tsv").write_text("a")
    with pytest.raises(BadData, match=r"Did you mean sentences\.tsv\?"):
        examine(tmp_path / "sentence.tsv")
    with pytest.raises(BadData, match="Check the path"):
        examine(tmp_path / "quora.csv")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_that_lead_outside_are_refused(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out.txt"
    inside.mkdir()
    outside.write_text("secret")
    (inside / "link.txt").symlink_to(outside)
    (inside / "loop").symlink_to(inside / "loop")
    with pytest.raises(OutsideFolders):
        resolve_inside(inside / "link.txt", [inside])
    with pytest.raises(
        (OutsideFolders, BadSetting)
    ):  # from Python 3.13 on, a loop of links can be resolved, but not be read
        examine(resolve_inside(inside / "loop", [inside]))
    allowed = tmp_path / "allowed"  # an allowed folder may itself be a link
    allowed.symlink_to(inside)
    (inside / "a.txt").write_text("a")
    assert resolve_inside(allowed / "a.txt", [allowed]) == Path(inside / "a.txt").resolve()


@pytest.mark.parametrize(
    "typed", ["x#" + "y" * 5000, "x" * 5000, "x" * 5000 + "#y", "~nobody-has-this-name/x#y", "a\0b#c"]
)
def test_invalid_paths_are_reported_wherever_a_file_is_named(typed):
    for read in (
        load_corpus,
        load_pairs,
        load_grouped,
        present,
        lambda path: load_corpus(f"texts:{path}"),
        lambda path: load_pairs(f"stsb:dev@{path}"),
    ):
        with pytest.raises(WorkbenchError) as caught:
            read(typed)
        assert len(str(caught.value)) < 400
