"""A list of texts to train on is a row for each; others are refused where one text, label or score is needed."""

import json

import pyarrow
import pytest
from pyarrow import parquet

from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.data.pairs import load_pairs
from workbench.data.sts import load_task
from workbench.data.tables import LABELLED_PAIRS, LABELLED_TEXTS, read_table


def table(path, rows):
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


RETRIEVAL = [{"query": f"who is {n}", "pos": [f"It is Bob {n}.", "Bob"], "neg": [f"Not Al {n}."]} for n in range(5)]


WORDS = [{"text": ["It", "is", f"{n}", "here"], "tags": ["O", "O", "B", "O"]} for n in range(5)]
INSTRUCTED = [{"query": ["Say it.", f"Who is {n}?"], "pos": ["Say it.", f"It is {n}."]} for n in range(5)]
CONTEXTS = [{"query": f"who is {n}", "pos": [{"title": "a b", "text": f"It is {n}."}]} for n in range(5)]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
@pytest.mark.parametrize(
    ("rows", "behind", "named"),
    [
        (WORDS, "", "column text hold lists"),
        (INSTRUCTED, "", "column query hold lists"),
        (CONTEXTS, "", "column pos hold lists"),
        (RETRIEVAL, "#text=pos,positive=query", "column pos hold lists"),
        (
            [{"query": f"who is {n}", "pos": f"It is {n}.", "neg": ["No, not."]} for n in range(5)],
            "",
            "column neg hold",
        ),
    ],
)
def test_lists_of_words_and_of_objects_are_refused(tmp_path, name, rows, behind, named):
    path = table(tmp_path / name, rows)
    with pytest.raises(BadData, match=rf"{name}: the cells of {named}.*one text.*a row for each text of a list"):
        load_corpus(f"{path}{behind}")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
@pytest.mark.parametrize(
    ("rows", "behind", "first", "second"),
    [
        (RETRIEVAL, "", ("who is 0", "It is Bob 0.", "Not Al 0."), ("who is 0", "Bob", "Not Al 0.")),
        (RETRIEVAL, "#text=query,positive=pos", ("who is 0", "It is Bob 0."), ("who is 0", "Bob")),
        (RETRIEVAL, "#neg", ("Not Al 0.",), ("Not Al 1.",)),
        ([{"set": [f"A m{n}.", f"A b{n}."]} for n in range(5)], "", ("A m0.", "A b0."), ("A m1.", "A b1.")),
        ([{"set": [f"A {n}.", f"B {n}.", f"C {n}."]} for n in range(5)], "", ("A 0.", "B 0."), ("C 0.", "A 0.")),
        ([{"anchor": f"is {n}", "positive": [f"Bob {n}", "Al"]} for n in range(5)], "", ("is 0", "Bob 0"), ("is 0", "Al")),
        ([{"query": n, "pos": ["a b"], "neg": ["c d", "e f"]} for n in "xyz"], "", ("x", "a b", "c d"), ("y", "a b", "c d")),
        ([{"texts": [f"A man {n}.", f"Someone {n}."]} for n in range(5)], "", ("A man 0.",), ("Someone 0.",)),
    ],
)  # fmt: skip
def test_texts_to_train_on(tmp_path, name, rows, behind, first, second):
    corpus = load_corpus(f"{table(tmp_path / name, rows)}{behind}")
    read = [*zip(*corpus.columns.values(), strict=True)]
    assert read[:2] == [first, second]
    assert corpus.kind == {1: "sentences", 2: "pairs", 3: "triplets"}[len(first)]
    assert any("each item of the lists" in notice or "two by two" in notice for notice in corpus.notices)


def test_rows_without_texts_in_their_lists_and_those_that_would_swell_are_left_out(tmp_path):
    rows = [{"anchor": f"is {n}", "positive": [f"Bob {n}", "Al"] if n < 3 else None if n < 4 else []} for n in range(5)]
    rows.append({"anchor": "is it " * 500, "positive": [f"no {n}" for n in range(100)]})
    corpus = load_corpus(table(tmp_path / "rows.jsonl", rows))
    assert corpus.rows == 6
    assert [(one.row, one.reason) for one in corpus.dropped] == [
        (4, "a list without enough texts"),
        (5, "a list without enough texts"),
        (6, "a text too long to repeat for each item of a list"),
    ]


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
    rows = [{"sentences": ["a b", f"c {n}"], "labels": ["x", "y"]} for n in range(5)]
    rows.append({"sentences": ["a b", "c d"], "labels": ["x"]})
    read = read_table(table(tmp_path / name, rows), None, LABELLED_TEXTS)
    assert read.cells == {"text": [one for n in range(5) for one in ("a b", f"c {n}")], "label": ["x", "y"] * 5}
    assert f"{name}: each item of its lists is a row." in read.notices
    assert any("lists of different lengths: 1" in one for one in read.notices)
    for odd in (
        {"sentences": ["It", "is", "here"], "labels": ["O", "O", "B"]},
        {"sentences": "a b", "labels": ["x", "y"]},
    ):
        with pytest.raises(BadData, match=r"the cells of columns? .*labels hold lists"):
            read_table(table(tmp_path / name, [odd] * 5), None, LABELLED_TEXTS)
    rows = [{"text": f"a {n}", "label": "xy"[n % 2], "tags": ["u v", "w"]} for n in range(5)]
    assert read_table(table(tmp_path / name, rows), None, LABELLED_TEXTS).cells["label"] == [*"xyxyx"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_lists_that_are_not_used_are_harmless(tmp_path, name):
    path = table(tmp_path / name, RETRIEVAL)
    assert load_corpus(f"{path}#query").texts[0] == "who is 0"
    rows = [{"s1": f"A dog {n}.", "s2": f"A cat {n}.", "score": n, "annotations": [n, n]} for n in range(5)]
    assert len(load_pairs(table(tmp_path / name, rows))) == 5 and load_corpus(tmp_path / name).kind == "scored_pairs"


def test_labelled_pairs_in_one_row(tmp_path):
    rows = [{"sent1": ["a b", "c d", "e f"], "sent2": ["g h", "i j", "k l"], "labels": [0, 1, 0]}]
    read = read_table(table(tmp_path / "rows.parquet", rows), None, LABELLED_PAIRS)
    assert read.cells == {"sentence1": rows[0]["sent1"], "sentence2": rows[0]["sent2"], "label": ["0", "1", "0"]}
