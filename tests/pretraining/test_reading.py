import gzip
import lzma
import tracemalloc

import pytest

from workbench.core.errors import BadData
from workbench.pretraining import reading
from workbench.pretraining.reading import articles

TEXT = "One.\nTwo.\n\n\nThree.\n"


def test_articles_are_separated_by_empty_lines(tmp_path):
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


def test_a_file_that_is_not_text_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 100)
    monkeypatch.setattr(reading, "_MOST", 402)
    path = tmp_path / "a.txt"
    for content, message in (
        (b"fine\nnot \0 text\n", "a.txt is not text: line 2"),
        (b"fine\n\xff\xfe\n", "a.txt is not UTF-8 text: line 2"),
        (b"fine\n" + b"x" * 101 + b"\n", "Line 2 of a.txt is longer than 100"),
        (b"x" * 5000, "Line 1 of a.txt is longer than 100"),
        (b"fine\n" + "中".encode() * 101, "Line 2 of a.txt is longer than 100"),
        ("x中".encode() * 5000, "Line 1 of a.txt is longer than 100"),
        ("one\n\ntwo".encode("utf-16"), "a.txt is UTF-16 text. Save it as UTF-8"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadData, match=message):
            list(articles([path]))
    with pytest.raises(BadData, match=r"gone.txt cannot be read"):
        list(articles([tmp_path / "gone.txt"]))


def test_the_longest_line_is_read_whole_in_every_script(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 100)
    monkeypatch.setattr(reading, "_MOST", 402)
    path, longest = tmp_path / "a.txt", ["x" * 100, "中" * 100, "𝄞" * 100]
    path.write_bytes("\r\n".join(longest).encode())
    assert list(articles([path])) == [longest]


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff\none\n\ntwo".encode())
    assert list(articles([path])) == [["one"], ["two"]]


@pytest.mark.parametrize(("name", "pack"), [("A.TXT.XZ", lzma.compress), ("A.Gz", gzip.compress), ("A.TXT", bytes)])
def test_an_ending_in_capitals_works_too(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(TEXT.encode()))
    assert list(articles([path])) == [["One.", "Two."], ["Three."]]


@pytest.mark.parametrize(("ending", "pack"), [("xz", lzma.compress), ("gz", gzip.compress)])
def test_a_packed_file_damaged_anywhere_is_named(tmp_path, ending, pack):
    path = tmp_path / f"a.txt.{ending}"
    whole = pack("".join(f"line {number}\n\n" for number in range(2000)).encode())
    for place in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:place] + bytes(255 - byte for byte in whole[place : place + 20]) + whole[place + 20 :])
        try:
            list(articles([path]))
        except BadData as error:
            assert "a.txt" in str(error)


def test_an_empty_line_ends_the_lines_that_were_articles(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "WITHOUT_BREAK", 3)
    path = tmp_path / "a.txt"
    path.write_text("1\n2\n3\n4\n\n\n5\n6\n\n7\n", encoding="utf-8")
    assert list(articles([path])) == [["1"], ["2"], ["3"], ["4"], ["5", "6"], ["7"]]


def test_few_lines_without_an_empty_one_can_be_too_many_characters(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_ARTICLE", 10)
    path = tmp_path / "a.txt"
    path.write_text("one two\nthree\nfour\n\nfive\nsix\n", encoding="utf-8")
    assert list(articles([path])) == [["one two"], ["three"], ["four"], ["five", "six"]]


def test_memory_does_not_grow_with_an_article(tmp_path):
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress((b"x" * 200_000 + b"\n") * 400))
    tracemalloc.start()
    try:
        assert sum(len(article) for article in articles([path])) == 400
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
