"""An upload is kept as a file that is read as the same corpus."""

import hashlib
import io
import uuid

import numpy as np
import pandas as pd
import pytest

from tests.pages.trial import errors_but, open_page
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.gather import read_corpus
from workbench.data.uploads import keep_name, uploaded_name
from workbench.ui.corpora import choice
from workbench.ui.corpora.choice import _written

FILES = {
    "single.txt": "One text.\nAnother, text\n",
    "triplets.csv": 'sent0,sent1,hard_neg\n"a, b",c d,e f\ng h,i j,k l\n',
    "scored.tsv": "score\tsentence1\tsentence2\n4.25\ta b\tc d\n\te f\tg h\n1\ti j\tk l\n",
    "labelled.tsv": "premise\thypothesis\tlabel\na b\tc d\te\ne f\tg h\t-\ni j\tk l\tn\n",
    "both.tsv": "sentence_A\tsentence_B\tscore\tentailment_judgment\na b\tc d\t4.5\tNEUTRAL\ne f\tg h\t1\tENTAILMENT\n",
    "commas.csv": 'text\n"A dog, a cat, a bus"\n"Rain, wind, snow"\n"One, two, three"\n',
    "texts.jsonl": '{"text": "A dog, a cat."}\n{"text": "A bus."}\n',
    "pairs.json": '[{"anchor": "A dog.", "positive": "A hound."}, {"anchor": "A cat.", "positive": "A kitten."}]',
    "rows.xml": '<?xml version="1.0"?><r><p><text>A dog.</text></p><p><text>A cat, a bus.</text></p></r>',
    "documents.csv": 'id,document\n1,"It rained. We left."\n2,Who came? Ann did!\n',
}


def in_parquet(columns):
    written = io.BytesIO()
    pd.DataFrame(columns).to_parquet(written)
    return written.getvalue()


TEXTS = in_parquet({"text": ["A dog.", "A cat, a bus."]})
SCORED = in_parquet({"sentence1": ["a b", "c d"], "sentence2": ["e f", "g h"], "score": [0.5, 4], "tags": [["x"], []]})


@pytest.mark.parametrize("name", [*FILES, "scored.parquet", "texts.parquet"])
def test_a_stored_upload_is_read_back_as_the_same_corpus(name, tmp_path):
    before = read_corpus(
        examine(FILES[name].encode() if name in FILES else TEXTS if name == "texts.parquet" else SCORED, name=name)
    )
    text, ending = _written(before)
    stored = tmp_path / f"upload-0123456789abcdef{ending}"
    stored.write_text(text)
    keep_name(stored, name)  # its ending is that of another form
    after = load_corpus(stored)
    assert after.name == name
    assert (after.kind, after.columns, after.classes) == (before.kind, before.columns, before.classes)
    assert after.numbers.keys() == before.numbers.keys()
    for role, values in before.numbers.items():
        np.testing.assert_array_equal(after.numbers[role], values)
    assert after.texts == before.texts


class Upload:
    """A file in the uploader, which stays there: that of AppTest is gone with the next run."""

    def __init__(self, name, content):
        self.name, self.content, self.file_id = name, content, uuid.uuid4().hex

    def getvalue(self):
        return self.content


@pytest.fixture
def put(monkeypatch):
    """Puts a file into the uploader of the page."""

    def put_in(name, content):
        file = Upload(name, content)
        monkeypatch.setattr("streamlit.file_uploader", lambda *_, **__: file)

    return put_in


def test_an_upload_is_read_once_for_each_way_to_read_it(runs, answers, monkeypatch, put):
    """Every touch of the page runs all of it."""
    read, look = [], choice.examined
    monkeypatch.setattr(choice, "examined", lambda *asked, **said: read.append(said) or look(*asked, **said))
    put("own.tsv", b"text\tother\none two\tthree\nfour\tfive six\n")
    app = open_page("train", source="upload")
    assert not app.exception and not errors_but(app, "fewer than one batch")
    assert any("2 texts kept" in one.value for one in app.caption)
    many = len(read)
    for _ in range(3):
        app.run()
    assert len(read) == many and any("2 texts kept" in one.value for one in app.caption)
    next(one for one in app.toggle if one.key.startswith("header.")).set_value(False).run()
    column = app.selectbox(key="text_column")
    assert column.options[-2:] == ["column 1", "column 2"]
    column.set_value("2").run()
    assert not app.exception and any("3 texts kept" in one.value for one in app.caption)
    assert app.dataframe[0].value.iloc[:, 0].tolist() == ["other", "three", "five six"]
    many = len(read)
    put("own.tsv", b"text\tother\nanother\tfile\nand\tmore\nthan\tthat\n")
    assert any("3 texts kept" in one.value for one in app.run().caption) and len(read) > many


@pytest.mark.parametrize(
    "content", [b"text\tother\nA dog\r runs.\ta\nIt rains.\tb\n", b"text\tother\rA dog runs.\ta\rIt rains.\tb\r"]
)
def test_a_carriage_return_in_a_cell_of_an_upload_does_not_cut_a_text(runs, answers, put, content):
    put("own.tsv", content)
    app = open_page("train", source="upload")
    assert not app.exception and any("2 texts kept, 0 rows dropped" in one.value for one in app.caption)
    assert app.dataframe[0].value.iloc[:, 0].tolist() == ["A dog runs.", "It rains."]


def test_an_upload_is_called_what_the_file_was_called(runs, answers, put):
    put("my own.tsv", b"text\tother\none two\tthree\nfour\tfive six\n")
    open_page("train", source="upload")
    (kept,) = runs.corpora.glob("upload-*.txt")
    assert load_corpus(kept).name == "my own.tsv" == uploaded_name(kept)


def test_an_upload_of_articles_is_checked_once(runs, answers, monkeypatch, put):
    written, write = [], hashlib.sha256
    monkeypatch.setattr(hashlib, "sha256", lambda content: written.append(content) or write(content))
    put("wiki.txt", content := b"One article.\n\nAnother article.\n")
    app = open_page("train", recipe="mlm_continue", articles="upload")
    assert not app.exception and not app.error and any("articles-" in one.value for one in app.code)
    app.run()
    assert written.count(content) == 1 and len([*runs.corpora.glob("*.txt")]) == 1


@pytest.mark.parametrize("name", ["own.parquet", "own.json"])
def test_an_upload_that_names_its_columns_cannot_be_told_otherwise(runs, answers, put, name):
    put(name, SCORED if name == "own.parquet" else b'[{"text": "a b"},\n{"text": "c d"}]')
    app = open_page("train", source="upload")
    assert not app.exception and any(" texts kept, 0 rows dropped" in one.value for one in app.caption)
    assert next(one for one in app.toggle if one.key.startswith("header.")).disabled


@pytest.mark.parametrize("name", ["own.txt", "own.parquet"])
def test_a_broken_upload_is_reported_each_time_and_not_stored(runs, answers, put, name):
    put(name, b"" if name == "own.txt" else SCORED[:-20])
    app = open_page("train", source="upload")
    assert app.error and not app.exception
    assert app.run().error and not (runs.corpora.exists() and list(runs.corpora.iterdir()))
