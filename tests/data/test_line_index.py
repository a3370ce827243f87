"""Texts that are read from a large file by row: the same as those of the file read whole."""

import gc
import gzip
import tracemalloc

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.core.errors import BadData
from workbench.data import line_index
from workbench.data.cleaning import Cleaner
from workbench.data.corpora import load_corpus
from workbench.data.dropped import dropped_rows
from workbench.data.files import examine
from workbench.data.line_index import LineTexts, line_texts

LINES = st.lists(
    st.text(st.sampled_from("ab é\t\u00a0\u2028\u3000\x00\x07\x1c\x85\ufeff\ufffd😀,"), max_size=12).map(
        lambda line: line.replace("\x00", "")
    ),
    min_size=1,
    max_size=60,
)


@pytest.fixture
def by_row(monkeypatch):
    """Even small files are read by row, in small blocks."""
    monkeypatch.setattr(line_index, "LARGE_BYTES", 0)
    monkeypatch.setattr(line_index, "_BLOCK", 256)
    monkeypatch.setattr(line_index, "_FEW", 32)


def both(path, monkeypatch):
    """The corpus read whole, and by row."""
    with monkeypatch.context() as patch:
        patch.setattr(line_index, "LARGE_BYTES", 10**9)
        whole = load_corpus(path)
    return whole, load_corpus(path)


def same(whole, row):
    assert isinstance(whole.texts, list) and isinstance(row.texts, LineTexts)
    assert list(row.texts) == whole.texts == [row.texts[at] for at in range(len(row.texts))]
    assert (row.sha256, row.rows, row.dropped, row.notices) == (whole.sha256, whole.rows, whole.dropped, whole.notices)
    assert row.texts[-1] == whole.texts[-1] and row.texts[1:3] == whole.texts[1:3]


@settings(max_examples=150, deadline=None)
@given(
    lines=LINES | LINES.map(lambda lines: lines * 3),
    mark=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
)
def test_any_file_has_the_same_texts_by_row(tmp_path_factory, lines, mark, end, closed):
    path = tmp_path_factory.mktemp("lines") / "corpus.txt"
    text = end.join(["One text.", *lines, "Another text."]) + (end if closed else "")
    path.write_bytes(text.encode("utf-8-sig" if mark else "utf-8"))
    assume(not examine(path).delimiter)  # a table, by many lines with a tab, is not read by line
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_index, "LARGE_BYTES", 0)
        patch.setattr(line_index, "_BLOCK", 64)
        patch.setattr(line_index, "_FEW", 16)
        same(*both(path, patch))


def test_lines_that_are_cleaned_or_marked_are_the_same(tmp_path, monkeypatch, by_row):
    path = tmp_path / "corpus.txt"
    lines = ["Plain.", "", "  Spaces  inside ", "A\x07bell.", "Tab\there", "word " * 10_001, "é\u00a0ü", "   ", "Last"]
    path.write_bytes("\n".join(lines * 5).encode())
    whole, row = both(path, monkeypatch)
    same(whole, row)
    assert [one.row for one in row.dropped][:3] == [2, 8, 11] and len(row.notices) == 2
    assert dropped_rows(row.dropped) == 10 and len(row.dropped) == 6


def test_damaged_characters_are_the_same(tmp_path, monkeypatch, by_row):
    path = tmp_path / "corpus.txt"
    path.write_bytes(("Grüße aus Köln, schöne Straße.\n" * 30).encode() + b"broken \xc3\nand \xe2\x82\nend \xff!\n")
    same(*both(path, monkeypatch))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", b"sentence\nOne.\nTwo.\n"),
        ("a.txt", "Eins.\nZwei ü.\n".encode("utf-16")),
        ("a.txt", b"One.\rTwo.\nThree.\n"),
        ("a.txt", b"One.\nTwo.\rThree."),
        ("a.txt.gz", gzip.compress(b"One.\nTwo.\n", mtime=0)),
        ("a.jsonl", b'{"text": "One."}\n{"text": "Two."}\n'),
    ],
)
def test_other_files_are_read_whole(tmp_path, by_row, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert isinstance(load_corpus(path).texts, list)


@pytest.mark.parametrize(
    "line",
    ["A plain line of text", "A line that  has to be cleaned", "\nAn empty line before", "é\x07 in a line of text"],
)
def test_memory_does_not_grow_with_the_lines(tmp_path, by_row, line):
    """Less than one byte of memory for each line more, of any kind, in the best of three attempts: what other threads of the
    process allocate meanwhile is traced too."""
    files = {}
    for count in (12_000, 36_000):
        path = tmp_path / f"{count}.txt"
        path.write_text("".join(f"{line} {number}\n" for number in range(count)))
        files[count] = examine(path)

    def growth():
        peaks = []
        for count, file in files.items():
            gc.collect()
            tracemalloc.start()
            texts, _ = line_texts(file, Cleaner(), [])
            assert len(texts) == count and sum(1 for _ in texts) == count
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return peaks[1] - peaks[0]

    assert any(growth() < 24_000 for _ in range(3))


def test_a_file_with_some_lines_to_clean_is_looked_through_few_times(tmp_path, monkeypatch):
    monkeypatch.setattr(line_index, "LARGE_BYTES", 0)
    looked, original = [], line_index._stays
    monkeypatch.setattr(line_index, "_stays", lambda block: looked.append(len(block)) or original(block))
    lines = [f"The line with the number {number}." for number in range(20_000)]
    lines[500::2_000] = ["One with  two spaces."] * 10
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    texts, _ = line_texts(examine(path), Cleaner(), [])
    assert len(texts) == 20_000 and texts[500] == "One with two spaces." and texts[501] == lines[501]
    assert sum(looked) < 3.5 * path.stat().st_size


def test_a_small_file_is_read_whole(tmp_path):
    (tmp_path / "a.txt").write_text("One.\nTwo.\n")
    assert load_corpus(tmp_path / "a.txt").texts == ["One.", "Two."]


def test_a_file_with_one_text_repeated_is_refused(tmp_path, by_row):
    (tmp_path / "a.txt").write_text("One.\n" * 100)
    with pytest.raises(BadData, match="only one text, repeated"):
        load_corpus(tmp_path / "a.txt")


def test_a_replaced_file_changes_nothing_and_one_written_into_is_noticed(tmp_path, by_row):
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("One.\nTwo.\n")
    other.write_text("Three.\nFour.\n")
    texts = load_corpus(path).texts
    other.replace(path)
    assert list(texts) == ["One.", "Two."]
    texts = load_corpus(path).texts
    with path.open("a") as file:
        file.write("Five.\n")
    with pytest.raises(BadData, match="was changed while it was in use"):
        _ = texts[0]


def test_the_file_is_closed_with_its_texts(tmp_path, by_row):
    import os

    (tmp_path / "a.txt").write_text("One.\nTwo.\n")
    texts = load_corpus(tmp_path / "a.txt").texts
    number = texts._file
    os.fstat(number)
    del texts
    gc.collect()
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(number)
