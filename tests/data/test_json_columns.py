"""One JSON object as rows, as pandas and others write it."""

import json

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import BadData
from workbench.data import json_arrays, json_columns
from workbench.data.files import examine
from workbench.data.gather import read_corpus
from workbench.data.pairs import load_pairs

ROWS = pandas.DataFrame(
    {
        "sentence1": ["A dog runs.", 'She said "no".', "Ein Hund läuft.", "It rains.", "A [cat] {sleeps}."],
        "sentence2": ["A dog is running.", "She refused.", "Ein Hund rennt.", "The sun shines.", "A dog sleeps."],
        "score": [4.8, 3.0, 4.5, 0.2, 1.0],
    }
)
FORMS = ["columns", "index", "split", "list", "data"]


def written(form, table=ROWS, indent=None):
    if form == "list":
        return json.dumps(table.to_dict("list"), indent=indent, ensure_ascii=False)
    if form == "data":
        about = {"name": "mine", "version": 1.5, "private": False}
        return json.dumps({**about, "data": table.to_dict("records")}, indent=indent, ensure_ascii=False)
    return table.to_json(orient=form, indent=indent, force_ascii=False)


def cells(file):
    return [row for _, row in file.rows()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_all_forms_of_a_table_have_its_rows(tmp_path, monkeypatch, form, indent, bom):
    content = (bom + written(form, indent=indent) + "\n").encode()
    expected = [[str(cell) for cell in row] for row in ROWS.itertuples(index=False)]
    file = examine(content, name="pairs.json")
    assert file.header == tuple(ROWS) and cells(file) == expected
    assert any("one JSON object was read as a table" in notice for notice in file.notices)
    (tmp_path / "pairs.json").write_bytes(content)
    pairs = load_pairs(str(tmp_path / "pairs.json"))
    assert list(pairs.gold) == ROWS["score"].tolist() and list(pairs.first) == ROWS["sentence1"].tolist()
    monkeypatch.setattr(json_arrays, "CHUNK", 60)  # the file is longer than what tells its form
    assert cells(examine(tmp_path / "pairs.json")) == expected


def test_rows_with_an_index_of_texts_and_gaps_are_kept(tmp_path):
    indexed = ROWS.set_index(pandas.Index([f"row {letter}" for letter in "abcde"]))
    indexed.loc["row b", "score"] = None
    for form in ("columns", "index"):
        table = cells(examine(written(form, indexed).encode(), name="a.json"))
        assert [row[0] for row in table] == ROWS["sentence1"].tolist() and table[1][2] == ""


def test_a_corpus_of_one_column_is_read():
    file = examine(json.dumps({"text": ["A dog.", "A cat.", "A bird."]}).encode(), name="a.json")
    assert list(read_corpus(file).texts) == ["A dog.", "A cat.", "A bird."]


def test_lines_of_objects_stay_lines():
    lines = '{"words": ["a", "b"], "text": "A dog."}\n{"words": ["c", "d"], "text": "A cat."}\n'
    assert [row[-1] for row in cells(examine(lines.encode(), name="a.jsonl"))] == ["A dog.", "A cat."]
    nested = '{"label": {"score": 1}, "text": "A dog."}\n\n{"label": {"score": 2}, "text": "A cat."}\n'
    assert [row[-1] for row in cells(examine(nested.encode(), name="a.jsonl"))] == ["A dog.", "A cat."]


@pytest.mark.parametrize("form", FORMS)
def test_damage_is_one_message(form):
    whole = written(form)
    for content in (whole[: len(whole) // 2], whole + "}", whole[:-1]):
        with pytest.raises(BadData, match=r"a\.json is (damaged JSON|JSON, but not a table)"):
            examine(content.encode(), name="a.json")


def test_a_large_one_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(json_columns, "MOST_BYTES", 100)
    with pytest.raises(BadData, match=r"too large for one JSON object.*lines=True"):
        examine(written("list").encode(), name="a.json")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda of: st.lists(of, max_size=4) | st.dictionaries(st.text(max_size=4), of, max_size=4),
        max_leaves=20,
    )
)
def test_any_json_is_read_or_refused(document):
    try:
        rows = cells(examine(json.dumps(document).encode(), name="a.json"))
    except BadData:
        return
    assert len(rows) > 1
