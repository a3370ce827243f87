import gzip
import json
import os
import re
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from workbench.core.errors import BadData, WorkbenchError
from workbench.data.corpora import load_corpus
from workbench.data.dropped import Dropped
from workbench.data.files import examine
from workbench.data.pairs import load_pairs

TABLE = 'score\tsentence1\tsentence2\n4.5\tA dog.\tA hound.\n1\tA "cat\tA bus.\n'


def cells(file):
    return [row for _, row in file.rows()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding):
    file = examine(TABLE.replace("hound", "Hündin – 狗").encode(encoding), name="a.tsv")
    assert file.header == ("score", "sentence1", "sentence2")
    assert cells(file)[0] == ["4.5", "A dog.", "A Hündin – 狗."]
    assert cells(file)[1] == ["1", 'A "cat', "A bus."]  # no quoting in tab-separated files


def test_windows_1252_is_read_with_a_notice():
    file = examine("Café au lait\nL’été\n".encode("cp1252"), name="a.txt")
    assert cells(file) == [["Café au lait"], ["L’été"]]
    assert "Windows-1252" in file.notices[0]


def test_utf8_with_one_broken_byte_stays_utf8():
    good = "Der Bär frißt süße Äpfel.\n" * 5
    file = examine(good.encode() + b"broken \xff here\n", name="a.txt")
    assert cells(file)[0] == ["Der Bär frißt süße Äpfel."]
    assert "1 damaged character, in line 6" in file.notices[0]
    few = examine("ä ö\n".encode() + b"x\nbroken \xff here\n", name="a.txt")
    assert cells(few)[0] == ["ä ö"] and "in line 3" in few.notices[0]


def test_latin_1_if_windows_1252_lacks_a_byte():
    file = examine("café \x81\nthé\n".encode("latin-1"), name="a.txt")
    assert cells(file)[1] == ["thé"] and "read as Latin-1" in file.notices[0]


def test_text_in_an_unknown_encoding_is_refused():
    with pytest.raises(BadData, match="neither UTF-8"):
        examine("文字化け".encode("shift-jis") + b"\x81\x8d\x9d", name="a.txt")


def test_errors_name_the_type_of_binary_files(tmp_path):
    workbook = tmp_path / "table.csv"
    with zipfile.ZipFile(workbook, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(BadData, match=r"table\.csv is a zip archive \(as Excel"):
        examine(workbook)
    for content, what in [
        (b"%PDF-1.7\n", "a PDF"),
        (b"PAR1abc", r"x\.csv cannot be read as Parquet"),
        (b"BZh91AY", "bzip2"),
        (b"version https://git-lfs", "git lfs pull"),
    ]:
        with pytest.raises(BadData, match=what):
            examine(content, name="x.csv")
    with pytest.raises(BadData, match="binary"):
        examine(b"text\x00\x01\x02\x00 and more text\n", name="x.csv")
    with pytest.raises(BadData, match="binary"):  # zero bytes long after the beginning
        examine(b"a line\n" * 20_000 + b"\x00", name="x.txt")


def test_only_uploads_have_a_size_limit(tmp_path):
    with pytest.raises(BadData, match="too big"):
        examine(b"a b\n" * 300, name="x.txt", limit_bytes=1000)
    assert examine(b"a b\n" * 250, name="x.txt", limit_bytes=1000).size_bytes == 1000
    with pytest.raises(BadData, match="20 MB"):
        examine(b"a b c d e\n" * 2_000_001, name="x.txt")
    path = tmp_path / "x.txt"
    path.write_bytes(b"a b c d e\n" * 2_000_001)
    assert examine(path).size_bytes == 20_000_010


def test_gzip_archives_are_unpacked(tmp_path):
    packed = gzip.compress(TABLE.encode("utf-16")) + gzip.compress(b"")  # several members, any encoding
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(packed)
    for file in (examine(path), examine(packed, name="a.tsv.gz")):
        assert (file.header, cells(file)) == (examine(TABLE.encode(), name="a.tsv").header, cells(file))
        assert cells(file) == cells(examine(TABLE.encode(), name="a.tsv"))
    assert examine(gzip.compress(b"1\ta b c\nd e f\n"), name="a.TXT.gz").delimiter == ""
    quoted = examine(gzip.compress(b'"Hello, you"\n"And, you"\n'), name="a.csv.gz")
    assert cells(quoted) == [["Hello, you"], ["And, you"]]


@pytest.mark.parametrize("cut", [3, 25, -4])
def test_damaged_gzip(tmp_path, cut):
    whole = gzip.compress(os.urandom(200).hex().encode() + b"\nmore\n", mtime=0)
    path = tmp_path / "a.txt.gz"
    for content in (whole[:cut], whole[:40] + b"\0\xff" * 30 + whole[100:], whole + b"rest"):
        path.write_bytes(content)
        for source in (path, content):
            with pytest.raises(BadData, match=r"a\.txt\.gz is a damaged gzip archive.*Download or compress it again"):
                examine(source, name="a.txt.gz")
    for content in (gzip.compress(b""), gzip.compress(whole)):
        path.write_bytes(content)
        for source in (path, content):
            with pytest.raises(BadData, match=r"is empty|gzip archive inside another"):
                examine(source, name="a.txt.gz")


def test_a_small_archive_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a b\n" * 6_000_000))
    assert path.stat().st_size < 100_000
    with pytest.raises(BadData, match=r"a\.txt\.gz unpacks to more than 20 MB.*100 times.*Unpack it"):
        examine(path)
    with pytest.raises(BadData, match=r"unpacks to more than 20 MB|too big to upload"):
        examine(path.read_bytes(), name="a.txt.gz")
    path.write_bytes(gzip.compress(b"".join(b"%d %d\n" % (n, n * n) for n in range(100_000))))
    assert sum(1 for _ in examine(path).rows()) == 100_000
    with pytest.raises(BadData, match=r"too big to upload.*limit is 1 MB.*more, once it is unpacked"):
        examine(path.read_bytes(), name="a.txt.gz", limit_bytes=10**6)


def test_fields_of_objects_in_objects_are_columns():
    rows = [
        {"id": 1, "more": {"id": 7, "score": 0.5}, "tags": {}},
        {"id": 2, "more": None, "tags": ["a"]},
        {"id": 3, "more": {"score": 1.5, "deep": {"er": 1}}},
    ]
    file = examine("".join(json.dumps(row) + "\n" for row in rows).encode(), name="a.jsonl")
    assert file.header == ("id", "more.id", "score", "tags", "deep")
    cells = [cells for _, cells in file.rows()]
    assert cells == [["1", "7", "0.5", "{}", ""], ["2", "", "", '["a"]', ""], ["3", "", "1.5", "", '{"er": "1"}']]


def test_a_field_that_seldom_holds_an_object_remains_a_column():
    rows = [
        {"text": "A cat.", "label": "x"},
        {"text": {"de": "Ein Hund."}, "label": None},
        {"text": "A dog."},
        {"text": None},
    ]
    file = examine("".join(json.dumps(row) + "\n" for row in rows).encode(), name="a.jsonl")
    assert file.header == ("text", "label")
    assert [cells[0] for _, cells in file.rows()] == ["A cat.", '{"de": "Ein Hund."}', "A dog.", ""]


def test_empty_missing_and_folder(tmp_path):
    for content in (b"", b"\n \n\t\n", b"\xef\xbb\xbf"):
        with pytest.raises(BadData, match=r"empty|no text"):
            examine(content, name="x.txt")
    (tmp_path / "corpus.txt").write_text("a\nb\n")
    with pytest.raises(BadData, match=r"Did you mean corpus\.txt\?"):
        examine(tmp_path / "corpsu.txt")
    with pytest.raises(BadData, match=r"is a folder.* Name a file in it: corpus\.txt\.$"):
        examine(tmp_path)
    with pytest.raises(BadData, match="null is not a regular file"):
        examine(Path("/dev/null"))
    for number in range(4):
        (tmp_path / f"part-{number}.csv").write_text("a\nb\n")
    (tmp_path / ".secret.txt").write_text("a\nb\n")
    with pytest.raises(BadData, match=r"in it: corpus\.txt, part-0\.csv, part-1\.csv and 2 more\. To read"):
        examine(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData, match=r"Name a file in it\.$"):
        examine(tmp_path / "empty")


def test_a_folder_with_the_parts_of_a_data_set_is_told_how_to_name_them_all(tmp_path):
    set_ = tmp_path / "set"
    (set_ / "data").mkdir(parents=True)
    for name in ("README.md", "data/train-00000-of-00002.parquet", "a.csv"):
        (set_ / name).touch()
    with pytest.raises(BadData, match=r"in it: README\.md, a\.csv\.$"):
        examine(set_)
    (set_ / "data" / "train-00001-of-00002.parquet").touch()
    with pytest.raises(BadData, match=rf"To read the files in it as one data set, write hf:{re.escape(str(set_))}$"):
        examine(set_)
    with pytest.raises(BadData, match=r"a\.csv\.$"):
        examine(set_.rename(tmp_path / "a:b"))


def test_endless_line():
    with pytest.raises(BadData, match="a line of more than 8 MB"):
        examine(b"[" + b"1, " * 4_000_000, name="x.txt", limit_bytes=10**8)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comma_with_quotes_and_line_ends(end):
    text = end.join(["text,n", '"Hello, ""world""",1', '"two\nlines",2', "plain,3", ""])
    assert cells(examine(text.encode(), name="a.csv")) == [
        ['Hello, "world"', "1"],
        ["two\nlines", "2"],
        ["plain", "3"],
    ]


def test_semicolon():
    file = examine(b"score;sentence1;sentence2\n4,5;A, b;C\n3,0;D;E\n", name="a.csv")
    assert (file.delimiter, file.columns, file.preview[0]) == (";", 3, ["4,5", "A, b", "C"])


def test_an_unclosed_quote_loses_only_one_row():
    rows = ["a,b", '"never closed,1', *[f"text {n},{n}" for n in range(200)], '"closed, well",1', "last,2"]
    dropped: list[Dropped] = []
    file = examine("\n".join(rows).encode(), name="a.csv")
    assert len(list(file.rows(dropped))) == 202
    assert dropped == [Dropped(2, "a quote is opened but not closed", '"never closed,1')]


def test_many_unclosed_quotes_are_quick():
    content = "text,n\n" + '"open,1\nplain,2\n' * 20_000
    dropped: list[Dropped] = []
    kept = list(examine(content.encode(), name="a.csv", limit_bytes=10**7).rows(dropped))
    assert len(kept) + len(dropped) == 40_000


def test_stray_quotes_inside_a_cell_are_text():
    file = examine(b'text,n\na 5" pipe,1\nthe "big" one,2\n', name="a.csv")
    assert cells(file) == [['a 5" pipe', "1"], ['the "big" one', "2"]]


def test_wrong_column_counts_by_row():
    dropped: list[Dropped] = []
    file = examine(b"score\tsentence1\tsentence2\n1\ta\tb\n2\tc\n\n3\td\te\tf\n4\tg\th\n", name="a.tsv")
    assert [row for row, _ in file.rows(dropped)] == [2, 6]
    assert [(one.row, one.reason) for one in dropped] == [
        (3, "2 columns instead of 3"),
        (4, "empty line"),
        (5, "4 columns instead of 3"),
    ]


def test_unquoted_commas_in_a_table_with_a_header_are_reported():
    dropped: list[Dropped] = []
    file = examine(b"score,sentence1,sentence2\n1,a, b, c,d\n2,e,f\n3,g, h,i\n", name="a.csv")
    assert [row for row, _ in file.rows(dropped)] == [3]
    assert len(dropped) == 2


@pytest.mark.parametrize(
    "line",
    ["The town {n}, in Ohio, grew.", "film {n} , funny", "well , {n} and , so on , it went", "One; two, so {n} it is"],
)
def test_prose_is_not_a_table(line):
    prose = [line.format(n=n) if n % 5 else line.format(n=n).partition(",")[0] for n in range(20)]
    for lines in ([line.format(n=n) for n in range(20)], prose):
        file = examine("\n".join(lines).encode(), name="a.csv")
        assert cells(file) == [[one] for one in lines]
        assert "one text per line" in file.notices[0] and "prose" in file.notices[0]


@pytest.mark.parametrize(
    "text",
    [
        "4.5,One, two,b\n1,c,d\n2,e,f\n3,g,h\n",
        '"a, b",c d\ne f,g h\n',
        "a b,c d\ne f,g h\n",
        "1;a; b;c\n2;d;e\n3;f;g\n",
    ],
)
def test_tables_without_header_stay_tables(text):
    file = examine(text.encode(), name="a.csv")
    assert file.delimiter in (",", ";") and file.columns > 1 and not file.notices


def test_a_txt_file_may_be_a_table():
    named = examine(b"pair_ID\tsentence_A\tsentence_B\n1\ta b\tc d\n", name="a.txt")
    assert named.header == ("pair_ID", "sentence_A", "sentence_B") and cells(named) == [["1", "a b", "c d"]]
    assert "read as a table" in named.notices[0]
    plain = examine(b"1\ta b c\n2\td e f\n", name="a.txt")
    assert (plain.delimiter, plain.columns, plain.header) == ("\t", 2, ())
    for text in (b"a\tb\nc d\ne f\n", b"One text.\n", b"One\ttext.\n"):
        assert examine(text, name="a.txt").delimiter == ""
    assert examine(b"1\ta b c\n2\td e f\n", name="a.txt", lines=True).delimiter == ""


def test_one_text_per_line():
    prose = b"Hello, you.\nNo comma here\nOne, two, three, four\nAgain none\nSix; seven\n"
    assert examine(prose, name="a.txt").delimiter == ""
    assert examine(prose, name="a.csv").delimiter == ""
    assert cells(examine(prose, name="a.csv"))[2] == ["One, two, three, four"]
    quoted = examine(b'sentence\n"Hello, you"\n"And, you"\n', name="a.csv")
    assert (quoted.header, cells(quoted)) == (("sentence",), [["Hello, you"], ["And, you"]])


def test_headers_are_detected():
    assert examine(b"rating,one,two\n4.5,a b,c d\n1,e f,g h\n", name="a.csv").header == ("rating", "one", "two")
    file = examine(b"4.5,a b,c d\n1,e f,g h\n", name="a.csv")
    assert (file.header, len(cells(file))) == ((), 2)
    assert examine(b"4.5,a b,c d\n1,e f,g h\n", name="a.csv", header=True).header == ("4.5", "a b", "c d")
    assert examine(b"sentence\nab\ncd\n", name="a.txt").header == ()


def test_preview_is_short():
    assert len(examine(b"a line of text\n" * 500, name="a.txt").preview) == 10


def test_without_names_rows_have_as_many_columns_as_most():
    dropped: list[Dropped] = []
    file = examine(b"a b\tc d\ne f\tg h\ni j\n", name="a.tsv")
    assert file.columns == 2 and [row for row, _ in file.rows(dropped)] == [1, 2]
    assert dropped == [Dropped(3, "1 columns instead of 2", "i j")]


def test_a_quoted_cell_of_any_length_is_read(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f'text,label\n"{"word " * 60_000}",a\n"another text",b\n')
    texts = load_corpus(path)
    assert len(texts.texts[0]) == 5 * 60_000 - 1 and len(texts) == 2


def test_half_a_character_in_a_json_line_counts_as_damage(tmp_path):
    path = tmp_path / "damaged.jsonl"
    path.write_text('{"text": "a \\ud800 b"}\n{"text": "another"}\n')
    texts = load_corpus(path)
    assert texts.texts[0] == "a \ufffd b" and any("damaged" in notice for notice in texts.notices)


@pytest.mark.parametrize(
    ("header", "row", "name"),
    [
        ("review,sentiment", '"I liked it, {n} times.",positive', "Imdb.csv"),
        (",review,sentiment", '{n},"I liked it {n} times.",positive', "Imdb.csv"),
        ("title1\ttitle2", "How is {n}?\tWhat is {n}?", "a.tsv"),
        ("ar\tbg\tde", "It is {n}.\tThat is {n}.\tThese are {n}.", "xnli.15way.orig.tsv"),
    ],
)
def test_words_above_texts_are_a_header(header, row, name):
    text = "\n".join([header, *(row.format(n=n) for n in range(12))])
    file = examine(text.encode(), name=name)
    assert list(file.header) == header.replace("\t", ",").split(",")
    assert len([*file.rows()]) == 12


@pytest.mark.parametrize(
    ("first", "row"),
    [
        ("dog\thound", "cat{n}\tkitten"),  # a list of words
        ("Hi.\tHallo!", "I am {n}.\tIch bin {n}."),
        ("It rains.\tIt pours.", "I am {n}.\tThere are {n}."),
        ("same\tsame", "I am {n}.\tThere are {n}."),
        ("positive\tGreat", "positive\tI am {n}."),  # a class, and a text of one word
        ("Rain falls.\tIt pours.\tentailment", "It is {n}.\tThere are {n}.\tentailment"),
    ],
)
def test_a_first_row_of_texts_or_classes_is_no_header(first, row):
    file = examine("\n".join([first, *(row.format(n=n) for n in range(12))]).encode(), name="a.tsv")
    assert not file.header and len([*file.rows()]) == 13


def test_a_line_of_one_word_is_a_text():
    assert not examine(b'"Rain"\n"It rains."\n"It pours, they say."\n', name="a.csv").header


def test_numbers_of_any_length_are_no_ids(tmp_path):
    path = tmp_path / "texts.tsv"
    path.write_text("".join(f"{'9' * 5000}{n}\tA dog {n} runs.\n" for n in range(4)))
    assert len(examine(path).preview) == 4
    with suppress(WorkbenchError):
        load_corpus(path)
    with suppress(WorkbenchError):
        load_pairs(path)


def test_a_header_may_recur_in_joined_files():
    rows = "\n".join(["text\tpositive", *(f"It is {n}.\tThere are {n}." for n in range(12))])
    assert examine(f"{rows}\n{rows}\n".encode(), name="a.tsv").header == ("text", "positive")


@pytest.mark.parametrize(
    ("row", "columns", "said"),
    [
        (["a{0}", "p{0}"], {"text": "a{0}", "positive": "p{0}"}, "each line is a list of texts: anchor, positive."),
        (
            ["a{0}", "p{0}", "n{0}"],
            {"text": "a{0}", "positive": "p{0}", "negative": "n{0}"},
            "each line is a list of texts: anchor, positive, negative.",
        ),
    ],
)
def test_json_lines_that_are_lists_of_texts_are_pairs_or_triplets(tmp_path, row, columns, said):
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(row).replace("{0}", str(number)) for number in range(3)))
    texts = load_corpus(path)
    assert texts.columns == {role: [text.format(number) for number in range(3)] for role, text in columns.items()}
    assert any(said in notice for notice in texts.notices)


@pytest.mark.parametrize("row", [["a", "p", 0.5], ["a", "b", "c", "d"], [0.1, 0.2], ["a"]])
def test_other_lists_in_json_lines_are_refused(tmp_path, row):
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([json.dumps(row)] * 3))
    with pytest.raises(BadData, match=r"is JSON, but not a table.*a list of two or three texts"):
        load_corpus(path)


def test_a_list_among_objects_is_left_out(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [{"text": f"text {number}"} for number in range(12)]
    path.write_text("\n".join(map(json.dumps, [*rows[:6], ["a", "b"], *rows[6:]])))
    texts = load_corpus(path)
    assert texts.texts == [row["text"] for row in rows] and len(texts.dropped) == 1
    assert not any("list of texts" in notice for notice in texts.notices)


def test_a_line_that_is_no_json_is_named_in_a_short_file(tmp_path):
    file = tmp_path / "own.jsonl"
    file.write_text('{"text": "a dog"}\n\n{"text": oops}\n{"text": "a cat"}\n', encoding="utf-8")
    with pytest.raises(BadData, match=r"Line 3 of own.jsonl is not a JSON object. Got: {\"text\": oops}"):
        examine(file)
    file.write_text('{"text": "a dog"}\n', encoding="utf-8")
    with pytest.raises(BadData, match="at least two rows"):
        examine(file)


def test_a_json_line_without_a_text_is_no_empty_line(tmp_path):
    file = tmp_path / "own.jsonl"
    file.write_text('{"text": "a dog"}\n{"text": null}\n\n{"text": "a cat"}\n', encoding="utf-8")
    assert [(row.row, row.reason) for row in load_corpus(file).dropped] == [(2, "empty text"), (3, "empty line")]


@pytest.mark.parametrize("name", ["own.csv", "own.tsv"])
def test_a_first_row_of_unknown_names_that_counts_as_texts_is_named(tmp_path, name):
    file = tmp_path / name
    between = "\t" if name.endswith("tsv") else ""
    rows = [f"The dog {row} barks.{between}{'A hound does.' if between else ''}" for row in range(9)]
    file.write_text("\n".join([f"Text Body{between}{'German' if between else ''}", *rows]) + "\n", encoding="utf-8")
    assert f"{name} has no header: its first row, “Text Body”, counts as texts." in load_corpus(file).notices
    file.write_text("\n".join([f"text{between}{'positive' if between else ''}", *rows]) + "\n", encoding="utf-8")
    assert not any("has no header" in notice for notice in load_corpus(file).notices)
    plain = file.with_suffix(".txt")
    plain.write_text("Text Body\nA dog barks.\n", encoding="utf-8")
    assert load_corpus(plain).notices == []
