"""Tables in Parquet, as the Hub stores them, by their paths."""

import json

import pyarrow
import pytest
from pyarrow import parquet

from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.pairs import load_pairs

CLASSES = ["entailment", "neutral", "contradiction"]


def written(path, columns, features=None):
    table = pyarrow.table(columns)
    if features:
        said = json.dumps({"info": {"features": features}})
        table = table.replace_schema_metadata({"huggingface": said})
    parquet.write_table(table, path)
    return path


def test_pairs_and_rows_without_a_score(tmp_path):
    columns = {
        "sentence1": ["a", "b\nc", "d", "e"],
        "sentence2": ["x", "y", None, "z"],
        "score": [0.25, 4.5, 1.0, None],
    }
    pairs = load_pairs(written(tmp_path / "p.parquet", columns))
    assert (pairs.first, pairs.second, pairs.gold.tolist()) == (["a", "b c"], ["x", "y"], [0.25, 4.5])
    assert [(one.row, one.reason) for one in pairs.dropped] == [(3, "empty sentence"), (4, "no score")]
    blob = written(tmp_path / "8f3c", {**columns, "split": ["dev", "dev", "test", "test"]})  # as in the Hub's cache
    assert load_pairs(f"{blob}#dev").first == ["a", "b c"]


def test_a_corpus_takes_roles_and_the_names_of_inference_classes(tmp_path):
    columns = {"premise": ["a b", "c d", "e f"], "hypothesis": ["g h", "i j", "k l"], "label": [2, 0, -1]}
    path = written(tmp_path / "nli.parquet", columns, {"label": {"names": CLASSES, "_type": "ClassLabel"}})
    assert load_corpus(path).numbers["label"].tolist() == [0, 1, -1] and "".join(load_corpus(path).classes[0]) == min(
        CLASSES
    )
    other = {"label": {"names": ["not_equivalent", "equivalent", "other"], "_type": "ClassLabel"}}
    assert load_corpus(written(tmp_path / "other.parquet", columns, other)).classes == ("0", "2")
    rte = {"label": {"names": ["entailment", "not_entailment"], "_type": "ClassLabel"}}
    two = load_corpus(written(tmp_path / "rte.parquet", {**columns, "label": [1, 0, -1]}, rte))
    assert two.classes == ("entailment", "not_entailment") and two.numbers["label"].tolist() == [1, 0, -1]
    texts = written(tmp_path / "texts.parquet", {"id": [1, 2], "text": ["one", "two"], "tags": [["a"], []]})
    assert load_corpus(texts).texts == ["one", "two"] and examine(texts).preview[0] == ["1", "one", '["a"]']


def test_what_is_no_table(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        load_pairs(tmp_path / "cut.parquet")
    with pytest.raises(BadData, match="holds no rows"):
        load_pairs(written(tmp_path / "empty.parquet", {"score": pyarrow.array([], pyarrow.float64())}))
    (tmp_path / "pointer.parquet").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n")
    with pytest.raises(BadData, match=r"pointer\.parquet is a pointer of Git LFS.*git lfs pull"):
        load_pairs(tmp_path / "pointer.parquet")
    (tmp_path / "lines.parquet").write_text("score\n")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        load_corpus(tmp_path / "lines.parquet")


def test_fields_of_structs_are_columns(tmp_path):
    labels = [{"label": 3.7, "binary-label": 1}, {"label": 0.5, "binary-label": 0}, None]
    columns = {"id": [1, 2, 3], "sentence1": ["a", "b", "c"], "sentence2": ["d", "e", "f"], "labels": labels}
    path = written(tmp_path / "klue.parquet", columns)
    assert examine(path).header == ("id", "sentence1", "sentence2", "label", "binary-label")
    pairs = load_pairs(path)
    assert pairs.gold.tolist() == [3.7, 0.5] and [row.reason for row in pairs.dropped] == ["no score"]
    assert load_pairs(f"{path}#score=binary-label").gold.tolist() == [1, 0]


def test_uploads_are_read_as_their_files_and_bounded(tmp_path):
    columns = {"text": ["one", "two", "two"], "tags": [["a"], [], []], "number": [1, 2, None]}
    path = written(tmp_path / "texts.parquet", columns)
    upload = examine(path.read_bytes(), name="texts.parquet")
    assert upload.header == ("text", "number")  # a list may be of any length
    assert [cells for _, cells in upload.rows()] == [["one", "1"], ["two", "2"], ["two", ""]]
    with pytest.raises(BadData, match=r"texts\.parquet cannot be read as Parquet"):
        examine(path.read_bytes()[:-30], name="texts.parquet")


def test_a_text_that_is_repeated_counts_each_time(tmp_path):
    for rows in (100, 30_000):
        repeated = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 1] * (rows // 2), pyarrow.int32()), ["a" * 2000, "b"]
        )
        parquet.write_table(pyarrow.table({"text": repeated}), tmp_path / "long.parquet", compression="zstd")
        content = (tmp_path / "long.parquet").read_bytes()
        assert len(content) < 10_000
        if rows == 100:
            assert len(list(examine(content, name="long.parquet").rows())) == 100
    assert len(list(examine(tmp_path / "long.parquet").rows())) == 30_000
    with pytest.raises(BadData, match=r"too big to upload.*more, once it is unpacked.*enter its path"):
        examine(content, name="long.parquet")
