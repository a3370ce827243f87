"""What a stored upload was called."""

from workbench.data.corpora import load_corpus
from workbench.data.uploads import MOST, keep_name, uploaded_name
from workbench.pretraining.articles import name_of

STORED = "upload-0123456789abcdef.txt"


def test_the_name_is_kept_beside_it_on_one_line_and_not_too_long(tmp_path):
    path = tmp_path / STORED
    assert uploaded_name(path) == ""
    keep_name(path, "my\nown \t texts.txt")
    assert uploaded_name(path) == "my own texts.txt"
    keep_name(path, " ")
    assert uploaded_name(path) == "my own texts.txt"
    keep_name(path, "é" * 500)
    assert uploaded_name(path) == "é" * MOST


def test_a_corpus_has_the_name_and_only_of_an_upload(tmp_path):
    path = tmp_path / STORED
    path.write_text("One text.\nAnother text.\n")
    assert load_corpus(path).name == STORED
    keep_name(path, "news.csv")
    assert load_corpus(path).name == "news.csv" and load_corpus(path).source == str(path)
    assert name_of([path]) == "news.csv" and name_of([path, path]) == "news.csv and 1 more"
    own = tmp_path / "own.txt"
    own.write_text("One text.\nAnother text.\n")
    (tmp_path / "own.txt.name").write_text("other")
    assert load_corpus(own).name == "own.txt"


def test_a_name_that_cannot_be_read_is_none(tmp_path):
    (tmp_path / f"{STORED}.name").mkdir()
    assert uploaded_name(tmp_path / STORED) == ""
    (tmp_path / f"{STORED}.name").rmdir()
    (tmp_path / f"{STORED}.name").write_bytes(b"caf\xe9.txt")
    assert uploaded_name(tmp_path / STORED) == "caf\ufffd.txt"
