"""Texts given as paths that no path can have."""

import pytest

from workbench.core import paths
from workbench.core.errors import BadSetting
from workbench.data.pairs import load_pairs
from workbench.data.sources import split_source
from workbench.models.cards import locate


def test_what_is_there_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a").write_text("")
    assert paths.existing("~/a") == tmp_path / "a" and paths.existing(tmp_path) == tmp_path
    assert paths.existing(tmp_path / "b") is None and paths.existing("a\0b") is None
    for fine in ("nowhere", "~/a", "", "a" * 200):
        paths.check(fine)


@pytest.mark.parametrize("bad", ["x" * 300, "y/" + "x" * 5000, "~nobody-has-this-name", "a\0b"])
def test_a_path_that_no_file_can_have_is_reported(bad):
    assert paths.existing(bad) is None
    for look in (paths.check, paths.check_writable):
        with pytest.raises(BadSetting, match="cannot be a path") as caught:
            look(bad)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("address", ["https://a.org/b.csv", "s3://bucket/b.txt", "file:///b"])
def test_an_address_is_not_called_a_missing_file(address):
    for look in (lambda: split_source(address), lambda: load_pairs(address), lambda: locate(address)):
        with pytest.raises(BadSetting, match="is an address"):
            look()
    for path in ("a/b", "C:/a", "hf:org/name", "C://a"):
        paths.refuse_address(path)


def test_a_file_to_write_is_checked_first(tmp_path):
    assert paths.check_writable(tmp_path / "new.npy") == tmp_path / "new.npy"
    (tmp_path / "old.npy").write_text("")
    assert paths.check_writable(tmp_path / "old.npy").exists()
    with pytest.raises(BadSetting, match="is a folder"):
        paths.check_writable(tmp_path)
    with pytest.raises(BadSetting, match="no folder"):
        paths.check_writable(tmp_path / "old.npy" / "x")
