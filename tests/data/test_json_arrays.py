import json

import pytest

from workbench.core.errors import BadData
from workbench.data import json_arrays
from workbench.data.files import examine
from workbench.data.gather import read_corpus
from workbench.data.tables import LABELLED_TEXTS, read_table

SPLITS = {
    "oos_val": [["What is the tallest tree?", "oos"]],
    "train": [["Book a flight.", "book_flight"], ['Say "hello" in [Welsh], {please}.', "translate"]],
    "version": 1.25,
    "intents": [{"name": "translate"}],
    "oos_test": [["Who won?", "oos"]],
    "test": [["I must fly to Oslo.", "book_flight"]],
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_a_json_array_is_read_as_lines_of_objects(tmp_path, monkeypatch, indent, name):
    monkeypatch.setattr(json_arrays, "CHUNK", 50)  # so that objects cross the borders of what is read at once
    rows = [{"id": n, "text": f'a "{{[é\n]}},{n}', "labels": {"label": n / 2, "of": None}} for n in range(300)]
    path = tmp_path / name
    path.write_text(json.dumps(rows, indent=indent), "utf-8-sig")
    lines = examine("".join(json.dumps(row) + "\n" for row in rows).encode(), name="a.jsonl")
    for file in (examine(path), examine(path.read_bytes(), name=name)):
        assert file.header == lines.header == ("id", "text", "label", "of")
        assert list(file.rows()) == list(lines.rows()) and len(list(file.rows())) == 300
    assert next(iter(lines.rows())) == (1, ["0", rows[0]["text"], "0.0", ""])
    assert examine(b"[noise] A door.\n[ {A} ] Another.\n", name="a.txt").delimiter == ""


def test_a_long_json_array_on_one_line(tmp_path):
    rows = [{"text": f"{n} " + "word " * 1000} for n in range(2000)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert sum(1 for _ in examine(tmp_path / "a.json").rows()) == 2000


def test_a_damaged_json_array_names_the_last_object_that_can_be_read():
    whole = json.dumps([{"text": f"text {n}"} for n in range(500)])
    for content in (whole[:-1], whole[:-300], whole.replace('"text 499"', "text 499"), whole + "]"):
        with pytest.raises(BadData, match=r"a\.json is a damaged JSON array\. It can be read up to object (4..|500)"):
            list(examine(content.encode(), name="a.json").rows())


@pytest.mark.parametrize(
    "content",
    [
        {
            "version": 1,
            "data": [{"title": "a", "paragraphs": [{"text": "b"}]}, {"title": "c", "paragraphs": [{"text": "d"}]}],
        },
        {"text": ["a", "b"], "score": [1]},
        {"text": "a text", "words": ["a", "text"]},
        [["a", "b", 1], ["c", "d", 2]],
        ["a text", "another"],
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_json_of_another_shape_is_no_list_of_its_lines(content, indent):
    for name in ("a.json", "a.jsonl"):
        with pytest.raises(BadData, match=r"is JSON, but not a table.*one array of objects.*orient='records'"):
            examine(json.dumps(content, indent=indent).encode(), name=name)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [10, 50, 1 << 20])
def test_an_object_of_splits_is_read_with_a_column_of_their_names(tmp_path, monkeypatch, indent, chunk):
    monkeypatch.setattr(json_arrays, "CHUNK", chunk)
    path = tmp_path / "data_full.json"
    path.write_text(json.dumps(SPLITS, indent=indent))
    file = examine(path)
    assert file.header == ("split", "text", "label")
    assert [cells for _, cells in file.rows()] == [
        ["dev", "What is the tallest tree?", "oos"],
        ["train", "Book a flight.", "book_flight"],
        ["train", 'Say "hello" in [Welsh], {please}.', "translate"],
        ["test", "Who won?", "oos"],
        ["test", "I must fly to Oslo.", "book_flight"],
    ]
    assert any(
        "each array is a split, and a list of two texts in it is a text and its label" in one for one in file.notices
    )
    table = read_table(path, None, LABELLED_TEXTS)
    assert table.columns == {"text": "text", "label": "label", "split": "split"} and len(table) == 5
    corpus = read_corpus(file)
    assert list(corpus.texts) == ["Book a flight.", 'Say "hello" in [Welsh], {please}.']


def test_objects_in_splits_are_rows_as_they_are_written():
    content = b'{"train": [{"s1": "A dog.", "s2": "A cat.", "score": 4.50}, {"split": "dev", "s1": "c"}], "test": [{}]}'
    file = examine(content, name="a.json")
    assert file.header == ("split", "s1", "s2", "score")
    assert [cells for _, cells in file.rows()] == [
        ["train", "A dog.", "A cat.", "4.50"],
        ["dev", "c", "", ""],
        ["test", "", "", ""],
    ]


def test_lines_of_objects_with_lists_are_no_object_of_splits():
    lines = "".join(json.dumps({"answers": [{"text": "x"}], "text": f"text {n}"}) + "\n" for n in range(3))
    assert len(list(examine(lines.encode(), name="a.jsonl").rows())) == 3


@pytest.mark.parametrize("cut", [1, 20, 60, 90])
def test_a_damaged_object_of_splits_is_refused(cut):
    whole = json.dumps(SPLITS)
    for content in (whole[:-cut], whole + "x", whole + "}"):
        with pytest.raises(BadData, match=r"a\.json is a damaged JSON array\. It can be read up to object [0-5]\."):
            list(examine(content.encode(), name="a.json").rows())
