import gzip
import lzma

import pytest

from workbench.core.errors import BadData
from workbench.pretraining import reading
from workbench.pretraining.reading import articles

TEXT = "One.\nTwo.\n\n\nThree.\n"


def test_articles_are_parted_by_empty_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert list(articles([path, path])) == [["One.", "Two."], ["Three."], ["One.", "Two."], ["Three."]]


@pytest.mark.parametrize(("ending", "pack"), [("xz", lzma.compress), ("gz", gzip.compress)])
def test_packed_files_read_the_same_and_a_cut_one_is_named(tmp_path, ending, pack):
    path = tmp_path / f"a.txt.{ending}"
    path.write_bytes(pack(f"{TEXT}\n".encode() * 2000))
    assert len(list(articles([path]))) == 4000
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadData, match=f"a.txt.{ending} cannot be unpacked"):
        list(articles([path]))


def test_without_an_empty_line_each_line_is_an_article(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "WITHOUT_BREAK", 5)
    path = tmp_path / "a.txt"
    path.write_text("\n".join(f"line {number}" for number in range(12)), encoding="utf-8")
    assert list(articles([path])) == [[f"line {number}"] for number in range(12)]


def test_what_is_no_text_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 100)
    path = tmp_path / "a.txt"
    for content, message in (
        (b"fine\nnot \0 text\n", "a.txt is not text: line 2"),
        (b"fine\n\xff\xfe\n", "a.txt is not UTF-8 text: line 2"),
        (b"fine\n" + b"x" * 101 + b"\n", "Line 2 of a.txt is longer than 100"),
        (b"x" * 5000, "Line 1 of a.txt is longer than 100"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadData, match=message):
            list(articles([path]))
    with pytest.raises(BadData, match=r"gone.txt cannot be read"):
        list(articles([tmp_path / "gone.txt"]))
