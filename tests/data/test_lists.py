"""A cell that holds a list is refused where one text, one label or one score is needed, and ignored elsewhere."""

import json

import pyarrow
import pytest
from pyarrow import parquet

from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.data.pairs import load_pairs
from workbench.data.sts import load_task
from workbench.data.tables import LABELLED_TEXTS, read_table


def table(path, rows):
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


RETRIEVAL = [{"query": f"who is {n}", "pos": [f"It is Bob {n}.", "Bob"], "neg": [f"Not Al {n}."]} for n in range(5)]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
@pytest.mark.parametrize(
    ("rows", "behind", "named"),
    [
        (RETRIEVAL, "", "columns pos, neg hold lists"),
        (RETRIEVAL, "#text=query,positive=pos", "column pos hold lists"),
        (RETRIEVAL, "#neg", "column neg hold lists"),
        ([{"set": [f"A man {n}.", f"Someone {n}."]} for n in range(5)], "", "column set hold lists"),
        ([{"anchor": f"who is {n}", "positive": [f"Bob {n}", "Al"]} for n in range(5)], "", "column positive hold"),
        ([{"anchor": f"a {n}", "positive": None if n else [f"Bob {n}"]} for n in range(5)], "", "column positive hold"),
    ],
)
def test_texts_to_train_on(tmp_path, name, rows, behind, named):
    path = table(tmp_path / name, rows)
    with pytest.raises(BadData, match=rf"{name}: the cells of {named}.*one text.*a row for each text of a list"):
        load_corpus(f"{path}{behind}")


@pytest.mark.parametrize(
    ("rows", "way"),
    [
        ([{"body": f"It is number {n}.", "tokens": ["It", "is", str(n)]} for n in range(5)], "rows.jsonl#body"),
        (
            [{"question": f"who is {n}", "answers": ["Bob", "Al"], "context": f"It is {n}."} for n in range(5)],
            "rows.jsonl#text=question,positive=context",
        ),
    ],
)
def test_beside_lists_the_columns_of_texts_are_named_as_the_way_out(tmp_path, rows, way):
    path = table(tmp_path / "rows.jsonl", rows)
    with pytest.raises(BadData) as told:
        load_corpus(path)
    assert str(told.value).endswith(f"or choose other columns: {way}.")
    assert len(load_corpus(f"{path}{way.removeprefix('rows.jsonl')}").texts) >= 5


@pytest.mark.parametrize("name", ["sts12.jsonl", "sts12.parquet"])
def test_scored_pairs(tmp_path, name):
    pairs = [{"sentence1": [f"A dog {n}."], "sentence2": f"A cat {n}.", "score": n} for n in range(5)]
    path = table(tmp_path / name, pairs)
    for read in (lambda: load_pairs(path), lambda: load_task(tmp_path, "sts12")):
        with pytest.raises(BadData, match="the cells of column sentence1 hold lists"):
            read()


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_labelled_texts(tmp_path, name):
    rows = [{"sentences": ["a b", "c d"], "labels": ["x", "y"]} for _ in range(5)]
    with pytest.raises(BadData, match="the cells of columns sentences, labels hold lists"):
        read_table(table(tmp_path / name, rows), None, LABELLED_TEXTS)
    rows = [{"text": f"a {n}", "label": "xy"[n % 2], "tags": ["u v", "w"]} for n in range(5)]
    assert read_table(table(tmp_path / name, rows), None, LABELLED_TEXTS).cells["label"] == [*"xyxyx"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_lists_that_are_not_used_are_harmless(tmp_path, name):
    path = table(tmp_path / name, RETRIEVAL)
    assert load_corpus(f"{path}#query").texts[0] == "who is 0"
    rows = [{"s1": f"A dog {n}.", "s2": f"A cat {n}.", "score": n, "annotations": [n, n]} for n in range(5)]
    assert len(load_pairs(table(tmp_path / name, rows))) == 5 and load_corpus(tmp_path / name).kind == "scored_pairs"
